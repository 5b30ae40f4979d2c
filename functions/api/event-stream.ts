import type { Change, ChangeStream } from '../../shared/app/fleet/change-stream.ts';
import type { Answer, ReceivedCall } from './handler.ts';

/** A comment goes out this often, so that nothing on the way takes the connection for dead. */
const heartbeatMs = 15_000;
/** A stream ends after this and is taken up again with a token that is checked anew. */
const longestMs = 10 * 60_000;
/** Messages that may wait for a slow listener; one that is further behind comes back and asks for what it missed. */
const mostWaiting = 1000;

/**
 * Answers a request with a stream of Server-Sent Events that goes on where `Last-Event-ID` left off.
 * @param onEnd called once, when the stream has ended: by either side, by its age, or with its token
 */
export function answerEventStream(
  stream: ChangeStream,
  { bearer, lastEventId }: ReceivedCall<'streamChanges'>,
  onEnd: () => void,
): Answer<ReadableStream> {
  const encoder = new TextEncoder();
  let end = () => {};
  const body = new ReadableStream<Uint8Array>(
    {
      async start(controller) {
        const send = (text: string) => {
          if ((controller.desiredSize ?? 0) <= 0) return close();
          controller.enqueue(encoder.encode(text));
        };
        const close = () => {
          end();
          controller.close();
        };
        const lifeMs = Math.max(0, Math.min(longestMs, bearer.expiresAtMs - Date.now()));
        const timers = [setInterval(() => send(': still here\n\n'), heartbeatMs), setTimeout(() => close(), lifeMs)];
        let leave = () => {};
        let isEnded = false;
        end = () => {
          isEnded = true;
          for (const timer of timers) clearTimeout(timer);
          leave();
          onEnd();
        };
        send(`retry: 1000\n${lastEventId === null ? `id: ${stream.position()}\n` : ''}: connected\n\n`);
        try {
          leave = await stream.listen(bearer, lastEventId, (change) => {
            if (!isEnded) send(textOf(change));
          });
        } catch (error) {
          end();
          throw error;
        }
        if (isEnded) leave();
      },
      cancel: () => end(),
    },
    new CountQueuingStrategy({ highWaterMark: mostWaiting }),
  );
  const headers = { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' };
  return { body, headers };
}

function textOf({ id, event, data }: Change): string {
  return `${id === null ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
