import { expect, test } from 'vitest';
import { put } from '../../../../shared/app/commit/commit.ts';
import { sweepAbsent } from '../../../../shared/app/due/sweep-devices.ts';
import { readEvents } from '../../../../shared/app/events/feed.ts';
import { createChangeStream } from '../../../../shared/app/fleet/change-stream.ts';
import { takeMessage } from '../../../../shared/app/intake/take-message.ts';
import { loadRestored, recordRestore, settleRestore } from '../../../../shared/app/restored/restore.ts';
import { patienceOf } from '../../../../shared/domain/device/presence.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { postOf } from '../../../support/notify/post.ts';
import { ana, openTestAlert } from '../../../support/records/alerts.ts';
import { giveWebhook } from '../../../support/records/deliveries.ts';
import { detection } from '../../../support/records/detections.ts';
import { message } from '../../../support/records/reports.ts';
import { savedStore } from '../../../support/stores/saved-store.ts';
import { lateFleet } from '../../../support/world/late-fleet.ts';
import { behind } from '../../../support/world/living-fleet.ts';
import { incidentsOf, notifiedOf } from '../../../support/world/places.ts';
import { intake } from '../../../support/world/ways.ts';
import type { TestWorld } from '../../../support/world/world.ts';

const cameras = behind('a', '1', 12);
const [camera = '', other = ''] = cameras;

const lossesOf = async ({ store }: TestWorld) =>
  (await store.find({ in: 'alerts', limit: 1000 })).flatMap(({ data }) => (data.code === 'CONN_001' ? [data] : []));

type Use = (store: TestWorld['store']) => TestWorld['store'];

/** A fleet whose database is lost: it can be saved, and come back to what was saved while the cameras went on. */
async function fleetWithBackup() {
  const fleet = await lateFleet(cameras);
  const { world } = fleet;
  let saved: { store: TestWorld['store']; asOf: string } | null = null;
  return {
    ...fleet,
    async save() {
      saved = { store: await savedStore(world.store, () => Date.parse(world.now())), asOf: world.now() };
    },
    async restore(use: Use = (store) => store) {
      if (!saved) throw new Error('nothing was saved');
      world.store = use(saved.store);
      await recordRestore(world, saved.asOf);
      return settleRestore(world);
    },
    /** What people were told since the restore, without the notice about it. */
    toldSince(count: number) {
      const told = notifiedOf(world).slice(count);
      return told.toSpliced(told.indexOf('Watchpost: a notice to operations'), 1);
    },
  };
}

test('no camera that reports is declared lost because its reports of the lost time are gone, whatever the length of that time', async () => {
  for (const lostMinutes of [4, 90]) {
    const { world, save, restore, minutes, toldSince } = await fleetWithBackup();
    await save();
    await minutes(lostMinutes);
    const before = notifiedOf(world).length;
    await restore();
    await minutes(30);
    expect(await lossesOf(world)).toEqual([]);
    expect(toldSince(before)).toEqual([]);
    expect((await incidentsOf(world)).map(({ title }) => title)).toEqual(['Watchpost was restored']);
  }
});

test('a camera that died in the lost time is declared once its patience has passed since the restore, and not before', async () => {
  const { world, save, restore, minutes, hush } = await fleetWithBackup();
  await save();
  hush([camera]);
  await minutes(90);
  const { at } = await restore();
  await minutes(7);
  expect(await lossesOf(world)).toEqual([]);
  await minutes(15);
  const [loss, ...others] = await lossesOf(world);
  expect(others).toEqual([]);
  expect(loss?.deviceId).toBe(camera);
  expect((loss?.timestamp ?? '') >= plus(at, 7 * 60_000)).toBe(true);
});

test('a camera of which the broker told the loss shortly before, and that came back in the lost time, is not declared lost', async () => {
  const { world, save, restore, minutes, darken, light } = await fleetWithBackup();
  await darken([camera]);
  await save();
  await light([camera]);
  await minutes(60);
  await restore();
  await minutes(30);
  expect(await lossesOf(world)).toEqual([]);
});

test('a guardian that is heard before its camera does not make a loss true that was told before the saved state', async () => {
  const { world, ways, save, restore, minutes, darken, light } = await fleetWithBackup();
  await darken([camera]);
  await save();
  await light([camera]);
  await minutes(60);
  await restore();
  await ways.say(camera, { kind: 'event', body: { type: 'guardian_blind', timestamp: world.now() } });
  expect(await lossesOf(world)).toEqual([]);
  await minutes(30);
  expect(await lossesOf(world)).toEqual([]);
});

test('nobody is notified of what ended in the lost time: not that it escalates, and not of its end', async () => {
  const { world, save, restore, minutes, darken, light, toldSince } = await fleetWithBackup();
  await darken([camera]);
  await minutes(9);
  expect((await lossesOf(world)).map(({ status }) => status)).toEqual(['active']);
  await save();
  await light([camera]);
  await minutes(60);
  const before = notifiedOf(world).length;
  await restore();
  await minutes(30);
  expect((await lossesOf(world)).map(({ status }) => status)).toEqual(['resolved']);
  expect(toldSince(before)).toEqual([]);
});

test('a camera that reports rarely has its whole patience from the restore on', async () => {
  const { world, ways, save, restore, minutes, hush } = await fleetWithBackup();
  const [stored] = await world.store.get('devices', [camera]);
  if (!stored) throw new Error('there is no such camera');
  const reporting = { periodSeconds: 900 };
  const patience = patienceOf({ groupId: stored.data.groupId, reporting }, {});
  await world.store.commit([put('devices', camera, { ...stored.data, reporting, patience }, stored)]);
  hush([camera]);
  await ways.report(camera);
  await minutes(30);
  expect(await lossesOf(world)).toEqual([]);
  await save();
  await minutes(90);
  await restore();
  await minutes(14);
  expect(await lossesOf(world)).toEqual([]);
  await ways.report(camera);
  await minutes(30);
  expect(await lossesOf(world)).toEqual([]);
});

test('losses that no look had judged are told once their cameras could have reported, and only those that are still true', async () => {
  const { world, ways, save, restore, minutes, darken, light, toldSince } = await fleetWithBackup();
  await darken([camera, other]);
  await minutes(4);
  for (let tries = 0; tries < 60 && (await lossesOf(world)).length < 2; tries += 1) {
    await postOf(world).pass(2);
    await sweepAbsent(world, { horizonAt: world.now() }, plus(world.now(), 60_000));
  }
  expect((await lossesOf(world)).map(({ awaitsLook }) => awaitsLook)).toEqual([true, true]);
  await save();
  await light([camera]);
  await minutes(60);
  const before = notifiedOf(world).length;
  await restore();
  await ways.sweep();
  await minutes(30);
  const told = toldSince(before).join('\n');
  expect(told).toContain('cam-1 offline');
  expect(told).not.toContain('cam-0');
});

test('a response time stands still in the lost time: what is still open escalates with what was left of it', async () => {
  const { world, save, restore, minutes, darken } = await fleetWithBackup();
  await darken([camera]);
  await minutes(9);
  const [open] = await lossesOf(world);
  await save();
  const left = Date.parse(open?.respondBy ?? '') - Date.parse(world.now());
  expect(left).toBeGreaterThan(60_000);
  await minutes(60);
  const { quietUntil } = await restore();
  const [stood] = await lossesOf(world);
  expect(stood?.respondBy).toBe(plus(quietUntil, left));
  await minutes(25);
  expect(
    (await lossesOf(world)).map(({ status, escalatedAt }) => [status, (escalatedAt ?? '') >= plus(quietUntil, left)]),
  ).toEqual([['escalated', true]]);
});

test('messages to people that were due are dismissed and counted, one notice says so, and endpoints get theirs with the same ids', async () => {
  const { world, save, restore, minutes } = await fleetWithBackup();
  await giveWebhook(world, { events: ['alert'] });
  await openTestAlert(world, { deviceId: camera, code: 'SEC_002' });
  await save();
  await minutes(20);
  const { sent } = postOf(world);
  const [first] = sent.filter(({ channel }) => channel === 'webhook');
  const before = sent.length;
  const { dismissed } = await restore();
  const waited = (await world.store.find({ in: 'deliveries', limit: 100 })).map(({ data }) => data);
  const toPeople = waited.filter(({ webhookId }) => webhookId === null);
  expect(toPeople.map(({ status, dismissedReason }) => [status, dismissedReason])).toEqual([['dismissed', 'restored']]);
  expect(dismissed).toBe(1);
  await minutes(10);
  const again = sent.slice(before);
  expect(again.filter(({ channel }) => channel === 'webhook').map(({ delivery }) => delivery.deliveryId)).toContain(
    first?.delivery.deliveryId,
  );
  const notices = again.filter(({ text }) => text.includes('Watchpost was restored'));
  expect(notices.map(({ channel }) => channel)).toEqual(['email']);
  expect(notices[0]?.text).toContain('1 messages to people that were due were not sent');
});

test('a cursor of the feed from before a restore is expired, and a stream that resumes there is told to read everything again', async () => {
  const { world, save, restore, minutes } = await fleetWithBackup();
  await save();
  await minutes(5);
  const { cursor } = await readEvents(world, ana, { after: 'now' }, 100);
  const stream = createChangeStream(world, 100);
  const position = stream.position();
  await minutes(5);
  const { at } = await restore();
  await expect(readEvents(world, ana, { after: cursor }, 100)).rejects.toMatchObject({
    code: 'cursor-expired',
    members: { lostTo: at },
  });
  const heard: string[] = [];
  const leave = await stream.listen(ana, position, (changes) => heard.push(...changes.map(({ event }) => event)));
  leave();
  expect(heard).toEqual(['reset']);
  await minutes(1);
  const later = await readEvents(world, ana, { after: 'now' }, 100);
  await expect(readEvents(world, ana, { after: later.cursor }, 100)).resolves.toBeTruthy();
});

test('sequence numbers go on a million higher, once, also of a device that had none', async () => {
  const { world, save, restore } = await fleetWithBackup();
  await giveWebhook(world, { events: ['detection'], sequenced: true });
  const detect = async (deviceId: string, session: string) => {
    await takeMessage(
      world,
      message('detection', detection(session), { deviceId, messageId: session, publishTime: world.now() }),
      intake,
    );
    const found = await world.store.find({ in: 'deliveries', limit: 1000 });
    return found.find(({ data }) => data.eventId.includes(session))?.data.sequence;
  };
  expect([await detect(camera, 's-1'), await detect(camera, 's-2')]).toEqual([1, 2]);
  await save();
  world.pass(60);
  expect([await detect(camera, 's-3'), await detect(other, 's-4')]).toEqual([3, 1]);
  world.pass(60);
  await restore();
  expect([await detect(camera, 's-5'), await detect(camera, 's-6')]).toEqual([1_000_003, 1_000_004]);
  expect([await detect(other, 's-7'), await detect(other, 's-8')]).toEqual([1_000_001, 1_000_002]);
});

test('killed at each commit and called again, a restore is settled once: clocks stood still once, and each message is counted once', async () => {
  const settled = new Set<string>();
  let kills = 0;
  for (let fatal = 1; fatal <= 24; fatal += 1) {
    const { world, save, restore, minutes, darken } = await fleetWithBackup();
    await darken([camera]);
    await minutes(9);
    await openTestAlert(world, { deviceId: other, code: 'SEC_002' });
    await save();
    await minutes(30);
    kills += await killedAt(world, fatal, restore);
    const [loss] = await lossesOf(world);
    const { quietUntil = '', dismissed } = (await loadRestored(world))?.data ?? {};
    const left = Date.parse(loss?.respondBy ?? '') - Date.parse(quietUntil);
    const notices = await world.store.count({ in: 'notices' });
    settled.add(JSON.stringify({ left, dismissed, notices }));
  }
  expect(kills).toBeGreaterThan(10);
  expect([...settled]).toHaveLength(1);
  expect([...settled][0]).toContain('"dismissed":1');
});

/**
 * Restores; the process dies at one commit, of the even ones before it takes effect, of the others after, and a minute later the restore is called again.
 * @returns whether it died
 */
async function killedAt(world: TestWorld, fatal: number, restore: (use: Use) => Promise<unknown>): Promise<number> {
  let commits = 0;
  const dying: Use = (store) => ({
    ...store,
    commit: async (writes) => {
      commits += 1;
      if (commits !== Math.ceil(fatal / 2)) return store.commit(writes);
      if (fatal % 2 === 1) await store.commit(writes);
      throw new Error('killed');
    },
  });
  try {
    await restore(dying);
    return 0;
  } catch (error) {
    expect(String(error)).toContain('killed');
    world.pass(60);
    await restore(dying);
    return 1;
  }
}
