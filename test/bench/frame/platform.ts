import { randomUUID } from 'node:crypto';
import type { Firestore } from '@google-cloud/firestore';
import { missingForEmulators, startEmulator } from '../../../local/cloud/emulators.ts';
import { startTasks } from '../../../local/cloud/tasks/server.ts';
import { defaultQueueSettings } from '../../../local/cloud/tasks/settings.ts';
import { createFirestoreStore } from '../../../shared/adapters/firestore/store.ts';
import type { Kind, Records, Store, Write } from '../../../shared/app/ports.ts';
import { freePort } from '../../support/net/free-port.ts';
import { connectEmulator } from '../../support/stores/emulator-client.ts';
import { issuerSetting, startTestIssuer } from '../../support/world/issuer.ts';
import { dataKeys } from '../../support/world/secret-box.ts';

/** What functions need beside them: Google's Firestore emulator, a stand-in of Cloud Tasks that answers, and an issuer of tokens. */
export type Platform = {
  issuer: Awaited<ReturnType<typeof startTestIssuer>>;
  /** An empty project: the settings of a function in it, its records, and its client, which the caller must not terminate. */
  newProject(): { environment: Record<string, string>; store: Store; db: Firestore };
  /** The header of a caller that private functions accept. */
  callerHeaders(): Promise<Record<string, string>>;
  stop(): Promise<void>;
};

const mostProjects = 24;
const caller = 'caller@bench.example';

/** Uses the emulator that the environment names, for example that of a test run, and else starts one. */
export async function startPlatform(): Promise<Platform> {
  const host = process.env['FIRESTORE_EMULATOR_HOST'];
  const missing = host ? null : missingForEmulators();
  if (missing) throw new Error(`${missing} is missing`);
  const emulator = host ? { host, stop: async () => {} } : await startEmulator('firestore', { port: await freePort() });
  const issuer = await startTestIssuer('ES256');
  const run = randomUUID().slice(0, 8);
  const projects = Array.from({ length: mostProjects }, (_, index) => `bench-${run}-${index}`);
  const queues = Object.fromEntries(projects.flatMap(queuesOf).map((name) => [name, defaultQueueSettings]));
  const tasks = await startTasks({ port: 0, issuer: issuer.url, queues, journalFile: null });
  const clients: Firestore[] = [];
  return {
    issuer,
    newProject() {
      const projectId = projects.pop();
      if (projectId === undefined) throw new Error(`a bench has at most ${mostProjects} projects`);
      const db = connectEmulator({ projectId, firestoreHost: emulator.host });
      clients.push(db);
      const environment = {
        ...settingsOf(issuer.url),
        GOOGLE_CLOUD_PROJECT: projectId,
        FIRESTORE_EMULATOR_HOST: emulator.host,
        TASKS_ENDPOINT: `127.0.0.1:${tasks.port}`,
      };
      return { environment, store: createFirestoreStore(db), db };
    },
    callerHeaders: async () => ({
      authorization: `Bearer ${await issuer.token({ email: caller, email_verified: true, ...inAnHour() })}`,
      'content-type': 'application/json',
    }),
    async stop() {
      await Promise.all(clients.map((client) => client.terminate()));
      // In this order, because tasks that are due ask the issuer for tokens.
      await tasks.stop();
      await issuer.stop();
      await emulator.stop();
    },
  };
}

/** Claims of a token that outlives a bench. */
export function inAnHour(): { exp: number } {
  return { exp: Math.floor(Date.now() / 1000) + 3600 };
}

/** Writes the records of a twin's snapshot into other stores, without those that were copied before. */
export async function copyRecords(snapshot: string, stores: readonly Store[], copied: Set<string>): Promise<void> {
  const { tables } = JSON.parse(snapshot) as { tables: [Kind, [string, Records[Kind]][]][] };
  const writes = tables.flatMap(([kind, rows]) =>
    rows.flatMap(([id, data]) =>
      copied.has(`${kind}/${id}`) ? [] : ({ kind: 'create', in: kind, id, data } as Write),
    ),
  );
  for (const write of writes) copied.add(`${write.in}/${write.id}`);
  for (let first = 0; first < writes.length; first += 200) {
    await Promise.all(stores.map((store) => store.commit(writes.slice(first, first + 200))));
  }
}

function queuesOf(projectId: string): string[] {
  const parent = `projects/${projectId}/locations/europe-west1/queues`;
  return ['deadlines', 'deliveries'].flatMap((name) => [0, 1, 2, 3].map((number) => `${parent}/${name}-${number}`));
}

/** Settings of every function, at whose addresses nothing listens but an issuer. */
export function settingsOf(issuer: string): Record<string, string> {
  return {
    ENVIRONMENT: 'local',
    // What is due later is of no interest.
    DEADLINE_URL: 'http://127.0.0.1:9',
    DELIVER_URL: 'http://127.0.0.1:9',
    MQTT_URL: 'mqtt://127.0.0.1:9',
    TASKS_ENDPOINT: '127.0.0.1:9',
    TASKS_ACCOUNT: caller,
    CALLER_ISSUER: issuer,
    CALLER_KEYS_URL: `${issuer}/jwks`,
    CALLER_AUDIENCE: 'watchpost',
    CALLERS: caller,
    AUTH_ISSUERS: issuerSetting({ issuer }),
    // One bearer sends all requests.
    REQUESTS_PER_MINUTE: '1000000',
    PAGE_TOKEN_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
    DATA_KEYS: dataKeys.map(({ id, key }) => `${id}:${key.toString('base64')}`).join(),
    CONSOLE_URL: 'https://console.example.com',
    FRAMES_BUCKET: 'frames',
    EGRESS_RANGES: '[]',
  };
}
