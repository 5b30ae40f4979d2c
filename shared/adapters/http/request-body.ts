import { AppError, type Fault } from '../../errors.ts';

/**
 * Reads a request body as JSON, bounded.
 * @throws AppError `payload-too-large`, `unsupported-media-type`, `invalid-request`
 */
export async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  if (request.headers.has('content-encoding')) {
    throw new AppError('unsupported-media-type', 'Send the body without a content encoding.');
  }
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json' && !type?.endsWith('+json')) {
    throw new AppError('unsupported-media-type', 'Send the body as application/json.');
  }
  const bytes = await readBytes(request, maxBytes);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw invalidRequest([{ pointer: '', detail: 'is not JSON' }]);
  }
}

/** Reads at most `maxBytes` of a body. @throws AppError `payload-too-large` as soon as there are more */
export async function readBytes(request: Request, maxBytes: number): Promise<Buffer> {
  const tooLarge = () => new AppError('payload-too-large', `The body may have at most ${maxBytes} bytes.`);
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
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
