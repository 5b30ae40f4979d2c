import { randomUUID } from 'node:crypto';
import type { Firestore } from '@google-cloud/firestore';
import { afterAll, inject } from 'vitest';
import { createFirestoreStore } from '../../../shared/adapters/firestore/store.ts';
import { createMemoryStore } from '../../../shared/adapters/memory/store.ts';
import type { Store } from '../../../shared/app/ports.ts';
import { connectEmulator } from './emulator-client.ts';

/** The test project `unit` runs a file on the in-memory store, the project `stack` runs the same file on the emulator. */
const isOnEmulator = process.env['TEST_STORE'] === 'emulator';

/** The suffix of a score row for this store. */
export const onStore = isOnEmulator ? ', on the emulator' : '';

/** A different size if each call goes to an emulator. */
export function sizeOnStore(onTwin: number, onEmulator: number): number {
  return isOnEmulator ? onEmulator : onTwin;
}

/** Empty stores for the tests of one file, of the kind that this run uses. */
export function storesOfRun(): { empty(): Store } {
  if (!isOnEmulator) return { empty: () => createMemoryStore() };
  const connect = emulatorProjects();
  return { empty: () => createFirestoreStore(connect()) };
}

/** Clients for the tests of one file, each of an empty project of the emulator that the files of `stack` share. */
export function emulatorProjects(): (projectId?: string) => Firestore {
  const clients: Firestore[] = [];
  afterAll(() => Promise.all(clients.map((client) => client.terminate())));
  return (projectId = `run-${randomUUID().slice(0, 8)}`) => {
    const client = connectEmulator({ projectId, firestoreHost: inject('firestoreHost') });
    clients.push(client);
    return client;
  };
}
