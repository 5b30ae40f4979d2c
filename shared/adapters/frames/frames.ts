import { createHmac } from 'node:crypto';
import type { Frames } from '../../app/ports.ts';
import type { Config, SettingName } from '../../config.ts';
import { readAccessToken } from '../auth/metadata-token.ts';
import { type Permit, reading, type Signer, signedAddress } from './signed-address.ts';

export const frameSettings = ['framesBucket', 'storageEndpoint'] as const satisfies SettingName[];
type FrameConfig = Config<(typeof frameSettings)[number]>;

/** Largest frame that may be uploaded, and how long an upload address is valid. */
const mostFrameBytes = 10 * 1024 * 1024;
const uploadSeconds = 15 * 60;
const callMs = 5000;
const accountAddress = 'http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/email';

/**
 * Signs addresses of captured frames (Cloud Storage V4, read only) with the key of the function's own service account, which never leaves
 * the platform.
 */
export function createFrames({ framesBucket: bucket, storageEndpoint }: FrameConfig): Frames {
  const endpoint = new URL(storageEndpoint ?? 'https://storage.googleapis.com');
  let signer: Promise<Signer> | null = null;
  const sign = async (object: string, at: Date, permit: Permit) => {
    signer ??= storageEndpoint ? Promise.resolve(localSigner) : platformSigner();
    signer.catch(() => {
      signer = null;
    });
    return signedAddress(endpoint, { bucket, object }, await signer, at, permit);
  };
  return {
    bucket,
    sign: (object) => sign(object, new Date(), reading),
    async signUpload(object, contentType) {
      const headers = {
        'content-type': contentType,
        'x-goog-content-length-range': `0,${mostFrameBytes}`,
        // No object can be overwritten, so an address is good for one frame.
        'x-goog-if-generation-match': '0',
      };
      const at = new Date();
      const url = await sign(object, at, { method: 'PUT', expiresSeconds: uploadSeconds, headers });
      return { url, headers, expiresAt: new Date(at.getTime() + uploadSeconds * 1000).toISOString() };
    },
  };
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

/** The local object store knows this key and accepts only addresses that it signed. */
const localSigner: Signer = {
  account: 'frames@watchpost.local',
  sign: async (text) => localSignature(text),
};

/** The signature for all local services on this machine. */
export function localSignature(text: string): string {
  return createHmac('sha256', 'watchpost-local-storage').update(text).digest('hex');
}
