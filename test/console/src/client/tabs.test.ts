import { afterEach, beforeEach, expect, test, vi } from 'vitest';

type Message = { text: string };
type Roles = {
  lead(say: (message: Message) => void): Promise<void>;
  join(message: Message): void;
  answer(): Message;
};
type Tabs = { openLine(name: string, signal: AbortSignal, roles: Roles): { isLeading: () => boolean } };
/** Not a literal in the import, so that the compiler does not read the console, which needs the types of a browser. */
const path = '../../../../console/src/client/tabs.ts';

const eventually = <T>(look: () => T) => expect.poll(look, { interval: 5 });

let openLine: Tabs['openLine'];
/** The requests that wait for the lock. As in a browser, one holds it until its work ends. */
let queue: (() => void)[];
let isHeld: boolean;
beforeEach(async () => {
  queue = [];
  isHeld = false;
  const next = () => {
    isHeld = false;
    queue.shift()?.();
  };
  const request = (_: string, { signal }: { signal: AbortSignal }, work: () => Promise<void>) =>
    new Promise<void>((resolve, reject) => {
      const hold = () => {
        if (signal.aborted) return next();
        isHeld = true;
        void work().then(resolve, reject).finally(next);
      };
      signal.addEventListener('abort', () => reject(signal.reason));
      if (isHeld) queue.push(hold);
      else hold();
    });
  vi.stubGlobal('navigator', { locks: { request } });
  ({ openLine } = (await import(path)) as Tabs);
});
afterEach(() => vi.unstubAllGlobals());

/** A tab. Once it leads, it leads until it is closed. */
function openTab(name: string, number: number) {
  const control = new AbortController();
  const heard: string[] = [];
  let say: ((message: Message) => void) | null = null;
  const line = openLine(name, control.signal, {
    lead: (send) => {
      say = send;
      return new Promise((resolve) => control.signal.addEventListener('abort', () => resolve()));
    },
    join: ({ text }) => heard.push(text),
    answer: () => ({ text: `${number} leads` }),
  });
  return { heard, isLeading: line.isLeading, close: () => control.abort(), send: (text: string) => say?.({ text }) };
}

test('one tab leads and sends to the others; a tab that opens later gets the current state', async () => {
  const [one, other] = [openTab('a', 1), openTab('a', 2)];
  expect([one.isLeading(), other.isLeading()]).toEqual([true, false]);
  await eventually(() => other.heard).toEqual(['1 leads']);
  one.send('news');
  other.send('nobody hears one that does not lead');
  await eventually(() => other.heard).toEqual(['1 leads', 'news']);
  expect(one.heard).toEqual([]);
  for (const tab of [one, other]) tab.close();
});

test('when the leading tab is closed, the next open tab leads', async () => {
  const [one, gone, heir] = [openTab('b', 1), openTab('b', 2), openTab('b', 3)];
  gone.close();
  one.close();
  await eventually(() => heir.isLeading()).toBe(true);
  expect([one.isLeading(), gone.isLeading()]).toEqual([false, false]);
  heir.close();
});

test('tabs of different people do not share messages, and without locks each tab leads itself', async () => {
  const [one, stranger] = [openTab('c', 1), openTab('d', 2)];
  one.send('news');
  await new Promise((resolve) => setImmediate(resolve));
  expect(stranger.heard).toEqual([]);
  vi.stubGlobal('navigator', {});
  const alone = openTab('c', 3);
  expect(alone.isLeading()).toBe(true);
  for (const tab of [one, stranger, alone]) tab.close();
});
