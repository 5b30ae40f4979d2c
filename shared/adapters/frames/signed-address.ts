import { createHash } from 'node:crypto';

/** The account that signs an address, and the function that signs: RSASSA-PKCS1-v1_5 over SHA-256, in hex. */
export type Signer = { account: string; sign(text: string): Promise<string> };

/** What an address allows, for how long, and the headers that a request must carry unchanged, by lower-case name. */
export type Permit = { method: 'GET' | 'PUT'; expiresSeconds: number; headers: Record<string, string> };

/** The longest time that Cloud Storage accepts for a signed address. */
export const reading: Permit = { method: 'GET', expiresSeconds: 7 * 24 * 60 * 60, headers: {} };

const algorithm = 'GOOG4-RSA-SHA256';

/**
 * An address with which anybody can perform the permitted action on an object. The steps are those of "V4 signing process" in Cloud
 * Storage's documentation: canonical request, text to sign, signature added to the query.
 */
export async function signedAddress(
  endpoint: URL,
  { bucket, object }: { bucket: string; object: string },
  { account, sign }: Signer,
  at: Date,
  { method, expiresSeconds, headers }: Permit = reading,
): Promise<string> {
  const path = `/${bucket}/${object.split('/').map(encoded).join('/')}`;
  const timestamp = at.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const signed = { ...headers, host: endpoint.host };
  const query = [
    ['X-Goog-Algorithm', algorithm],
    ['X-Goog-Credential', `${account}/${timestamp.slice(0, 8)}/auto/storage/goog4_request`],
    ['X-Goog-Date', timestamp],
    ['X-Goog-Expires', String(expiresSeconds)],
    ['X-Goog-SignedHeaders', Object.keys(signed).toSorted().join(';')],
  ]
    .map(([name = '', value = '']) => `${name}=${encoded(value)}`)
    .join('&');
  const signature = await sign(textToSign(method, path, query, signed, timestamp));
  return `${endpoint.origin}${path}?${query}&X-Goog-Signature=${signature}`;
}

/** The text that the signature of an address covers. @param query without the signature */
export function textToSign(
  method: string,
  path: string,
  query: string,
  headers: Record<string, string>,
  timestamp: string,
): string {
  const names = Object.keys(headers).toSorted();
  const lines = names.map((name) => `${name}:${headers[name]}`);
  const request = [method, path, query, ...lines, '', names.join(';'), 'UNSIGNED-PAYLOAD'].join('\n');
  const digest = createHash('sha256').update(request).digest('hex');
  return [algorithm, timestamp, `${timestamp.slice(0, 8)}/auto/storage/goog4_request`, digest].join('\n');
}

/** RFC 3986: everything but unreserved characters. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
