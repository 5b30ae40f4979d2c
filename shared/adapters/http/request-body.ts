import { AppError, type Fault } from '../../errors.ts';

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

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
    return JSON.parse(strictUtf8.decode(bytes));
  } catch {
    throw invalidRequest([{ pointer: '', detail: 'is not JSON' }]);
  }
}

/** Reads at most `maxBytes` of a body. @throws AppError `payload-too-large` as soon as there are more */
export async function readBytes(request: Request, maxBytes: number): Promise<Buffer> {
  const tooLarge = () => new AppError('payload-too-large', `The body may have at most ${maxBytes} bytes.`);
  const announced = request.headers.get('content-length');
  if (Number(announced ?? 0) > maxBytes) throw tooLarge();
  // Node's parser ends a body at its announced length, so this one is within the bound: no stream is needed to stop it.
  if (announced !== null && !request.headers.has('transfer-encoding')) {
    const bytes = Buffer.from(await request.arrayBuffer());
    if (bytes.length > maxBytes) throw tooLarge();
    return bytes;
  }
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
