import { type Check, CheckFault, checkLimitMs } from '../../app/probe/readiness.ts';
import type { Config } from '../../config.ts';
import type { CheckName } from '../../domain/probe/readiness.ts';
import type { Issuer } from '../../settings-issuers.ts';
import { readAccessToken } from '../auth/metadata-token.ts';
import { clock } from '../clock.ts';
import { connectOnce } from '../mqtt/connect.ts';

type ChecksConfig = Config<
  | 'projectId'
  | 'store'
  | 'firestoreDatabase'
  | 'firestoreEmulator'
  | 'mqttUrl'
  | 'framesBucket'
  | 'storageEndpoint'
  | 'authIssuers'
>;

/**
 * The four readiness checks of the contract, each against the real dependency. They use REST and plain MQTT, because the client libraries
 * would be nine tenths of this function and most of its cold start.
 */
export function createChecks(config: ChecksConfig): Record<CheckName, Check> {
  return {
    database: config.store === 'memory' ? async () => {} : (signal) => queryDatabase(config, signal),
    mqtt: (signal) => visitBroker(config, signal),
    storage: (signal) => readBucket(config, signal),
    auth: (signal) => readKeySets(config, signal),
  };
}

/** An expired certificate is named: everybody who connects sees it, and only its owner can mend it. */
async function visitBroker({ mqttUrl }: ChecksConfig, signal: AbortSignal): Promise<void> {
  try {
    await connectOnce(mqttUrl, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'CERT_HAS_EXPIRED') throw error;
    throw new CheckFault("the broker's certificate has expired: renew it and reload the broker", { cause: error });
  }
}

/** Reads one document of a collection that may be empty, which shows connection and read access. */
async function queryDatabase(
  { projectId, firestoreDatabase, firestoreEmulator }: ChecksConfig,
  signal: AbortSignal,
): Promise<void> {
  const askedMs = clock.elapsedMs();
  const base = firestoreEmulator ? `http://${firestoreEmulator}` : 'https://firestore.googleapis.com';
  const response = await fetch(`${base}/v1/projects/${projectId}/databases/${firestoreDatabase}/documents:runQuery`, {
    method: 'POST',
    signal,
    headers: {
      Authorization: `Bearer ${await tokenFor(firestoreEmulator, signal)}`,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ structuredQuery: { from: [{ collectionId: 'settings' }], limit: 1 } }),
  });
  if (!response.ok) throw new Error(`answered ${response.status}`);
  const [answer] = (await response.json()) as { readTime?: string }[];
  if (answer?.readTime) clock.hear('store', Date.parse(answer.readTime), askedMs);
}

async function readBucket({ framesBucket, storageEndpoint }: ChecksConfig, signal: AbortSignal): Promise<void> {
  const base = storageEndpoint ?? 'https://storage.googleapis.com';
  const url = `${base}/storage/v1/b/${encodeURIComponent(framesBucket)}?fields=name`;
  const response = await fetch(url, {
    signal,
    headers: { Authorization: `Bearer ${await tokenFor(storageEndpoint, signal)}` },
  });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`answered ${response.status}`);
}

/** Asks every issuer. One that does not answer is named, in time to be named instead of the limit of the whole check. */
async function readKeySets({ authIssuers }: ChecksConfig, signal: AbortSignal): Promise<void> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(checkLimitMs - 100)]);
  await Promise.all(
    authIssuers.map(async (issuer) => {
      try {
        await readKeySet(issuer, inTime);
      } catch (error) {
        throw new CheckFault(`issuer ${issuer.name} does not answer as it should`, { cause: error });
      }
    }),
  );
}

async function readKeySet({ issuer, keysUrl }: Issuer, signal: AbortSignal): Promise<void> {
  const { keys } = (await readJson(keysUrl ?? (await discovered(issuer, signal)), signal)) as { keys?: unknown[] };
  if (!Array.isArray(keys) || keys.length === 0) throw new Error('the key set holds no key');
}

async function discovered(issuer: string, signal: AbortSignal): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { jwks_uri: uri } = (await readJson(url, signal)) as { jwks_uri?: string };
  if (!uri) throw new Error('the discovery document names no key set');
  return uri;
}

/** Local stand-ins accept any token. The Firestore emulator needs this one to bypass its rules. */
function tokenFor(localEndpoint: string | null, signal: AbortSignal): Promise<string> | string {
  return localEndpoint ? 'owner' : readAccessToken(signal);
}

async function readJson(url: string, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(url, { signal });
  if (!response.ok) throw new Error(`answered ${response.status}`);
  return response.json();
}
