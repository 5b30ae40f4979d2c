import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

/** How the receiver answers. `times`: for this many requests, then normally again. */
export type Behaviour = { times?: number } & (
  | { kind: 'ok'; delayMs?: number }
  | { kind: 'fail'; status: number; retryAfter?: string }
  /**
   * `echo` answers a challenge with the challenge, as an endpoint that wants events does. `mirror` sends back whatever
   * it receives.
   */
  | { kind: 'echo' | 'mirror' }
  | { kind: 'hang' | 'reset' | 'drip' | 'endless' | 'bomb' | 'gone' }
  | { kind: 'redirect'; location: string; status?: number }
);

export const behaviourKinds = [
  'ok',
  'fail',
  'hang',
  'reset',
  'drip',
  'endless',
  'bomb',
  'gone',
  'redirect',
  'echo',
  'mirror',
];

/** Answers one request. @returns the status that was sent, or null where none was */
export function behave(
  behaviour: Behaviour,
  request: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): number | null {
  switch (behaviour.kind) {
    case 'ok':
      setTimeout(() => answer(response, 200, 'received\n'), behaviour.delayMs ?? 0);
      return 200;
    case 'fail':
      if (behaviour.retryAfter !== undefined) response.setHeader('Retry-After', behaviour.retryAfter);
      return answer(response, behaviour.status, 'told to fail\n');
    case 'gone':
      return answer(response, 410, 'gone for good\n');
    case 'redirect':
      response.setHeader('Location', behaviour.location);
      return answer(response, behaviour.status ?? 302, 'elsewhere\n');
    case 'echo':
      return answer(response, 200, JSON.stringify({ challenge: JSON.parse(body.toString()).challenge }));
    case 'mirror':
      return answer(response, 200, body);
    case 'hang':
      return null;
    case 'reset':
      request.socket.destroy();
      return null;
    case 'drip':
      return repeat(response, 'x', 200);
    case 'endless':
      return repeat(response, 'x'.repeat(16_384), 0);
    case 'bomb':
      response.setHeader('Content-Encoding', 'gzip');
      return answer(response, 200, gzipSync(Buffer.alloc(32 * 1024 * 1024)));
    default:
      return behaviour satisfies never;
  }
}

function answer(response: ServerResponse, status: number, body: string | Buffer): number {
  response.writeHead(status, { 'Content-Type': 'text/plain' });
  response.end(body);
  return status;
}

/** Writes without end, as fast as it is read or with a pause. */
function repeat(response: ServerResponse, chunk: string, pauseMs: number): number {
  response.writeHead(200, { 'Content-Type': 'text/plain' });
  const go = () => {
    if (response.destroyed) return;
    if (response.write(chunk)) setTimeout(go, pauseMs);
    else response.once('drain', () => setTimeout(go, pauseMs));
  };
  go();
  return 200;
}
