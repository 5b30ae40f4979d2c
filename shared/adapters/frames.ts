import { createHash, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { Frames } from '../app/ports.ts';
import type { Config, SettingName } from '../config.ts';
import { readAccessToken } from './metadata-token.ts';

export const frameSettings = ['framesBucket', 'storageEndpoint'] as const satisfies SettingName[];
type FrameConfig = Config<(typeof frameSettings)[number]>;

/** Whose signature an address carries, and how it is had. */
type Signer = { account: string; sign(text: string): Promise<string> };

/** Longest time that Cloud Storage lets a signed address live. */
const expiresSeconds = 7 * 24 * 60 * 60;
const algorithm = 'GOOG4-RSA-SHA256';
const callMs = 5000;
const accountAddress = 'http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/email';

/** Signs addresses of captured frames (Cloud Storage V4, reading only) with the key of the function's own service account, which never leaves the platform. */
export function createFrames({ framesBucket: bucket, storageEndpoint }: FrameConfig): Frames {
  const endpoint = new URL(storageEndpoint ?? 'https://storage.googleapis.com');
  let signer: Promise<Signer> | null = null;
  return {
    bucket,
    async sign(object) {
      signer ??= storageEndpoint ? localSigner() : platformSigner();
      signer.catch(() => {
        signer = null;
      });
      return signedAddress(
        endpoint,
        `/${bucket}/${object.split('/').map(encoded).join('/')}`,
        await signer,
        new Date(),
      );
    },
  };
}

/** The steps of "V4 signing process" in Cloud Storage's documentation: canonical request, text to sign, signature behind the query. */
async function signedAddress(endpoint: URL, path: string, { account, sign }: Signer, at: Date): Promise<string> {
  const timestamp = at.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const scope = `${timestamp.slice(0, 8)}/auto/storage/goog4_request`;
  const query = [
    ['X-Goog-Algorithm', algorithm],
    ['X-Goog-Credential', `${account}/${scope}`],
    ['X-Goog-Date', timestamp],
    ['X-Goog-Expires', String(expiresSeconds)],
    ['X-Goog-SignedHeaders', 'host'],
  ]
    .map(([name = '', value = '']) => `${name}=${encoded(value)}`)
    .join('&');
  const request = ['GET', path, query, `host:${endpoint.host}`, '', 'host', 'UNSIGNED-PAYLOAD'].join('\n');
  const digest = createHash('sha256').update(request).digest('hex');
  const signature = await sign([algorithm, timestamp, scope, digest].join('\n'));
  return `${endpoint.origin}${path}?${query}&X-Goog-Signature=${signature}`;
}

/** RFC 3986: everything but unreserved characters. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

async function platformSigner(): Promise<Signer> {
  const headers = { 'Metadata-Flavor': 'Google' };
  const response = await fetch(accountAddress, { headers, signal: AbortSignal.timeout(callMs) });
  if (!response.ok) throw new Error(`the metadata server answered ${response.status}`);
  const account = (await response.text()).trim();
  return { account, sign: (text) => signBlob(account, text) };
}

async function signBlob(account: string, text: string): Promise<string> {
  const signal = AbortSignal.timeout(callMs);
  const token = await readAccessToken(signal);
  const address = `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${account}:signBlob`;
  const response = await fetch(address, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ payload: Buffer.from(text).toString('base64') }),
    signal,
  });
  if (!response.ok) throw new Error(`signing a frame's address was answered ${response.status}`);
  const { signedBlob } = (await response.json()) as { signedBlob: string };
  return Buffer.from(signedBlob, 'base64').toString('hex');
}

/** A local object store asks for no signature; one is made all the same, so that addresses look as they will. */
async function localSigner(): Promise<Signer> {
  const key: KeyObject = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  return {
    account: 'frames@watchpost.local',
    sign: async (text) => createSign('RSA-SHA256').update(text).sign(key, 'hex'),
  };
}
