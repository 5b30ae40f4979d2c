import { randomUUID } from 'node:crypto';
import { Firestore } from '@google-cloud/firestore';
import { afterAll, beforeAll, describe } from 'vitest';
import { type Emulator, missingForEmulators, startEmulator } from '../../local/cloud/emulators.ts';
import { createFirestoreStore } from '../../shared/adapters/firestore/store.ts';
import { freePort } from '../support/net/free-port.ts';
import { describeStore } from './store-suite.ts';

const missing = missingForEmulators();
if (missing && process.env['CI'] === 'true') throw new Error(`${missing} is missing.`);

describe.skipIf(missing)('Firestore', () => {
  let emulator: Emulator;
  const clients: Firestore[] = [];

  beforeAll(async () => {
    emulator = await startEmulator('firestore', { port: await freePort() });
    process.env['FIRESTORE_EMULATOR_HOST'] = emulator.host;
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.terminate()));
    await emulator?.stop();
  });

  // Projects are isolated and free: one for each test.
  describeStore(async () => {
    const client = new Firestore({ projectId: `test-${randomUUID().slice(0, 8)}` });
    clients.push(client);
    return createFirestoreStore(client);
  });
});
