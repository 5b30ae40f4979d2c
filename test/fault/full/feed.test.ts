import { randomUUID } from 'node:crypto';
import { Firestore } from '@google-cloud/firestore';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../../local/cloud/emulators.ts';
import { createFirestoreStore } from '../../../shared/adapters/firestore/store.ts';
import { proveOrder } from '../../support/feed/readers.ts';
import { freePort } from '../../support/net/free-port.ts';

let emulator: Emulator;
let client: Firestore;
beforeAll(async () => {
  emulator = await startEmulator('firestore', { port: await freePort(), heapGib: 10 });
  process.env['FIRESTORE_EMULATOR_HOST'] = emulator.host;
  client = new Firestore({ projectId: `feed-${randomUUID().slice(0, 8)}` });
});
afterAll(async () => {
  await client?.terminate();
  await emulator?.stop();
});

test('10,000 events by 8 writers at once: three readers that are killed and resume miss none and see one order', {
  timeout: 3_000_000,
}, async () => {
  const startedAt = Date.now();
  const outcome = await proveOrder(createFirestoreStore(client, 200), {
    events: 10_000,
    writers: 8,
    readers: 3,
    everyMs: 5000,
  });
  console.log(`10,000 events in ${((Date.now() - startedAt) / 1000).toFixed(1)} s: ${JSON.stringify(outcome)}`);
  expect(outcome).toMatchObject({ missed: 0, outOfOrder: 0, changedPages: 0 });
  expect(outcome.kills).toBeGreaterThan(5);
});
