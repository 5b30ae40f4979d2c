import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { Frames } from '../../app/ports.ts';
import type { Config, SettingName } from '../../config.ts';
import { readAccessToken } from '../auth/metadata-token.ts';
import { type Signer, signedAddress } from './signed-address.ts';

export const frameSettings = ['framesBucket', 'storageEndpoint'] as const satisfies SettingName[];
type FrameConfig = Config<(typeof frameSettings)[number]>;

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
      return signedAddress(endpoint, { bucket, object }, await signer, new Date());
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

/** A local object store asks for no signature; one is made all the same, so that addresses look as they will. */
async function localSigner(): Promise<Signer> {
  const key: KeyObject = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  return {
    account: 'frames@watchpost.local',
    sign: async (text) => createSign('RSA-SHA256').update(text).sign(key, 'hex'),
  };
}
