/** What a tab does as the leading tab, and as one of the others. */
type Roles<Message> = {
  /** Works for all tabs until it ends, and informs the others. */
  lead(say: (message: Message) => void): Promise<void>;
  join(message: Message): void;
  /** The message that the leading tab sends to a tab that was just opened. */
  answer(): Message;
};

const hello = 'hello';

/**
 * Lets the tabs of a browser share one piece of work: the tab that holds a lock leads, and the others receive its messages. When it is closed or its
 * work ends, another tab leads. In a browser without locks each tab leads.
 */
export function openLine<Message extends object>(
  name: string,
  signal: AbortSignal,
  { lead, join, answer }: Roles<Message>,
): { isLeading: () => boolean } {
  const locks = (globalThis.navigator as Partial<Navigator> | undefined)?.locks;
  if (!locks) {
    void lead(() => {});
    return { isLeading: () => true };
  }
  let isLeader = false;
  const channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }: MessageEvent<Message | typeof hello>) => {
    if (signal.aborted) return;
    if (data === hello) {
      if (isLeader) channel.postMessage(answer());
    } else if (!isLeader) join(data);
  };
  signal.addEventListener('abort', () => channel.close(), { once: true });
  channel.postMessage(hello);
  const work = async () => {
    isLeader = true;
    await lead((message) => {
      if (!signal.aborted) channel.postMessage(message);
    }).finally(() => {
      isLeader = false;
    });
  };
  // The promise is rejected when the tab stops waiting for the lock.
  locks.request(name, { signal }, work).catch(() => {});
  return { isLeading: () => isLeader };
}
