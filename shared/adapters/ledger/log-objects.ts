import type { Ledger, LogObjects } from '../../app/ledger/objects.ts';
import type { Config, SettingName } from '../../config.ts';
import { noteKeyOf } from '../../domain/ledger/note.ts';
import { readAccessToken } from '../auth/metadata-token.ts';
import { createWitness } from './witness.ts';

/** Settings for reading the log; writing it also needs the keys. */
export const logSettings = ['ledgerBucket', 'storageEndpoint'] as const satisfies SettingName[];
export const ledgerSettings = [
  ...logSettings,
  'ledgerOrigin',
  'ledgerKeys',
  'ledgerWitnesses',
] as const satisfies SettingName[];
type LogConfig = Config<(typeof logSettings)[number]>;

const callMs = 5000;

/** The ledger according to the settings. Null: none is configured. */
export function createLedger(config: Config<(typeof ledgerSettings)[number]>): Ledger | null {
  const { ledgerOrigin: origin, ledgerKeys } = config;
  const objects = createLogObjects(config);
  if (!objects || ledgerKeys.length === 0) return null;
  const keys = ledgerKeys.map(({ key }) => noteKeyOf(origin, key));
  return { objects, origin, keys, witnesses: config.ledgerWitnesses.map(createWitness) };
}

/** The objects of the log in Cloud Storage, by its JSON API with the function's own account. Null: no bucket is set. */
export function createLogObjects({ ledgerBucket: bucket, storageEndpoint }: LogConfig): LogObjects | null {
  if (bucket === null) return null;
  const endpoint = (storageEndpoint ?? 'https://storage.googleapis.com').replace(/\/$/, '');
  const send = async (path: string, init: RequestInit): Promise<Response> => {
    const signal = AbortSignal.timeout(callMs);
    const headers = storageEndpoint ? {} : { Authorization: `Bearer ${await readAccessToken(signal)}` };
    return fetch(`${endpoint}${path}`, { ...init, headers: { ...headers, ...init.headers }, signal });
  };
  return {
    async read(name) {
      const path = `/storage/v1/b/${encodeURIComponent(bucket)}/o/${encodeURIComponent(name)}?alt=media`;
      const response = await send(path, {});
      if (response.status === 404) return null;
      if (!response.ok) throw new Error(`reading ${name} of the ledger was answered ${response.status}`);
      const generation = response.headers.get('X-Goog-Generation');
      if (generation === null) throw new Error(`reading ${name} of the ledger gave no generation`);
      return { bytes: new Uint8Array(await response.arrayBuffer()), generation };
    },
    async write(name, bytes, generation) {
      const query = new URLSearchParams({ uploadType: 'media', name, ifGenerationMatch: generation ?? '0' });
      const response = await send(`/upload/storage/v1/b/${encodeURIComponent(bucket)}/o?${query}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/octet-stream' },
        body: Buffer.from(bytes),
      });
      if (response.status === 412) return false;
      if (!response.ok) throw new Error(`writing ${name} of the ledger was answered ${response.status}`);
      return true;
    },
  };
}
