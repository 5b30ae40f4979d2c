import { expect, test } from 'vitest';
import { handleDue } from '../../../../shared/app/due/due.ts';
import { sweep } from '../../../../shared/app/due/sweep.ts';
import { startErasure } from '../../../../shared/app/jobs/erasure.ts';
import { proveDevice } from '../../../../shared/app/ledger/proof.ts';
import { takeCanary } from '../../../../shared/app/sight/take-canary.ts';
import { type NoteKey, noteKeyOf, readCheckpoint, verifierKey } from '../../../../shared/domain/ledger/note.ts';
import type { ProofBundle } from '../../../../shared/schema/ledger/ledger.ts';
import { type Case, verdictsOf } from '../../../support/ledger/log.ts';
import { createTestObjects, origin } from '../../../support/ledger/objects.ts';
import { ana, uuidOf } from '../../../support/records/alerts.ts';
import { frameBucket } from '../../../support/world/frames.ts';
import { at, createTimeline, minute } from '../../../support/world/timeline.ts';
import { seal } from '../../../support/world/ways.ts';
import { createTestWorld, startOfTests } from '../../../support/world/world.ts';

const [old, fresh] = [noteKeyOf(origin, Buffer.alloc(32, 1)), noteKeyOf(origin, Buffer.alloc(32, 2))];
const admin = { ...ana, scopes: new Set(['settings:write', 'alerts:read'] as const), groups: null };

/** Two cameras that report every minute, and a ledger that is signed with the keys that `ledger.keys` holds at the time. */
function begin() {
  const world = { ...createTestWorld(), frames: frameBucket() };
  const life = createTimeline(world);
  const ledger: { objects: ReturnType<typeof createTestObjects>; origin: string; keys: NoteKey[] } = {
    ...{ objects: createTestObjects(), origin },
    keys: [old],
  };
  const sender = { send: async (_canary: unknown, body: string) => takeCanary(world, Buffer.from(body), seal) };
  const livesUntil = async (seconds: number, cameras = ['cam-1', 'cam-2']) => {
    const from = (Date.parse(world.now()) - Date.parse(startOfTests)) / 1000;
    for (let now = from + minute; now <= seconds; now += minute) {
      for (const deviceId of cameras) await life.says(now, 'status', { groupId: 'north' }, { deviceId });
      await sweep(world, { seal, senders: { ingest: sender, broker: sender } }, ledger);
    }
  };
  const prove = (deviceId: string, until: number, since = 0) =>
    proveDevice(world, ledger.objects, admin, { deviceId, from: at(minute), to: at(until), since });
  /** The proof up to a time, once it is recorded. */
  const recorded = async (deviceId: string, until: number, since = 0, cameras?: string[]) => {
    await livesUntil(until + 4 * minute, cameras);
    await prove(deviceId, until).catch(() => null);
    await livesUntil(until + 6 * minute, cameras);
    return prove(deviceId, until, since);
  };
  return { world, ledger, livesUntil, prove, recorded };
}

const judged = async (bundle: ProofBundle, key: NoteKey, known: Case['known'] = null) => {
  const { from, to } = bundle;
  const [given] = await verdictsOf([{ text: JSON.stringify(bundle), from, to, keys: [verifierKey(key)], known }]);
  return given?.verdict;
};
const known = ({ checkpoint }: ProofBundle) => {
  const { size, root, at: time } = readCheckpoint(checkpoint);
  return { size, root: root.toString('base64'), at: time };
};

test('a key is rotated by adding one in front and taking the old one away, and the log goes on', async () => {
  const { ledger, livesUntil, recorded } = begin();
  await livesUntil(10 * minute);
  const first = await recorded('cam-1', 9 * minute);
  expect([await judged(first, old), await judged(first, fresh)]).toEqual(['proven', 'not']);
  ledger.keys = [fresh, old];
  const both = await recorded('cam-1', 20 * minute, known(first).size);
  expect([await judged(both, old, known(first)), await judged(both, fresh, known(first))]).toEqual([
    'proven',
    'proven',
  ]);
  ledger.keys = [fresh];
  const last = await recorded('cam-1', 30 * minute, known(both).size);
  expect([await judged(last, old, known(both)), await judged(last, fresh, known(both))]).toEqual(['not', 'proven']);
});

test('an erasure takes the entries of a camera and their key, and leaves every other proof as it was', async () => {
  const { world, ledger, livesUntil, prove, recorded } = begin();
  await livesUntil(10 * minute);
  const gone = await recorded('cam-1', 9 * minute);
  const jobId = uuidOf(1);
  await startErasure(world, admin, { deviceId: 'cam-1' }, { jobId, alias: 'x' });
  await livesUntil(40 * minute, ['cam-2']);
  await handleDue(world, 'jobs', jobId);
  for (const kind of ['ledgerEntries', 'ledgerHeads'] as const) {
    const found = await world.store.find({ in: kind, limit: 100 });
    expect(found.filter(({ data }) => data.deviceId === 'cam-1')).toEqual([]);
  }
  const { entries } = await prove('cam-1', 9 * minute);
  expect(entries).toEqual([]);
  // A proof that was issued stays valid, and the log that it belongs to continues.
  expect(await judged(gone, old)).toBe('proven');
  const other = await recorded('cam-2', 50 * minute, known(gone).size, ['cam-2']);
  expect(await judged(other, old, known(gone))).toBe('proven');
  // The bucket contains only hashes.
  for (const { name, bytes } of ledger.objects.written) if (name !== 'checkpoint') expect(bytes.length % 32).toBe(0);
  expect(Buffer.concat(ledger.objects.written.map(({ bytes }) => bytes)).includes('cam-1')).toBe(false);
});
