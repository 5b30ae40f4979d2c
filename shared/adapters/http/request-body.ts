import { AppError, type Fault } from '../../errors.ts';

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a request body as JSON, bounded.
 * @throws AppError `payload-too-large`, `unsupported-media-type`, `invalid-request`, `request-timeout`
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

/** A body has this long to come, milliseconds: 64 KiB take a second on a line of 0.5 Mbit/s. */
const patienceMs = 10_000;

/** Reads at most `maxBytes` of a body. @throws AppError `payload-too-large` as soon as there are more; `request-timeout` where it is slow to end */
export async function readBytes(request: Request, maxBytes: number): Promise<Buffer> {
  const announced = request.headers.get('content-length');
  if (Number(announced ?? 0) > maxBytes) throw tooLarge(maxBytes);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooSlow()), patienceMs);
  });
  try {
    // Node's parser ends a body at its announced length, so that one is within the bound: no stream is needed to stop it.
    if (announced === null || request.headers.has('transfer-encoding'))
      return await readStream(request, maxBytes, late);
    const bytes = Buffer.from(await Promise.race([request.arrayBuffer(), late]));
    if (bytes.length > maxBytes) throw tooLarge(maxBytes);
    return bytes;
  } finally {
    clearTimeout(timer);
  }
}

async function readStream(request: Request, maxBytes: number, late: Promise<never>): Promise<Buffer> {
  if (!request.body) return Buffer.alloc(0);
  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late]);
      if (done) return Buffer.concat(chunks);
      length += value.length;
      if (length > maxBytes) throw tooLarge(maxBytes);
      chunks.push(value);
    }
  } finally {
    // What is left is not waited for; a body that is at its end has nothing to cancel.
    reader.cancel().catch(() => {});
  }
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('payload-too-large', `The body may have at most ${maxBytes} bytes.`);
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
