import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Bucket, Storage } from '@google-cloud/storage';
import { onTestFinished, vi } from 'vitest';
import { startStorage } from '../../../local/cloud/storage/server.ts';
import type { Signer } from '../../../local/cloud/storage/signed.ts';
import { createFrames } from '../../../shared/adapters/frames/frames.ts';
import type { Frames } from '../../../shared/app/ports.ts';

/** Until the test ends, Google's clients in this process use a new account with its own key. */
export function actAsAccount(email = 'functions@watchpost.test'): Signer {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-account-'));
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const file = join(folder, 'account.json');
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
  writeFileSync(file, JSON.stringify({ type: 'service_account', client_email: email, private_key: key }));
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', file);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  return { email, publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString() };
}

type LocalFrames = { endpoint: string; frames: Frames; bucket: Bucket };

/** Until the test ends, runs the local object store with the bucket `frames`. Returns the service's adapter and Google's own client for it. */
export async function startFrames(): Promise<LocalFrames> {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-frames-'));
  const service = await startStorage({ port: 0, folder, buckets: ['frames'], signer: actAsAccount() });
  onTestFinished(async () => {
    await service.stop();
    rmSync(folder, { recursive: true });
  });
  const endpoint = `http://127.0.0.1:${service.port}`;
  const frames = createFrames({ framesBucket: 'frames', storageEndpoint: endpoint, projectId: 'p' });
  const storage = new Storage({ projectId: 'p', apiEndpoint: endpoint, retryOptions: { autoRetry: false } });
  return { endpoint, frames, bucket: storage.bucket('frames') };
}
