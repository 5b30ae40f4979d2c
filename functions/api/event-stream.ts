import { clock } from '../../shared/adapters/clock.ts';
import type { ChangeStream, StreamChange } from '../../shared/app/fleet/change-stream.ts';
import type { Answer, ReceivedCall } from './handler.ts';

/** A comment is sent this often, so that no proxy closes the connection as idle. */
const heartbeatMs = 15_000;
/** A stream ends after this time. The client then reconnects, and its token is checked again. */
const longestMs = 10 * 60_000;
/**
 * Changes that may wait for a slow listener. A listener that falls further behind is disconnected, and requests what it missed when it
 * returns.
 */
const mostWaiting = 1000;
const encoder = new TextEncoder();

/**
 * Answers a request with a stream of Server-Sent Events that continues after `Last-Event-ID`, as soon as it knows where that is.
 * @param onEnd called once when the stream has ended: by either side, by its age, or with its token
 * @throws what `listen` throws
 */
export async function answerEventStream(
  stream: ChangeStream,
  { bearer, lastEventId, gone }: ReceivedCall<'streamChanges'>,
  onEnd: () => void,
): Promise<Answer<ReadableStream>> {
  let end = () => {};
  const listening = Promise.withResolvers<void>();
  const room = createRoom();
  const body = new ReadableStream<Uint8Array>(
    {
      async start(controller) {
        const send = (text: string | Uint8Array) => {
          if ((controller.desiredSize ?? 0) <= 0) return close();
          controller.enqueue(typeof text === 'string' ? encoder.encode(text) : text);
        };
        const close = () => {
          end();
          controller.close();
        };
        const timers = [setInterval(() => send(': still here\n\n'), heartbeatMs), setTimeout(close, lifeMsOf(bearer))];
        let leave = () => {};
        let isEnded = false;
        end = once(() => {
          isEnded = true;
          room.settle();
          for (const timer of timers) clearTimeout(timer);
          leave();
          onEnd();
        });
        const position = lastEventId === null ? positionOf(stream) : '';
        const greet = once(() => {
          if (!isEnded) send(`retry: 1000\n${position}: connected\n\n`);
        });
        try {
          const take = (changes: readonly StreamChange[]) => {
            greet();
            if (!isEnded) send(bytesOf(changes));
          };
          const hasRoom = () => room.await(() => isEnded || isFree(controller));
          leave = await stream.listen(bearer, lastEventId, take, hasRoom);
          greet();
          listening.resolve();
        } catch (error) {
          end();
          listening.reject(error);
        }
        if (isEnded) leave();
      },
      pull(controller) {
        if (isFree(controller)) room.settle();
      },
      cancel: () => end(),
    },
    buffer,
  );
  await listening.promise;
  // Nobody cancels the stream of a listener that left meanwhile.
  if (gone.aborted) end();
  return { body, headers: streamHeaders };
}

const streamHeaders = { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' };
const buffer = { highWaterMark: mostWaiting, size: (bytes: Uint8Array) => changesIn.get(bytes) ?? 1 };

/** The present position: a listener that reconnects before its first change misses nothing. It reads again what it read before. */
function positionOf(stream: ChangeStream): string {
  return `id: ${stream.position()}\n`;
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}

function lifeMsOf({ expiresAtMs }: ReceivedCall<'streamChanges'>['bearer']): number {
  return Math.max(0, Math.min(longestMs, expiresAtMs - clock.ms()));
}

/** Lets the stream wait until a listener has taken what it got, or is gone. */
function createRoom() {
  let settle = () => {};
  return {
    settle: () => settle(),
    await: (isThere: () => boolean) =>
      new Promise<void>((resolve) => {
        settle = resolve;
        if (isThere()) resolve();
      }),
  };
}

/** Whether the listener has taken everything that it was sent. */
function isFree({ desiredSize }: ReadableStreamDefaultController<Uint8Array>): boolean {
  return (desiredSize ?? 0) >= mostWaiting;
}

/** The encoded bytes of each list of changes. Listeners with the same groups share them: copies would fill the memory in a storm of alerts. */
const made = new WeakMap<readonly StreamChange[], Uint8Array>();
const changesIn = new WeakMap<Uint8Array, number>();

function bytesOf(changes: readonly StreamChange[]): Uint8Array {
  const known = made.get(changes);
  if (known) return known;
  const bytes = encoder.encode(changes.map(textOf).join(''));
  made.set(changes, bytes);
  changesIn.set(bytes, changes.length);
  return bytes;
}

function textOf({ id, event, data }: StreamChange): string {
  return `${id === null ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
