import type { TestProject } from 'vitest/node';
import { missingForEmulators, startEmulator } from '../../../local/cloud/emulators.ts';
import { freePort } from '../net/free-port.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Null: the emulators are not installed. */
    firestoreHost: string | null;
  }
}

/**
 * Starts the Firestore emulator that all files of the test project `stack` share, each with projects of its own: they are isolated and cost nothing.
 * An emulator for each file would take a tenth of the CPU of all tests.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const emulator = missingForEmulators() === null ? await startEmulator('firestore', { port: await freePort() }) : null;
  project.provide('firestoreHost', emulator?.host ?? null);
  return async () => emulator?.stop();
}
