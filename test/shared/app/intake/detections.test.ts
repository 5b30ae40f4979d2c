import { expect, test } from 'vitest';
import { handleDue } from '../../../../shared/app/due/due.ts';
import { sweep } from '../../../../shared/app/due/sweep.ts';
import { takeMessage } from '../../../../shared/app/intake/take-message.ts';
import {
  detectionDeliveryIdOf,
  detectionIdOf,
  publicationOf,
} from '../../../../shared/domain/delivery/webhook-events.ts';
import { faultsOf } from '../../../../shared/schema/validate.ts';
import { endpoint, sentDeliveries } from '../../../support/records/deliveries.ts';
import { detection } from '../../../support/records/detections.ts';
import { message } from '../../../support/records/reports.ts';
import { createFaultyStore, storeErrors } from '../../../support/stores/faulty-store.ts';
import { frames } from '../../../support/world/frames.ts';
import { createTestWorld, startOfTests, type TestWorld } from '../../../support/world/world.ts';

const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
const webhookId = (n: number) => `22222222-2222-4222-8222-${String(n).padStart(12, '0')}`;

async function worldWith(endpoints: number, given: Parameters<typeof endpoint>[0] = {}): Promise<TestWorld> {
  const world = createTestWorld();
  for (let n = 0; n < endpoints; n += 1) {
    const id = webhookId(n);
    await world.store.commit([{ kind: 'create', in: 'webhooks', id, data: endpoint({ webhookId: id, ...given }) }]);
  }
  return world;
}
const deliveriesOf = async ({ store }: TestWorld) => sentDeliveries(store);
const detectionsOf = async ({ store }: TestWorld) =>
  (await store.find({ in: 'detections', limit: 5000 })).map(({ data }) => data);

test('a detection reaches the contract’s shape, completed from the device’s record', async () => {
  const world = await worldWith(1);
  await takeMessage(world, message('status', { name: 'Dörr', groupId: 'north' }), intake);
  const report = detection('session-1', { timestamp: '2026-11-20T11:00:00+01:00' });
  await takeMessage(world, message('detection', report), intake);
  const [delivery] = await deliveriesOf(world);
  const payload = JSON.parse(delivery?.body ?? '');
  expect(faultsOf('Detection', payload)).toEqual([]);
  expect(payload).toEqual({
    ...report,
    eventType: 'detection',
    version: '1.0',
    timestamp: '2026-11-20T10:00:00.000Z',
    device: { id: 'cam-1', name: 'Dörr', groupId: 'north' },
  });
  expect(delivery).toMatchObject({
    eventType: 'detection',
    eventId: 'session-1',
    status: 'pending',
    dueAt: world.now(),
  });
  expect(world.wakes.filter((wake) => wake.in === 'deliveries')).toMatchObject([{ id: delivery?.deliveryId }]);
});

test('the group is the record’s, not what a camera claims', async () => {
  const world = await worldWith(1, { filter: { groups: ['south'] } });
  await takeMessage(world, message('status', { groupId: 'north' }), intake);
  await takeMessage(world, message('detection', detection('s', { device: { groupId: 'south' } })), intake);
  expect((await detectionsOf(world)).map(({ groupId }) => groupId)).toEqual(['north']);
  expect(await deliveriesOf(world)).toEqual([]);
});

test.each([
  [{ imageUrl: 'gs://frames/cam-1/a/b 1.jpg' }, 'https://frames.test/cam-1/a/b 1.jpg?signed'],
  [{ imageUrl: undefined, frame: 'cam-1/c.jpg' }, 'https://frames.test/cam-1/c.jpg?signed'],
  [{ imageUrl: 'gs://other-bucket/a.jpg' }, 'gs://other-bucket/a.jpg'],
  [{ imageUrl: 'https://elsewhere.example.com/a.jpg' }, 'https://elsewhere.example.com/a.jpg'],
])('an image %j is sent as %s', async (given, imageUrl) => {
  const world = await worldWith(1);
  await takeMessage(world, message('detection', { ...detection('s'), ...given }), intake);
  const [delivery] = await deliveriesOf(world);
  expect(JSON.parse(delivery?.body ?? '').imageUrl).toBe(imageUrl);
});

test.each([
  'c.jpg',
  'cam-2/c.jpg',
  'cam-1',
  'cam-1/',
  'cam-1/../cam-2/c.jpg',
  'cam-1/./c.jpg',
  'cam-1//c.jpg',
  '/cam-1/c.jpg',
  'cam-11/c.jpg',
])("the frame %s is not the camera's own: it is put away and never signed", async (frame) => {
  const world = await worldWith(1);
  for (const image of [{ imageUrl: undefined, frame }, { imageUrl: `gs://frames/${frame}` }])
    await takeMessage(world, message('detection', { ...detection(`s ${frame}`), ...image }), intake);
  expect(await detectionsOf(world)).toEqual([]);
  const put = await world.store.find({ in: 'quarantine', limit: 5 });
  expect(put.map(({ data }) => data.reason)).toEqual(['foreign-device', 'foreign-device']);
});

test('a detection that shows no image is put away with the reason', async () => {
  const world = await worldWith(1);
  await takeMessage(world, message('detection', { ...detection('s'), imageUrl: undefined }), intake);
  expect(await detectionsOf(world)).toEqual([]);
  expect(await world.store.count({ in: 'quarantine' })).toBe(1);
});

test('one session ten times, at once and later, is one detection and one delivery per endpoint', async () => {
  const world = await worldWith(3);
  const send = () => takeMessage(world, message('detection', detection('session-1')), intake);
  await Promise.all(Array.from({ length: 9 }, send));
  world.pass(3600);
  await send();
  expect(await detectionsOf(world)).toHaveLength(1);
  expect((await deliveriesOf(world)).map(({ deliveryId }) => deliveryId).toSorted()).toEqual(
    [0, 1, 2].map((n) => detectionDeliveryIdOf(webhookId(n), 'cam-1', 'session-1')).toSorted(),
  );
});

test("a camera that repeats another's session ids takes nothing away from it, whoever comes first", async () => {
  const world = await worldWith(2);
  for (const deviceId of ['cam-evil', 'cam-1', 'cam-evil', 'cam-1'])
    await takeMessage(world, message('detection', detection('session-1'), { deviceId }), intake);
  expect((await detectionsOf(world)).map(({ deviceId }) => deviceId).toSorted()).toEqual(['cam-1', 'cam-evil']);
  const sent = (await deliveriesOf(world)).map(({ deviceId, targetName }) => `${deviceId} ${targetName}`);
  expect(sent.toSorted()).toEqual(['cam-1', 'cam-evil'].flatMap((id) => [0, 1].map((n) => `${id} ${webhookId(n)}`)));
  const bodies = (await deliveriesOf(world)).map(({ deviceId, body }) => [deviceId, JSON.parse(body).device.id]);
  expect(bodies.every(([owner, notified]) => owner === notified)).toBe(true);
});

test('a session id may hold what the name of a record may not', async () => {
  const world = await worldWith(1);
  const ids = ['a/b', '..', '__x__', 'ü€', 'x'.repeat(256)];
  for (const id of ids) await takeMessage(world, message('detection', detection(id)), intake);
  expect((await detectionsOf(world)).map(({ sessionId }) => sessionId).toSorted()).toEqual(ids.toSorted());
});

test('a new endpoint counts for the next detection, one that is disabled holds it', async () => {
  const world = await worldWith(1);
  await takeMessage(world, message('detection', detection('s-1')), intake);
  const id = webhookId(7);
  await world.store.commit([
    { kind: 'create', in: 'webhooks', id, data: endpoint({ webhookId: id, isEnabled: false }) },
    { kind: 'create', in: 'revisions', id: 'configuration', data: { count: 1 } },
  ]);
  await takeMessage(world, message('detection', detection('s-2')), intake);
  const made = (await deliveriesOf(world)).map(({ eventId, status }) => [eventId, status]);
  expect(made.toSorted()).toEqual([
    ['s-1', 'pending'],
    ['s-2', 'held'],
    ['s-2', 'pending'],
  ]);
});

test('more endpoints than one commit holds are all served, whichever commit a fault cuts off', async () => {
  for (const failing of [0, 1, 2, 3, 4]) {
    for (const when of ['before', 'after'] as const) {
      const world = await worldWith(900);
      let commits = -1;
      const store = createFaultyStore(world.store, (_, name) => {
        if (name !== 'commit') return null;
        commits += 1;
        return commits === failing ? { when, error: storeErrors.UNAVAILABLE } : null;
      });
      const each = message('detection', detection('s'));
      const isCutOff = await attempt(() => takeMessage({ ...world, store }, each, intake));
      if (isCutOff) await takeMessage(world, each, intake);
      const [fanOut] = await world.store.find({ in: 'fanOuts', limit: 10 });
      expect([failing, fanOut?.data.count]).toEqual([failing, 900]);
      await attempt(async () => void (await handleDue({ ...world, store }, 'fanOuts', fanOut?.id ?? '')));
      world.pass(600);
      await sweep(world);
      expect(await detectionsOf(world)).toHaveLength(1);
      expect(await deliveriesOf(world)).toHaveLength(900);
      expect(await world.store.count({ in: 'fanOuts' })).toBe(0);
    }
  }
});

/** True if the call failed because the store was unavailable. */
async function attempt(act: () => Promise<void>): Promise<boolean> {
  try {
    await act();
    return false;
  } catch (error) {
    expect(String(error)).toContain('UNAVAILABLE');
    return true;
  }
}

test('a detection that comes again after it was forgotten is kept anew and sent no second time', async () => {
  const world = await worldWith(3);
  const each = message('detection', detection('s'));
  await takeMessage(world, each, intake);
  const [kept] = await world.store.find({ in: 'detections', limit: 1 });
  if (!kept) throw new Error('not kept');
  await world.store.commit([{ kind: 'delete', in: 'detections', id: kept.id, revision: kept.revision }]);
  await takeMessage(world, each, intake);
  expect(await detectionsOf(world)).toHaveLength(1);
  expect(await deliveriesOf(world)).toHaveLength(3);
});

test('an alert and a guardian alert reach those who ask for them, in the payloads of their kinds', () => {
  const configuration = {
    webhooks: [
      endpoint({ webhookId: webhookId(1), events: ['alert'] }),
      endpoint({ webhookId: webhookId(2), events: ['guardian'], filter: { groups: ['north'], objects: ['person'] } }),
      endpoint({ webhookId: webhookId(3), events: ['alert', 'guardian'], filter: { groups: ['south'] } }),
    ],
    settings: { timeZone: 'UTC', businessHours: [], schedules: {} },
  };
  const at = startOfTests;
  const alert = { alertId: 'a-1', deviceId: 'cam-1', groupId: 'north', code: 'RES_001' } as never;
  const alerts = publicationOf(
    { kind: 'alert', change: 'opened', alert, tags: {}, version: 3, member: 'none', at },
    configuration,
    at,
  );
  expect(alerts.deliveries.map((each) => [each.webhookId, each.eventId, each.body])).toEqual([
    [webhookId(1), 'a-1:3', ''],
  ]);
  expect(alerts.events.map(({ recordId, body }) => [recordId, JSON.parse(body)])).toEqual([
    [alerts.deliveries[0]?.recordId, { eventType: 'alert', version: '1.0', timestamp: at, change: 'opened', alert }],
  ]);
  const text = '{ "alertCode": "CONFIG_DRIFT", "big": 12345678901234567890 }';
  const said = { alertCode: 'CONFIG_DRIFT', severity: 'warning', camera: { site: null, tags: {} } } as const;
  const guardian = {
    kind: 'guardian',
    guardianAlertId: 'g-1',
    ...said,
    deviceId: 'cam-1',
    groupId: 'north',
    at,
    text,
  } as const;
  const made = publicationOf(guardian, configuration, at);
  expect(made.deliveries.map((each) => [each.webhookId, each.recordId])).toEqual([
    [webhookId(2), made.events[0]?.recordId],
  ]);
  expect(made.events.map(({ body }) => body)).toEqual([
    `{"eventType":"guardian","version":"1.0","timestamp":"${at}","deviceId":"cam-1","guardianAlert":${text}}`,
  ]);
});

test('ids of detections and deliveries follow from what they are about', () => {
  expect(detectionIdOf('d', 's')).toBe(detectionIdOf('d', 's'));
  expect(detectionIdOf('d', 's')).not.toBe(detectionIdOf('d2', 's'));
  const ids = [
    detectionDeliveryIdOf('w', 'd', 's'),
    detectionDeliveryIdOf('w', 'd2', 's'),
    detectionDeliveryIdOf('a","b', 'c', 'd'),
    detectionDeliveryIdOf('a', 'b","c', 'd'),
  ];
  expect(new Set(ids).size).toBe(4);
});

const together = (world: TestWorld, messages: ReturnType<typeof message>[]) =>
  Promise.all(messages.map((each) => takeMessage(world, each, intake)));

test.each([2, 3, 5])(
  '%i detections of one moment are all kept, each with its delivery, though they make the same device',
  async (n) => {
    const world = await worldWith(2);
    const sessions = Array.from({ length: n }, (_, index) => `s-${index}`);
    await together(
      world,
      sessions.map((id) => message('detection', detection(id))),
    );
    expect((await detectionsOf(world)).map(({ sessionId }) => sessionId).sort()).toEqual(sessions);
    expect(await deliveriesOf(world)).toHaveLength(2 * n);
  },
);
