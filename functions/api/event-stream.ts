import type { Change, ChangeStream } from '../../shared/app/fleet/change-stream.ts';
import type { Answer, ReceivedCall } from './handler.ts';

/** A comment is sent this often, so that no proxy closes the connection as idle. */
const heartbeatMs = 15_000;
/** A stream ends after this time. The client then reconnects, and its token is checked again. */
const longestMs = 10 * 60_000;
/**
 * Messages that may wait for a slow listener. A listener that falls further behind is disconnected, and requests what it missed when it
 * returns.
 */
const mostWaiting = 1000;

/**
 * Answers a request with a stream of Server-Sent Events that continues after `Last-Event-ID`.
 * @param onEnd called once when the stream has ended: by either side, by its age, or with its token
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
        // The first event carries the position from which nothing is missed. A listener then reads again what it read before.
        const position = lastEventId === null ? `id: ${stream.position()}\n` : '';
        let isGreeted = false;
        const greet = () => {
          if (!isGreeted && !isEnded) send(`retry: 1000\n${position}: connected\n\n`);
          isGreeted = true;
        };
        try {
          leave = await stream.listen(bearer, lastEventId, (change) => {
            greet();
            if (!isEnded) send(textOf(change));
          });
          greet();
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
