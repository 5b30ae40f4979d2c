import type { Firestore } from '@google-cloud/firestore';
import type { Check } from '../app/readiness.ts';
import type { Config } from '../config.ts';
import type { CheckName } from '../domain/readiness.ts';

type ChecksConfig = Config<
  | 'projectId'
  | 'store'
  | 'firestoreDatabase'
  | 'mqttUrl'
  | 'framesBucket'
  | 'storageEndpoint'
  | 'authIssuer'
  | 'authKeysUrl'
>;

/** The four readiness checks of the contract, each against the real dependency. */
export function createChecks(config: ChecksConfig): Record<CheckName, Check> {
  return {
    database: databaseCheck(config),
    mqtt: (signal) => connectMqtt(config.mqttUrl, signal),
    storage: storageCheck(config),
    auth: (signal) => readKeySet(config, signal),
  };
}

/** Reads one document that need not exist: connection and read access. */
function databaseCheck({ store, projectId, firestoreDatabase: databaseId }: ChecksConfig): Check {
  if (store === 'memory') return async () => {};
  let db: Promise<Firestore> | null = null;
  return async () => {
    db ??= import('@google-cloud/firestore').then(({ Firestore }) => new Firestore({ projectId, databaseId }));
    await (await db).collection('settings').doc('readiness').get();
  };
}

async function connectMqtt(url: string, signal: AbortSignal): Promise<void> {
  const { connect } = await import('mqtt');
  const client = connect(url, {
    reconnectPeriod: 0,
    connectTimeout: 2000,
    clientId: `probe-${process.pid}-${Date.now() % 1e6}`,
  });
  try {
    await new Promise<void>((resolve, reject) => {
      client.once('connect', () => resolve());
      client.once('error', reject);
      client.once('close', () => reject(new Error('closed before it was connected')));
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  } finally {
    client.end(true);
  }
}

function storageCheck({ projectId, framesBucket, storageEndpoint }: ChecksConfig): Check {
  return async () => {
    const { Storage } = await import('@google-cloud/storage');
    const storage = new Storage({
      projectId,
      retryOptions: { autoRetry: false },
      ...(storageEndpoint ? { apiEndpoint: storageEndpoint } : {}),
    });
    await storage.bucket(framesBucket).getMetadata();
  };
}

async function readKeySet({ authIssuer, authKeysUrl }: ChecksConfig, signal: AbortSignal): Promise<void> {
  const url = authKeysUrl ?? (await discovered(authIssuer, signal));
  const keySet = (await fetchJson(url, signal)) as { keys?: unknown[] };
  if (!Array.isArray(keySet.keys) || keySet.keys.length === 0) throw new Error('the key set holds no key');
}

async function discovered(issuer: string, signal: AbortSignal): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { jwks_uri: uri } = (await fetchJson(url, signal)) as { jwks_uri?: string };
  if (!uri) throw new Error('the discovery document names no key set');
  return uri;
}

async function fetchJson(url: string, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(url, { signal });
  if (!response.ok) throw new Error(`answered ${response.status}`);
  return response.json();
}
