import { randomUUID } from 'node:crypto';
import { Firestore } from '@google-cloud/firestore';
import { afterAll, beforeAll } from 'vitest';
import { type Emulator, startEmulator } from '../../../local/cloud/emulators.ts';
import { createFirestoreStore } from '../../../shared/adapters/firestore/store.ts';
import { createMemoryStore } from '../../../shared/adapters/memory/store.ts';
import type { Store } from '../../../shared/app/ports.ts';
import { freePort } from '../net/free-port.ts';

/** The test project `unit` runs a file on the in-memory store, the project `stack` runs the same file on the emulator. */
const isOnEmulator = process.env['TEST_STORE'] === 'emulator';

/** The suffix of a score row for this store. */
export const onStore = isOnEmulator ? ', on the emulator' : '';

/** A different size if each call goes to an emulator. */
export function sizeOnStore(onTwin: number, onEmulator: number): number {
  return isOnEmulator ? onEmulator : onTwin;
}

/** Empty stores for the tests of one file, of the kind that this run uses. Available from `beforeAll` on. */
export function storesOfRun(): { empty(): Store } {
  let emulator: Emulator | null = null;
  const clients: Firestore[] = [];
  if (isOnEmulator) {
    beforeAll(async () => {
      emulator = await startEmulator('firestore', { port: await freePort() });
      process.env['FIRESTORE_EMULATOR_HOST'] = emulator.host;
    });
    afterAll(async () => {
      await Promise.all(clients.map((client) => client.terminate()));
      await emulator?.stop();
    });
  }
  return {
    empty() {
      if (!isOnEmulator) return createMemoryStore();
      // Each store is a project of its own, because projects are isolated and cost nothing.
      const client = new Firestore({ projectId: `run-${randomUUID().slice(0, 8)}` });
      clients.push(client);
      return createFirestoreStore(client);
    },
  };
}
