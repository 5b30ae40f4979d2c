import { beforeEach, describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../../../shared/adapters/memory/store.ts';
import { actOnAlert } from '../../../../shared/app/alerts/actions.ts';
import type { Bearer } from '../../../../shared/app/bearer.ts';
import { importDevices } from '../../../../shared/app/devices/import.ts';
import { handleDue } from '../../../../shared/app/due/due.ts';
import { sweep } from '../../../../shared/app/due/sweep.ts';
import { takeDeadLetter, takeMessage } from '../../../../shared/app/intake/take-message.ts';
import { eraseDevice, startErasure } from '../../../../shared/app/jobs/erasure.ts';
import { getJob } from '../../../../shared/app/jobs/jobs.ts';
import { createWindow } from '../../../../shared/app/maintenance/windows.ts';
import type { Store } from '../../../../shared/app/ports.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { ana, giveTeam, uuidOf } from '../../../support/records/alerts.ts';
import { giveWebhook } from '../../../support/records/deliveries.ts';
import { detection } from '../../../support/records/detections.ts';
import { allRecords } from '../../../support/records/records.ts';
import { message } from '../../../support/records/reports.ts';
import { createFaultyStore, storeErrors } from '../../../support/stores/faulty-store.ts';
import { frameBucket, frames } from '../../../support/world/frames.ts';
import { createTestWorld, startOfTests, type TestWorld } from '../../../support/world/world.ts';

const admin: Bearer = { subject: 'user:admin', scopes: new Set(['settings:write']), groups: null };
const bob: Bearer = { ...ana, subject: 'user:bob' };
const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
const jobId = uuidOf(1);
const mark = 'Kitchen of the Smiths';
const aDay = { startsAt: startOfTests, endsAt: plus(startOfTests, 86_400_000) };
const framesOfBoth = ['cam-1', 'cam-2', 'cam-10'].flatMap((deviceId) =>
  Array.from({ length: 250 }, (_unused, n) => `${deviceId}/2026-11-20/${n}.jpg`),
);
let world: TestWorld & { frames: ReturnType<typeof frameBucket> };
beforeEach(async () => {
  world = await livedIn();
});

/** Two cameras with records of many kinds: `cam-1` is to be erased, `cam-2` stays. */
async function livedIn(store: Store = createMemoryStore()) {
  const made = { ...createTestWorld(store), frames: frameBucket(...framesOfBoth) };
  await giveTeam(made, 'operations', { emails: ['bob@example.com', 'ops@example.com'], phones: ['+46701234567'] });
  await giveWebhook(made, { events: ['alert', 'detection', 'guardian'] });
  await importDevices(
    made,
    ana,
    { devices: ['cam-1', 'cam-2'].map((deviceId) => ({ deviceId, groupId: 'north', name: `${mark} ${deviceId}` })) },
    false,
  );
  for (const deviceId of ['cam-1', 'cam-2']) {
    made.pass(10);
    const at = (messageId: string) => ({ deviceId, messageId: `${deviceId} ${messageId}`, publishTime: made.now() });
    await takeMessage(made, message('status', { memory: { usedPercent: 95 } }, at('status')), intake);
    for (let n = 0; n < 3; n += 1)
      await takeMessage(made, message('detection', detection(`s-${n}`), at(`d-${n}`)), intake);
    await takeDeadLetter(made, message('status', Buffer.from(`{"${mark}`), at('bad')), intake);
  }
  for (const { data } of await made.store.find({ in: 'alerts', limit: 9 })) {
    await actOnAlert(made, bob, data.alertId, { kind: 'acknowledge', comment: 'My own words' }, null);
  }
  return made;
}

/** Ids of the records that hold a text, as `kind id`. */
async function holding(text: string, store: Store = world.store): Promise<string[]> {
  const found = await allRecords(store);
  return found.flatMap((each) => (each.includes(text) ? [each.split(' ').slice(0, 2).join(' ')] : []));
}

/** The records that contain a lower-case text in upper or lower case. */
async function holdingAny(text: string): Promise<string[]> {
  return (await allRecords(world.store)).filter((each) => each.toLowerCase().includes(text));
}

async function finish(of: TestWorld = world, id = jobId): Promise<void> {
  for (let tries = 0; tries < 30; tries += 1) {
    of.pass(120);
    await handleDue(of, 'jobs', id).catch(() => undefined);
    if ((await getJob(of, admin, id)).status === 'done') return;
  }
  throw new Error('the erasure did not end');
}

describe('a device', () => {
  test('leaves nothing but its id, and that it was erased; another device keeps all', async () => {
    const others = await holding('cam-2');
    await eraseDevice(world, admin, 'cam-1', jobId);
    await finish();
    expect((await holding('cam-1')).filter((each) => !each.startsWith('quarantineBudgets'))).toEqual([
      'tombstones cam-1',
    ]);
    expect(await holding(`${mark} cam-1`)).toEqual([]);
    expect(await holding('cam-2')).toEqual(expect.arrayContaining(others));
    expect(await getJob(world, admin, jobId)).toMatchObject({ kind: 'erase', status: 'done', createdBy: 'user:admin' });
    const [job] = await world.store.get('jobs', [jobId]);
    expect(job?.data.work).toEqual({ kind: 'erase', about: null });
    expect([...world.frames.objects]).toEqual(framesOfBoth.filter((object) => !object.startsWith('cam-1/')));
  });

  test('whose filters and scopes named it fit nothing in its place, and summaries show no alert of it', async () => {
    await createWindow(world, admin, { ...aDay, name: 'Lens of cam-1', scope: { devices: ['cam-1'] } }, uuidOf(7));
    const hook = await giveWebhook(world, { events: ['alert'], filter: { devices: ['cam-1', 'cam-2'] } });
    await sweep(world);
    expect((await holding('cam-1')).map((each) => each.split(' ')[0])).toContain('fleetSummaries');
    await eraseDevice(world, admin, 'cam-1', jobId);
    await finish();
    expect((await holding('cam-1')).filter((each) => !each.startsWith('quarantineBudgets'))).toEqual([
      'tombstones cam-1',
    ]);
    const { webhooks, windows } = await world.store.getMany({ webhooks: [hook], windows: [uuidOf(7)] });
    expect(webhooks[0]?.data.filter).toEqual({ devices: ['erased-device', 'cam-2'] });
    expect(windows[0]?.data).toMatchObject({ name: 'Lens of erased-device', scope: { devices: ['erased-device'] } });
  });

  test('whose frames cannot be erased now keeps its job going, and nothing says that it is done', async () => {
    const { erase } = world.frames;
    world.frames.erase = async () => {
      throw new Error('the bucket answered 503');
    };
    await eraseDevice(world, admin, 'cam-1', jobId);
    world.pass(3600);
    await expect(handleDue(world, 'jobs', jobId)).rejects.toThrow('503');
    expect(await getJob(world, admin, jobId)).toMatchObject({ status: 'running' });
    world.frames.erase = erase;
    await finish();
    expect([...world.frames.objects].filter((object) => object.startsWith('cam-1/'))).toEqual([]);
  });

  test('does not come back by what it goes on to say, in whatever form, and does by a person', async () => {
    await eraseDevice(world, admin, 'cam-1', jobId);
    await finish();
    const kept = await holding('cam-1');
    const say = (kind: string, body: unknown, n: number) =>
      takeMessage(
        world,
        message(kind, body, { deviceId: 'cam-1', messageId: `late-${n}`, publishTime: world.now() }),
        intake,
      );
    world.pass(3600);
    await say('status', { memory: { usedPercent: 99 } }, 1);
    await say('connection', { status: 'online', connectedAt: world.now() }, 2);
    await say('detection', detection('late'), 3);
    await say('status', { memory: mark }, 4);
    await say('event', { type: 'restarted', timestamp: world.now() }, 5);
    await takeDeadLetter(
      world,
      message('status', {}, { deviceId: 'cam-1', messageId: 'late-6', publishTime: world.now() }),
      intake,
    );
    expect(await holding('cam-1')).toEqual(kept);
    expect(world.lines.filter(({ event }) => event === 'message.of-erased').length).toBeGreaterThan(0);
    const { results } = await importDevices(world, ana, { devices: [{ deviceId: 'cam-1', groupId: 'north' }] }, false);
    expect(results).toMatchObject([{ outcome: 'created' }]);
    await say('status', { memory: { usedPercent: 20 } }, 7);
    const [device] = await world.store.get('devices', ['cam-1']);
    expect(device?.data).toMatchObject({ name: 'cam-1', isOnline: true });
  });

  test('can be erased once more, also when it was only decommissioned before', async () => {
    await eraseDevice(world, admin, 'cam-1', jobId);
    await eraseDevice(world, admin, 'cam-1', uuidOf(2));
    await finish();
    await finish(world, uuidOf(2));
    await expect(eraseDevice(world, admin, 'cam-9', uuidOf(3))).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe('a person', () => {
  const person = { subject: 'user:bob', emails: ['bob@example.com'], phones: ['+46701234567'] };

  test('is named nowhere any more, what he did stays, and so do others', async () => {
    expect((await holding('user:bob')).length).toBeGreaterThan(3);
    expect((await holding('bob@example.com')).length).toBeGreaterThan(3);
    await startErasure(world, admin, { person }, { jobId, alias: 'a1b2c3d4' });
    await finish();
    expect(await holding('bob')).toEqual([]);
    expect(await holding('46701234567')).toEqual([]);
    expect(await holding('My own words')).toEqual([]);
    const [alert] = await world.store.find({ in: 'alerts', limit: 1 });
    expect(alert?.data).toMatchObject({ status: 'acknowledged', acknowledgedBy: 'erased:a1b2c3d4' });
    const [team] = await world.store.get('teams', ['operations']);
    expect(team?.data).toMatchObject({ emails: ['ops@example.com'], phones: [] });
    expect((await holding('ops@example.com')).length).toBeGreaterThan(1);
  });

  test('who is among the people of a team and in texts of others is named nowhere either, and what the job does not reach is said', async () => {
    const people = [
      { personId: 'bob', name: 'Bob Berg', email: 'bob@example.com' },
      { personId: 'eve', name: 'Eve', email: 'eve@example.com' },
    ];
    await giveTeam(world, 'night', { people });
    const [alert] = await world.store.find({ in: 'alerts', limit: 1 });
    await actOnAlert(world, ana, alert?.id ?? '', { kind: 'add-note', text: 'Bob Berg ("Bobby") has the key' }, null);
    await createWindow(world, bob, { ...aDay, name: 'Asked by Bob Berg', scope: { groups: ['north'] } }, uuidOf(7));
    await startErasure(world, admin, { person: { ...person, names: ['Bob Berg', '"Bobby"'] } }, { jobId, alias: 'x1' });
    await finish();
    for (const name of ['bob', 'berg']) expect(await holdingAny(name)).toEqual([]);
    const [team] = await world.store.get('teams', ['night']);
    expect(team?.data.people).toEqual([people[1]]);
    const entries = await world.store.find({ in: 'audit', limit: 50 });
    expect(entries.map(({ data }) => data.why)).toContain('erased:x1 (erased:x1) has the key');
    const { copies } = await getJob(world, admin, jobId);
    expect(copies?.map(({ copy }) => copy)).toEqual([
      'point-in-time-recovery',
      'backups',
      'logs',
      'exports',
      'hourly-exports',
    ]);
  });

  test('who is on duty is not erased before somebody takes the place, and one who comes on duty meanwhile is counted', async () => {
    const people = [{ personId: 'bob', name: 'Bob', email: 'Bob@example.com' }];
    const handover = { weekday: 'mon', time: '08:00' } as const;
    const rotation = { people: ['bob'], handover, timeZone: 'UTC' };
    await giveTeam(world, 'night', { people, rotations: [rotation] });
    await expect(startErasure(world, admin, { person }, { jobId, alias: 'x' })).rejects.toMatchObject({
      code: 'invalid-transition',
      members: { teams: ['night'] },
    });
    await giveTeam(world, 'night', {});
    await startErasure(world, admin, { person }, { jobId, alias: 'x' });
    await giveTeam(world, 'night', { people, rotations: [rotation] });
    await finish();
    expect(await getJob(world, admin, jobId)).toMatchObject({ status: 'done', refused: 1 });
  });

  test('whose name is the beginning of another is not taken for him', async () => {
    await startErasure(
      world,
      admin,
      { person: { subject: 'user:bo', emails: ['ob@example.com'] } },
      { jobId, alias: 'x' },
    );
    await finish();
    expect((await holding('user:bob')).length).toBeGreaterThan(3);
    expect((await holding('bob@example.com')).length).toBeGreaterThan(3);
  });

  test.each([[{}], [{ person: {} }], [{ deviceId: 'cam-1', person }]])('%j names nobody', async (request) => {
    await expect(startErasure(world, admin, request, { jobId, alias: 'x' })).rejects.toMatchObject({
      code: 'invalid-request',
    });
  });
});

test.each([
  [{ ...admin, groups: ['north'] }, 'limited-to-groups'],
  [{ ...admin, scopes: new Set(['devices:write'] as const) }, 'forbidden'],
])('only who may change settings of all groups erases: %#', async (bearer, code) => {
  await expect(eraseDevice(world, bearer, 'cam-1', jobId)).rejects.toMatchObject({ code });
  expect(await world.store.get('jobs', [jobId])).toEqual([null]);
});

test('killed at every call of the store, before and after its effect, it ends with nothing left', async () => {
  for (const when of ['before', 'after'] as const) {
    for (let call = 0; call < 80; call += when === 'before' ? 2 : 3) {
      const store = createMemoryStore();
      let left = Number.POSITIVE_INFINITY;
      const faulty = createFaultyStore(store, () => {
        left -= 1;
        return left === 0 ? { when, error: storeErrors.UNAVAILABLE } : null;
      });
      const killed = { ...(await livedIn(store)), store: faulty };
      await eraseDevice(killed, admin, 'cam-1', jobId);
      left = call + 1;
      killed.pass(1201);
      await handleDue(killed, 'jobs', jobId).catch(() => undefined);
      left = Number.POSITIVE_INFINITY;
      for (let sweeps = 0; sweeps < 3; sweeps += 1) {
        killed.pass(180);
        await sweep(killed);
      }
      expect([when, call, (await getJob(killed, admin, jobId)).status]).toEqual([when, call, 'done']);
      expect((await holding('cam-1', store)).filter((each) => !each.startsWith('quarantineBudgets'))).toEqual([
        'tombstones cam-1',
      ]);
    }
  }
});
