import { afterEach, beforeEach, expect, test, vi } from 'vitest';

// Stubs of the hooks, so that a listener needs no page.
vi.mock('preact/hooks', () => ({
  useRef: (current: unknown) => ({ current }),
  useEffect: (effect: () => void) => effect(),
}));

type Stream = {
  useStream(listener: (event: { event: string }) => void): void;
  startStream(): void;
  stopStream(): void;
  streamState: { get(): string; subscribe(listener: () => void): () => void };
};
/** Not a literal in the import, so that the compiler does not read the console, which needs the types of a browser. */
const path = '../../../../console/src/client/stream.ts';

let stream: Stream;
/** How the service, or a proxy before it, answers each request for the stream. */
let answer: (signal: AbortSignal) => Promise<Response>;
let asked: number[];
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  vi.stubGlobal('addEventListener', () => {});
  vi.stubGlobal('location', { origin: 'http://127.0.0.1:9', hash: '' });
  asked = [];
  vi.stubGlobal('fetch', (_: string, { signal }: { signal: AbortSignal }) => {
    asked.push(Date.now());
    return answer(signal);
  });
  stream = (await import(path)) as Stream;
});
afterEach(() => {
  stream.stopStream();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Like Firebase Hosting, which sends nothing of an answer, not even its head, before its end. */
const heldBack = (signal: AbortSignal) =>
  new Promise<Response>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
/** Only the head, as from a proxy that buffers the body. */
const headOnly = async (signal: AbortSignal) => new Response(silentBody(signal));
const silentBody = (signal: AbortSignal, first?: string) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      if (first) controller.enqueue(new TextEncoder().encode(first));
      signal.addEventListener('abort', () => controller.error(signal.reason));
    },
  });
const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);

test.each([
  ['whose answer is held back', heldBack],
  ['of which only the head comes', headOnly],
])('a stream %s for 20 seconds is replaced by polling, and is tried again after five minutes', async (_, way) => {
  answer = way;
  const heard: string[] = [];
  stream.useStream(({ event }) => heard.push(event));
  stream.startStream();
  await pass(19);
  expect(stream.streamState.get()).toBe('connecting');
  await pass(2);
  expect(stream.streamState.get()).toBe('unsupported');
  expect(heard).toEqual(['resumed']);
  await pass(60);
  expect(heard).toEqual(['resumed', 'resumed', 'resumed', 'resumed', 'resumed']);
  await pass(180);
  expect(asked).toHaveLength(1);
  answer = async (signal) => new Response(silentBody(signal, ': connected\n\n'));
  await pass(60);
  expect(asked).toHaveLength(2);
  expect(stream.streamState.get()).toBe('live');
});

test('a stream is live with its first byte, and counts as dead after three missing heartbeats', async () => {
  answer = async (signal) => new Response(silentBody(signal, ': connected\n\n'));
  const heard: string[] = [];
  stream.useStream(({ event }) => heard.push(event));
  stream.startStream();
  expect(heard).toEqual([]);
  await pass(0.1);
  expect(stream.streamState.get()).toBe('live');
  // Changes between the last read of a page and the start of the stream were not announced, so the page reads again.
  expect(heard).toEqual(['resumed']);
  await pass(45);
  expect([stream.streamState.get(), asked.length]).toEqual(['live', 1]);
  await pass(10);
  expect(asked.length).toBeGreaterThan(1);
  expect(stream.streamState.get()).toBe('live');
});

test('a refused connection is tried again soon, and the console does not start to poll', async () => {
  answer = async () => Promise.reject(new TypeError('fetch failed'));
  stream.startStream();
  await pass(15);
  expect(stream.streamState.get()).toBe('connecting');
  expect(asked.length).toBeGreaterThan(3);
});
