/** Headers of a request, in the form of Node, fetch or a framework. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Thrown for a request that has no valid signature, or whose time is too far from the receiver's clock. */
export class WebhookVerificationError extends Error {
  readonly reason: 'no-signature' | 'bad-timestamp' | 'wrong-signature';
  constructor(reason: WebhookVerificationError['reason'], message: string) {
    super(message);
    this.name = 'WebhookVerificationError';
    this.reason = reason;
  }
}

type Options = {
  /** Largest allowed difference between the time of a request and the receiver's clock, seconds. Default: 300. */
  toleranceSeconds?: number;
  nowMs?: number;
};

type Signed = { id: string; timestamp: string; body: Uint8Array<ArrayBuffer> };

/**
 * Verifies a webhook request by the scheme of its headers: `X-Service-Signature` or Standard Webhooks.
 * @param body the received bytes, or the same as text. A body that was parsed and serialized again does not match its
 * signature.
 * @param secret the endpoint's secret, or several during a rotation
 * @returns `deliveryId` and `event` from the headers; null where the request does not have the header
 * @throws WebhookVerificationError
 */
export async function verifyWebhook(
  headers: WebhookHeaders,
  body: Uint8Array | string,
  secret: string | readonly string[],
  { toleranceSeconds = 300, nowMs = Date.now() }: Options = {},
): Promise<{ deliveryId: string | null; event: string | null }> {
  const id = headerOf(headers, 'webhook-id') ?? '';
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body);
  const signatures = schemes.flatMap(({ signature, timestamp, isSigned }) => {
    const value = headerOf(headers, signature);
    return value ? [{ value, time: headerOf(headers, timestamp), isSigned }] : [];
  });
  if (signatures.length === 0) throw new WebhookVerificationError('no-signature', 'The request carries no signature.');
  for (const { time } of signatures) requireRecent(time, toleranceSeconds, nowMs);
  const secrets = [secret].flat().filter((each) => each !== '');
  for (const { value, time, isSigned } of signatures) {
    const signed = { id, timestamp: time ?? '', body: bytes };
    for (const each of secrets) {
      if (!(await isSigned(each, value, signed))) continue;
      const deliveryId = headerOf(headers, 'x-service-delivery') ?? (id || null);
      return { deliveryId, event: headerOf(headers, 'x-service-event') };
    }
  }
  throw new WebhookVerificationError('wrong-signature', 'The signature does not fit the body and the secret.');
}

/** The schemes of signatures: the headers of each, and whether a value of its header signs a request. */
const schemes = [
  { signature: 'x-service-signature', timestamp: 'x-service-timestamp', isSigned: isContract },
  { signature: 'webhook-signature', timestamp: 'webhook-timestamp', isSigned: isStandard },
];

/** The headers with which Watchpost signs a request, for tests of a receiver and for forwarded events. */
export async function signWebhook(
  { deliveryId, event, attempt = 1 }: { deliveryId: string; event: string; attempt?: number },
  body: Uint8Array | string,
  secret: string,
  nowMs: number = Date.now(),
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body);
  const contract = await sign(textKey(secret), contractText({ id: deliveryId, timestamp, body: bytes }));
  const standard = await sign(standardKey(secret), standardText({ id: deliveryId, timestamp, body: bytes }));
  return {
    'X-Service-Event': event,
    'X-Service-Delivery': deliveryId,
    'X-Service-Attempt': String(attempt),
    'X-Service-Timestamp': timestamp,
    'X-Service-Signature': `sha256=${hexOf(contract)}`,
    'webhook-id': deliveryId,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${base64Of(standard)}`,
  };
}

function requireRecent(timestamp: string | null, toleranceSeconds: number, nowMs: number): void {
  const isNumber = timestamp !== null && /^\d{1,12}$/.test(timestamp);
  if (isNumber && Math.abs(nowMs / 1000 - Number(timestamp)) <= toleranceSeconds) return;
  const said = isNumber ? `lies more than ${toleranceSeconds} seconds from now` : 'is missing or no number';
  throw new WebhookVerificationError('bad-timestamp', `The timestamp of the request ${said}.`);
}

async function isContract(secret: string, value: string, signed: Signed): Promise<boolean> {
  const hex = /^sha256=([0-9a-f]{64})$/.exec(value)?.[1];
  if (hex === undefined) return false;
  const given = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return isSignature(textKey(secret), given, contractText(signed));
}

/** One valid signature is enough: during a rotation there are two. */
async function isStandard(secret: string, value: string, signed: Signed): Promise<boolean> {
  for (const each of value.split(' ').slice(0, 10)) {
    const text = /^v1,([A-Za-z0-9+/]{43}=)$/.exec(each)?.[1];
    if (text === undefined) continue;
    if (await isSignature(standardKey(secret), bytesOf(text), standardText(signed))) return true;
  }
  return false;
}

const contractText = ({ timestamp, body }: Signed) => joined(`${timestamp}.`, body);
const standardText = ({ id, timestamp, body }: Signed) => joined(`${id}.${timestamp}.`, body);

function joined(head: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const start = new TextEncoder().encode(head);
  const all = new Uint8Array(start.length + body.length);
  all.set(start);
  all.set(body, start.length);
  return all;
}

const textKey = (secret: string) => new TextEncoder().encode(secret);

/**
 * The key of Standard Webhooks: the decoded base64 after `whsec_`, or the bytes of any other secret. Characters that are not base64 are skipped, as
 * the service does.
 */
function standardKey(secret: string): Uint8Array<ArrayBuffer> {
  if (!secret.startsWith('whsec_')) return textKey(secret);
  const [text = ''] = secret.slice('whsec_'.length).split('=');
  const digits = text
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replaceAll(/[^A-Za-z0-9+/]/g, '');
  const bytes = bytesOf(digits.length % 4 === 1 ? digits.slice(0, -1) : digits);
  return bytes.length > 0 ? bytes : textKey(secret);
}

const algorithm = { name: 'HMAC', hash: 'SHA-256' } as const;

async function sign(key: Uint8Array<ArrayBuffer>, text: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const made = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', made, text));
}

/** Uses WebCrypto because it compares in constant time. */
async function isSignature(
  key: Uint8Array<ArrayBuffer>,
  given: Uint8Array<ArrayBuffer>,
  text: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const made = await crypto.subtle.importKey('raw', key, algorithm, false, ['verify']);
  return crypto.subtle.verify('HMAC', made, given, text);
}

const hexOf = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const base64Of = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}

function headerOf(headers: WebhookHeaders, name: string): string | null {
  if (headers instanceof Headers) return headers.get(name);
  const found = Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
  return typeof found === 'string' ? found : (found?.[0] ?? null);
}
