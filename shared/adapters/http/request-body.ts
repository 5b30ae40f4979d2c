import type { IncomingMessage } from 'node:http';
import { AppError, type Fault } from '../../errors.ts';

/** What the server hands on beside a request: Node's own message. Nothing at all where a request came without a server. */
export type FromServer = { Bindings: { incoming?: IncomingMessage } };

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a request body as JSON, bounded.
 * @param incoming the message of Node's server that the request stands for, where there is one: read directly, it costs no second request and no stream
 * @throws AppError `payload-too-large`, `unsupported-media-type`, `invalid-request`
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

/** Reads at most `maxBytes` of a body, whatever it says of its length. @throws AppError `payload-too-large` as soon as there are more */
export async function readBytes(request: Request, maxBytes: number, incoming?: IncomingMessage): Promise<Buffer> {
  const tooLarge = () => new AppError('payload-too-large', `The body may have at most ${maxBytes} bytes.`);
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let length = 0;
  // The request stays whole when it is left early: its connection still has the answer to carry.
  for await (const chunk of incoming?.iterator({ destroyOnReturn: false }) ?? request.body ?? []) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The error that names each member at fault. */
export function invalidRequest(errors: Fault[]): AppError {
  const [first] = errors;
  const where = first?.pointer ? `${first.pointer} ` : 'The body ';
  return new AppError('invalid-request', `${where}${first?.detail ?? 'does not fit'}.`, { errors });
}
