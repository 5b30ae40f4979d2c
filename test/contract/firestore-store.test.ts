import { FieldValue } from '@google-cloud/firestore';
import { describe, expect, test } from 'vitest';
import { missingForEmulators } from '../../local/cloud/emulators.ts';
import { createFirestoreStore, createUncheckedStore } from '../../shared/adapters/firestore/store.ts';
import { backfill } from '../../tools/backfill/backfill.ts';
import { openTestAlert } from '../support/records/alerts.ts';
import { emulatorProjects } from '../support/stores/store-of-run.ts';
import { createTestWorld } from '../support/world/world.ts';
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

  test('a backfill makes records without slices and urgency listable, and may run twice', async () => {
    const client = connect();
    const store = createFirestoreStore(client);
    const world = createTestWorld(store);
    const ids = [await openTestAlert(world), await openTestAlert(world, { code: 'RES_002' })];
    const [old = ''] = ids;
    const none = FieldValue.delete();
    await client.doc(`alerts/${old}`).update({ slice: none, urgency: none, isMaintained: none, respondBy: none });
    const listed = async (orderBy: 'timestamp' | 'urgency') => {
      const found = await store.find({ in: 'alerts', orderBy: [[orderBy, 'asc']], limit: 9 });
      return found.map(({ id }) => id).toSorted();
    };
    expect([await listed('timestamp'), await listed('urgency')]).toEqual([[ids[1]], [ids[1]]]);
    expect(await backfill(client, true)).toMatchObject({ alerts: 1 });
    expect(await backfill(client, false)).toMatchObject({ alerts: 1 });
    expect([await listed('timestamp'), await listed('urgency')]).toEqual([ids.toSorted(), ids.toSorted()]);
    expect(Object.values(await backfill(client, false)).every((count) => count === 0)).toBe(true);
  });

  test('a backfill gives members their present names, and may run twice', async () => {
    const client = connect();
    const store = createFirestoreStore(client);
    const world = createTestWorld(store);
    const id = await openTestAlert(world);
    const kept = (await client.doc(`alerts/${id}`).get()).data() ?? {};
    const [entry] = (await client.collection('audit').get()).docs;
    const written = entry?.data() ?? {};
    const { isMember, ...old } = kept;
    await client.doc(`alerts/${id}`).set({ ...old, isFolded: isMember });
    const incident = { incidentId: 'i-1', outage: null, notifiedTargets: null };
    await client.doc('incidents/i-1').set({ incidentId: 'i-1', outage: null, toldTo: null });
    const { notified, notNotified, ...rest } = written;
    await entry?.ref.set({ ...rest, changes: { isFolded: false }, told: notified, notTold: notNotified });
    expect(await backfill(client, true)).toMatchObject({ alerts: 1, audit: 1 });
    expect(await backfill(client, false)).toMatchObject({ alerts: 1, audit: 1, incidents: 1, devices: 0 });
    expect((await client.doc('incidents/i-1').get()).data()).toEqual(incident);
    expect((await client.doc(`alerts/${id}`).get()).data()).toEqual(kept);
    expect((await entry?.ref.get())?.data()).toEqual({ ...written, changes: { isMember: false } });
    expect(Object.values(await backfill(client, false)).every((count) => count === 0)).toBe(true);
  });
});
