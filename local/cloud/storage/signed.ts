import type { IncomingMessage } from 'node:http';
import { localSignature } from '../../../shared/adapters/frames/frames.ts';
import { textToSign } from '../../../shared/adapters/frames/signed-address.ts';

/** Why a signed address is refused, as Cloud Storage answers it. */
type SignedFault = { status: number; reason: string; message: string };

const compact = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/** Checks the signature of a request: method, address, headers and time. Null: it is valid. */
export function faultOfSigned({ method = '', url = '', headers }: IncomingMessage, nowMs: number): SignedFault | null {
  const [path = '', search = ''] = url.split('?');
  const [query = '', signature = ''] = search.split('&X-Goog-Signature=');
  const of = new URLSearchParams(query);
  const timestamp = of.get('X-Goog-Date') ?? '';
  const signedAt = Date.parse(timestamp.replace(compact, '$1-$2-$3T$4:$5:$6Z'));
  const endsAt = signedAt + Number(of.get('X-Goog-Expires')) * 1000;
  if (signature === '' || !(endsAt > nowMs)) return forbidden('The signed address is incomplete or has expired.');
  const names = (of.get('X-Goog-SignedHeaders') ?? '').split(';');
  const sent = Object.fromEntries(names.map((name) => [name, String(headers[name] ?? '')]));
  // Further headers of this kind, beyond the signed ones, would change what is permitted.
  const more = Object.keys(headers).find((name) => name.startsWith('x-goog-') && !names.includes(name));
  if (more !== undefined) return forbidden(`The header ${more} is not signed.`);
  const wanted = localSignature(textToSign(method === 'HEAD' ? 'GET' : method, path, query, sent, timestamp));
  return wanted === signature ? null : forbidden('The signature does not match: SignatureDoesNotMatch.');
}

/** Checks the size of an upload with the range in its header. Null: it is valid. */
export function faultOfSize({ headers }: IncomingMessage, size: number): SignedFault | null {
  const range = /^(\d+),(\d+)$/.exec(String(headers['x-goog-content-length-range'] ?? ''));
  if (!range) return null;
  if (size < Number(range[1])) return { status: 400, reason: 'EntityTooSmall', message: 'The upload is too small.' };
  return size > Number(range[2])
    ? { status: 400, reason: 'EntityTooLarge', message: 'The upload is too large.' }
    : null;
}

function forbidden(message: string): SignedFault {
  return { status: 403, reason: 'forbidden', message };
}
