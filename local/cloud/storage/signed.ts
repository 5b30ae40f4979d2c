import { createHash, createPublicKey, verify } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The account whose signed addresses are valid. */
export type Signer = { email: string /** SPKI, PEM. */; publicKey: string };

/** Why a signed address is refused, in the form of Cloud Storage's answer. */
type SignedFault = { status: number; reason: string; message: string };

type Signed = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

const algorithm = 'GOOG4-RSA-SHA256';
const compact = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;
const mostSeconds = 7 * 24 * 60 * 60;
/** How far the signer's clock may be ahead. */
const skewMs = 15 * 60 * 1000;

/**
 * Checks a request by signed address: account, method, address, headers and time. Null: it is valid. Written from Cloud
 * Storage's documents ("Canonical requests", "V4 signing process"), without any code of the service that signs.
 */
export function faultOfSigned(request: Signed, signer: Signer | undefined, nowMs: number): SignedFault | null {
  const { method = '', headers } = request;
  const { path, query, signature } = partsOf(request.url ?? '');
  const of = (name: string) => query.find(([each]) => each === name)?.[1] ?? '';
  const timestamp = of('X-Goog-Date');
  const scope = `${timestamp.slice(0, 8)}/auto/storage/goog4_request`;
  const isKnown = of('X-Goog-Algorithm') === algorithm && of('X-Goog-Credential') === `${signer?.email}/${scope}`;
  if (!signer || !isKnown) {
    return forbidden('The address is not signed by an account that is known.');
  }
  const time = faultOfTime(timestamp, of('X-Goog-Expires'), nowMs);
  if (time) return time;
  const names = of('X-Goog-SignedHeaders').split(';');
  const absent = names.find((name) => headers[name] === undefined);
  if (absent !== undefined) return malformed(`The header ${absent} is signed, and not in the request.`);
  if (!names.includes('host')) return malformed('The header host is not signed.');
  // An `x-goog-` header that is not signed could change what the address permits.
  const more = Object.keys(headers).find((name) => name.startsWith('x-goog-') && !names.includes(name));
  if (more !== undefined) return forbidden(`The header ${more} is not signed.`);
  // A permission to read includes HEAD requests.
  const asked = [method === 'HEAD' ? 'GET' : method, canonicalPath(path), canonicalQuery(query)];
  const lines = names.map((name) => `${name}:${canonicalValue(name, String(headers[name]))}`);
  const payload = String(headers['x-goog-content-sha256'] ?? 'UNSIGNED-PAYLOAD');
  const digest = createHash('sha256').update([...asked, ...lines, '', names.join(';'), payload].join('\n'));
  const text = [algorithm, timestamp, scope, digest.digest('hex')].join('\n');
  const isSigned = verify(
    'RSA-SHA256',
    Buffer.from(text),
    createPublicKey(signer.publicKey),
    Buffer.from(signature, 'hex'),
  );
  return isSigned ? null : forbidden('The signature does not match: SignatureDoesNotMatch.');
}

/**
 * Checks the size of an upload, in bytes, against its header `x-goog-content-length-range`. Null: it is valid, or there
 * is no such header.
 */
export function faultOfSize({ headers }: IncomingMessage, size: number): SignedFault | null {
  const range = /^(\d+),(\d+)$/.exec(String(headers['x-goog-content-length-range'] ?? ''));
  if (!range) return null;
  if (size < Number(range[1])) return { status: 400, reason: 'EntityTooSmall', message: 'The upload is too small.' };
  return size > Number(range[2])
    ? { status: 400, reason: 'EntityTooLarge', message: 'The upload is too large.' }
    : null;
}

function partsOf(url: string): { path: string; query: [name: string, value: string][]; signature: string } {
  const [path = '', search = ''] = url.split('?');
  const all = [...new URLSearchParams(search)];
  const isSignature = ([name]: [string, string]) => name.toLowerCase() === 'x-goog-signature';
  return { path, query: all.filter((each) => !isSignature(each)), signature: all.find(isSignature)?.[1] ?? '' };
}

function faultOfTime(timestamp: string, expires: string, nowMs: number): SignedFault | null {
  const signedAt = Date.parse(timestamp.replace(compact, '$1-$2-$3T$4:$5:$6Z'));
  const seconds = Number(expires);
  if (Number.isNaN(signedAt) || !(seconds > 0 && seconds <= mostSeconds)) {
    return { status: 400, reason: 'InvalidArgument', message: 'The time of the address is not valid.' };
  }
  if (signedAt > nowMs + skewMs) return forbidden('The address is not valid yet.');
  if (signedAt + seconds * 1000 > nowMs) return null;
  return { status: 400, reason: 'ExpiredToken', message: 'The provided token has expired.' };
}

const canonicalPath = (path: string) => path.split('/').map(decodeURIComponent).map(encoded).join('/');

function canonicalQuery(query: [name: string, value: string][]): string {
  const pairs = query.map(([name, value]) => [encoded(name), encoded(value)] as const);
  return pairs
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map((pair) => pair.join('='))
    .join('&');
}

/** The client signs the host without its port, which only addresses of this store have. */
function canonicalValue(name: string, value: string): string {
  return name === 'host' ? value.replace(/:\d+$/, '') : value.trim().replace(/\s+/g, ' ');
}

/** Encodes everything except the unreserved characters of RFC 3986. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

function forbidden(message: string): SignedFault {
  return { status: 403, reason: 'forbidden', message };
}

function malformed(message: string): SignedFault {
  return { status: 400, reason: 'MalformedSecurityHeader', message };
}
