import { randomUUID } from 'node:crypto';
import { Firestore } from '@google-cloud/firestore';
import { afterAll, beforeAll } from 'vitest';
import { type Emulator, startEmulator } from '../../../local/cloud/emulators.ts';
import { createFirestoreStore } from '../../../shared/adapters/firestore/store.ts';
import { createMemoryStore } from '../../../shared/adapters/memory/store.ts';
import type { Store } from '../../../shared/app/ports.ts';
import { freePort } from '../net/free-port.ts';

/** The project `unit` runs a file on the twin, the project `stack` the same file on the emulator. */
const isOnEmulator = process.env['TEST_STORE'] === 'emulator';

/** What the row of a score says of where it ran. */
export const onStore = isOnEmulator ? ', on the emulator' : '';

/** Another size where each call goes to an emulator. */
export function sizeOnStore(onTwin: number, onEmulator: number): number {
  return isOnEmulator ? onEmulator : onTwin;
}

/** Stores of the kind that the run is about, each empty, for the tests of one file: from `beforeAll` on. */
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
      // Projects are isolated and free.
      const client = new Firestore({ projectId: `run-${randomUUID().slice(0, 8)}` });
      clients.push(client);
      return createFirestoreStore(client);
    },
  };
}
