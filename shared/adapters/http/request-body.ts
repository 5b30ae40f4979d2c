import type { IncomingMessage } from 'node:http';
import { AppError, type Fault } from '../../errors.ts';

/** What the server hands on beside a request: Node's own message. Nothing at all where a request came without a server. */
export type FromServer = { Bindings: { incoming?: IncomingMessage } };

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a request body as JSON, bounded.
 * @param incoming the message of Node's server that the request stands for, where there is one: read directly, it costs no second request and no stream
 * @throws AppError `payload-too-large`, `unsupported-media-type`, `invalid-request`, `request-timeout`
 */
export async function readJson(request: Request, maxBytes: number, incoming?: IncomingMessage): Promise<unknown> {
  if (request.headers.has('content-encoding')) {
    throw new AppError('unsupported-media-type', 'Send the body without a content encoding.');
  }
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json' && !type?.endsWith('+json')) {
    throw new AppError('unsupported-media-type', 'Send the body as application/json.');
  }
  const bytes = await readBytes(request, maxBytes, incoming);
  try {
    return JSON.parse(strictUtf8.decode(bytes));
  } catch {
    throw invalidRequest([{ pointer: '', detail: 'is not JSON' }]);
  }
}

/** A body has this long to come, milliseconds: 64 KiB take a second on a line of 0.5 Mbit/s. */
const patienceMs = 10_000;

/**
 * Reads at most `maxBytes` of a body, whatever it says of its length.
 * @throws AppError `payload-too-large` as soon as there are more; `request-timeout` where it is slow to end
 */
export async function readBytes(request: Request, maxBytes: number, incoming?: IncomingMessage): Promise<Buffer> {
  const tooLarge = () => new AppError('payload-too-large', `The body may have at most ${maxBytes} bytes.`);
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge();
  // The message stays whole when it is left early: its connection still has the answer to carry.
  const source: AsyncIterable<Uint8Array> | null = incoming?.iterator({ destroyOnReturn: false }) ?? request.body;
  if (!source) return Buffer.alloc(0);
  const reader = source[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  let length = 0;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooSlow()), patienceMs);
  });
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.next(), late]);
      if (done) return Buffer.concat(chunks);
      length += value.length;
      if (length > maxBytes) throw tooLarge();
      chunks.push(value);
    }
  } finally {
    clearTimeout(timer);
    // What is left is not waited for: it may never come.
    reader.return?.().catch(() => {});
  }
}

function tooSlow(): AppError {
  const detail = `The body did not end within ${patienceMs / 1000} seconds.`;
  return new AppError('request-timeout', detail, { headers: { Connection: 'close' } });
}

/** The error that names each member at fault. */
export function invalidRequest(errors: Fault[]): AppError {
  const [first] = errors;
  const where = first?.pointer ? `${first.pointer} ` : 'The body ';
  return new AppError('invalid-request', `${where}${first?.detail ?? 'does not fit'}.`, { errors });
}
