import type { Readable } from 'node:stream';
import { AppError, type Fault } from '../../errors.ts';
import { parseJson } from '../../schema/json.ts';
import { faultOfTexts, visibleText } from '../../schema/text.ts';

/**
 * Reads a body from the platform as JSON, with a size limit. Its texts are not checked here: those of messages come
 * from their senders and are checked with each message.
 * @param source Node's own `IncomingMessage` where there is one, because wrapping it in another stream would cost time
 * @throws AppError as `readBytes`, and `invalid-request`
 */
export async function readJson(source: Readable, maxBytes: number): Promise<unknown> {
  const parsed = parseJson(await readBytes(source, maxBytes));
  if ('fault' in parsed) throw invalidRequest([parsed.fault]);
  return parsed.value;
}

/** The body that a caller of the API sent. @throws AppError `invalid-request` */
export function bodyOf(bytes: Buffer): unknown {
  const parsed = parseJson(bytes);
  const fault = 'fault' in parsed ? parsed.fault : faultOfTexts(parsed.value, parsed.text);
  if (fault) throw invalidRequest([fault]);
  return 'value' in parsed ? parsed.value : null;
}

/** How long a body may take to arrive, milliseconds: 9 s, and the time that it takes at 0.5 Mbit/s; at most 30 s. */
function patienceMs(maxBytes: number): number {
  return Math.min(30_000, 9000 + maxBytes / 65.536);
}

/**
 * Reads at most `maxBytes` of a body, whatever length it announces. The rest of a refused body is not read.
 * @throws AppError `payload-too-large` as soon as there is more; `request-timeout` where it is too slow; `invalid-request` where it breaks
 * off
 */
export function readBytes(source: Readable, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const leave = () => {
      clearTimeout(timer);
      source.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken);
    };
    const refuse = (error: AppError) => {
      leave();
      source.pause();
      reject(error);
    };
    const onData = (chunk: Uint8Array) => {
      length += chunk.length;
      if (length > maxBytes) refuse(tooLarge(maxBytes));
      else chunks.push(chunk as Buffer);
    };
    const onEnd = () => {
      leave();
      const [first] = chunks;
      resolve(first && chunks.length === 1 ? first : Buffer.concat(chunks));
    };
    const onBroken = () => refuse(invalidRequest([{ pointer: '', detail: 'breaks off' }]));
    const waitMs = patienceMs(maxBytes);
    const timer = setTimeout(() => refuse(tooSlow(waitMs)), waitMs);
    source.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken);
  });
}

export function tooLarge(maxBytes: number): AppError {
  return new AppError('payload-too-large', `The body may have at most ${maxBytes} bytes.`);
}

function tooSlow(waitMs: number): AppError {
  const detail = `The body did not end within ${Math.round(waitMs / 1000)} seconds.`;
  return new AppError('request-timeout', detail, { headers: { Connection: 'close' } });
}

/** The error that names each member at fault. A caller chooses the names of unknown members. */
export function invalidRequest(faults: Fault[]): AppError {
  const errors = faults.map(({ pointer, detail }) => ({ pointer: visibleText(pointer), detail: visibleText(detail) }));
  const [first] = errors;
  const where = first?.pointer ? `${first.pointer} ` : 'The body ';
  return new AppError('invalid-request', `${where}${first?.detail ?? 'does not fit'}.`, { errors });
}
