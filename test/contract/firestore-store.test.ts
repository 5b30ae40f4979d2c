import { describe, expect, test } from 'vitest';
import { missingForEmulators } from '../../local/cloud/emulators.ts';
import { createFirestoreStore, createUncheckedStore } from '../../shared/adapters/firestore/store.ts';
import { emulatorProjects } from '../support/stores/store-of-run.ts';
import { prepare, refusals } from './refusals.ts';
import { describeStore } from './store-suite.ts';

const missing = missingForEmulators();
/** How long a commit may take to become visible on the emulator, milliseconds: of one writer, and of eight at once while other files keep it busy. */
const heldBackMs = { alone: 1500, crowded: 8000 };
if (missing && process.env['CI'] === 'true') throw new Error(`${missing} is missing.`);

describe.skipIf(missing)('Firestore', () => {
  // Each test has a project of its own.
  const connect = emulatorProjects();
  describeStore(async () => createFirestoreStore(connect(), heldBackMs.alone), {
    events: 160,
    emptyForWriters: async () => createFirestoreStore(connect(), heldBackMs.crowded),
  });

  // Our own checks run before the client. Without them, this is what the client and the emulator refuse and what they accept.
  test('the client and the emulator refuse what our list of refusals says', async () => {
    const wrong: string[] = [];
    const read = createUncheckedStore(connect());
    // The client retries a refused read for 7 seconds, so all run concurrently, and each write has a project of its own.
    await Promise.all(
      refusals.map(async ({ what, alone, ask }) => {
        const store = / read|query/.test(what) ? read : createUncheckedStore(connect());
        if (store !== read) await prepare(store);
        const does = await ask(store).then(
          () => 'takes',
          () => 'refuses',
        );
        if (does !== alone) wrong.push(`${does} ${what}`);
      }),
    );
    expect(wrong).toEqual([]);
  });
});
