import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMemoryStore } from '../../../../shared/adapters/memory/store.ts';
import { giveTeam } from '../../../support/records/alerts.ts';
import { countingStore } from '../../../support/stores/counting-store.ts';
import { startTestApi } from '../../../support/world/api.ts';
import { answerWakes } from '../../../support/world/living-fleet.ts';
import { incidentsOf, notifiedOf } from '../../../support/world/places.ts';
import { createWays, names, openAlerts } from '../../../support/world/ways.ts';
import { createTestWorld, type TestWorld } from '../../../support/world/world.ts';

type Firmware = { model?: string; firmware?: string; latencyMs?: unknown; groupId?: string };
const good: Firmware = { model: 'P1465', firmware: '11.8', latencyMs: 20 };
const bad: Firmware = { ...good, firmware: '11.9', latencyMs: -1 };

/** A fleet whose cameras report every minute in the way of their firmware, followed by a sweep. */
async function createFleet(world: TestWorld = createTestWorld()) {
  const ways = createWays(world);
  await giveTeam(world, 'operations', { emails: ['ops@example.com'], phones: ['+46700000001'] });
  const report = (deviceId: string, { latencyMs, ...body }: Firmware) =>
    ways.say(deviceId, { kind: 'status', body: { groupId: 'north', ...body, mqtt: { latencyMs } } });
  const live = async (minutes: number, cameras: Record<string, Firmware>) => {
    for (let passed = 0; passed < minutes; passed += 1) {
      world.pass(60);
      for (const [deviceId, firmware] of Object.entries(cameras)) await report(deviceId, firmware);
      await ways.sweep();
      await answerWakes(world);
    }
  };
  return { world, ways, live, report };
}

const all = (cameras: readonly string[], firmware: Firmware | ((index: number) => Firmware)) =>
  Object.fromEntries(cameras.map((id, index) => [id, typeof firmware === 'function' ? firmware(index) : firmware]));

test('a new firmware whose latency cannot be read, on five cameras, is one WARNING that names model, firmware, member and reason', async () => {
  const { world, live } = await createFleet();
  const others = all(names(5, 'other'), good);
  await live(4, { ...all(names(5), good), ...others });
  await live(3, { ...all(names(4), bad), ...others });
  expect(await incidentsOf(world)).toEqual([]);
  await live(4, { ...all(names(5), bad), ...others });
  expect(await incidentsOf(world)).toMatchObject([
    {
      kind: 'unreadable',
      severity: 'WARNING',
      status: 'active',
      groups: ['north'],
      scope: { kind: 'firmware', id: 'P1465 11.9' },
      title: 'Reports cannot be read in part: P1465, firmware 11.9',
      message: expect.stringContaining('5 cameras (P1465, firmware 11.9)'),
      evidence: [expect.stringContaining('/mqtt/latencyMs must be >= 0')],
      members: { now: 5, peak: 5, back: 0 },
      endedAt: null,
    },
  ]);
  // The readable sections count: the cameras are alive, and no alert is open.
  expect(await openAlerts(world)).toEqual([]);
});

test('it is announced by mail a minute later, by SMS as the settings have it for a WARNING, and its end once', async () => {
  const { world, live } = await createFleet();
  await live(1, all(names(6), bad));
  await live(6, all(names(6), bad));
  expect(await notifiedOf(world)).toEqual(['[WARNING] Reports cannot be read in part: P1465, firmware 11.9']);
  await live(80, all(names(6), { ...good, firmware: '11.10' }));
  expect((await notifiedOf(world)).slice(1)).toEqual([
    '[WARNING] Reports cannot be read in part: P1465, firmware 11.9: over',
  ]);
  const channels = (await world.store.find({ in: 'deliveries', limit: 100 })).map(({ data }) => data.channel);
  expect(new Set(channels)).toEqual(new Set(['email']));
  expect(await incidentsOf(world)).toMatchObject([
    { status: 'resolved', resolution: 'automatic', endedAt: expect.any(String), members: { now: 0, peak: 6, back: 6 } },
  ]);
});

test('while cameras go on like that it is one incident, not one an hour; who joins is counted', async () => {
  const { world, live } = await createFleet();
  await live(130, all(names(5), bad));
  await live(70, all(names(8), bad));
  expect(await incidentsOf(world)).toMatchObject([{ endedAt: null, members: { now: 8, peak: 8, back: 0 } }]);
});

const nearly: [what: string, firmware: (index: number) => Firmware, cameras: number][] = [
  ['four', () => bad, 4],
  ['five of two firmwares', (index) => ({ ...bad, firmware: index < 3 ? '11.9' : '11.7' }), 5],
  ['five of two models', (index) => ({ ...bad, model: index < 3 ? 'P1465' : 'Q6135' }), 5],
  ['five with two reasons', (index) => ({ ...bad, latencyMs: index < 3 ? -1 : 'x' }), 5],
];
test.each(nearly)('%s are none', async (_what, firmware, cameras) => {
  const { world, live } = await createFleet();
  await live(8, all(names(cameras), firmware));
  expect(await incidentsOf(world)).toEqual([]);
});

test('five in the course of hours, each with one bad report, are none', async () => {
  const { world, live, report } = await createFleet();
  const cameras = names(6);
  for (const camera of cameras) {
    await report(camera, bad);
    await live(16, all(cameras, { ...good, firmware: '11.9' }));
  }
  expect(await incidentsOf(world)).toEqual([]);
});

test('one camera that tells any number of faults hides none that five tell', async () => {
  const { world, live } = await createFleet();
  const sections = ['name', 'serial', 'ip', 'uptimeSeconds', 'memory', 'storage', 'certificate', 'auth'];
  const noisy = { ...bad, firmware: 'x', ...Object.fromEntries(sections.map((section) => [section, ['?']])) };
  await live(4, { ...all(names(4, 'noisy'), (index) => ({ ...noisy, model: `m${index}` })), ...all(names(5), bad) });
  expect(await incidentsOf(world)).toMatchObject([{ scope: { id: 'P1465 11.9' } }]);
});

test('while nothing comes through, nothing of it is said to be over', async () => {
  const { world, ways, live } = await createFleet();
  await live(6, all(names(5), bad));
  ways.state.ingest = false;
  await live(100, all(names(5), bad));
  const found = (await incidentsOf(world)).filter(({ kind }) => kind === 'unreadable');
  expect(found).toMatchObject([{ endedAt: null, members: { now: 5 } }]);
});

test('resolved by hand it stays so while it lasts, and ends without another word', async () => {
  const { world, live } = await createFleet();
  const api = await startTestApi(world);
  await live(6, all(names(5), bad));
  const [incident] = (await api.call('GET', '/v1/incidents')).body.incidents;
  expect((await api.call('POST', `/v1/incidents/${incident.incidentId}/resolve`)).status).toBe(200);
  await live(70, all(names(5), bad));
  await live(80, all(names(5), good));
  expect(await incidentsOf(world)).toMatchObject([{ resolution: 'manual', endedAt: expect.any(String) }]);
  expect((await notifiedOf(world)).filter((subject) => subject.includes(': closed by '))).toHaveLength(1);
  await api.stop();
});

test('what lasts in more than 30 groups concerns everybody', async () => {
  const { world, live } = await createFleet();
  await live(
    4,
    all(names(31), (index) => ({ ...bad, groupId: `group-${index}` })),
  );
  expect(await incidentsOf(world)).toMatchObject([{ groups: ['*'], byGroup: {}, members: { now: 31 } }]);
});

test('two sweeps at once open one', async () => {
  const { world, ways, live, report } = await createFleet();
  await live(4, all(names(5), good));
  for (const camera of names(5)) await report(camera, bad);
  world.pass(60);
  for (const camera of names(5)) await report(camera, bad);
  await Promise.all([ways.sweep(), ways.sweep()]);
  world.pass(60);
  await Promise.all([ways.sweep(), ways.sweep()]);
  expect(await incidentsOf(world)).toHaveLength(1);
});

test('a sweep costs the same whether 6 cameras or 120 of them cannot be read, and the same as in peace but for the incident', async () => {
  const costs = [];
  for (const count of [6, 120]) {
    const { store, spent, reset } = countingStore(createMemoryStore());
    const { world, live, ways } = await createFleet(createTestWorld(store));
    await live(4, all(names(count), bad));
    world.pass(60);
    await ways.sweep();
    world.pass(60);
    reset();
    await ways.sweep();
    costs.push({ reads: spent.reads, writes: spent.writes });
  }
  expect(costs[0]).toEqual(costs[1]);
});

test('a report with a section that cannot be read costs a write more an hour', async () => {
  const { store, spent, reset } = countingStore(createMemoryStore());
  const { world, report } = await createFleet(createTestWorld(store));
  for (let second = 0; second < 60 * 60; second += 60) {
    world.pass(60);
    await report('cam-0', bad);
    if (second === 0) reset();
  }
  // With one look a process at the settings every ten minutes.
  expect([spent.reads <= 68, spent.writes <= 31]).toEqual([true, true]);
});

test('it is logged only once per device and hour: the quarantine keeps what could not be read', async () => {
  const { world, live } = await createFleet();
  await live(60, all(names(5), bad));
  expect(await world.store.count({ in: 'quarantine' })).toBe(5);
});

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api.stop());

test('who is limited to a group sees that it is there with his own members, and may not act; of another he sees nothing', async () => {
  const { live } = await createFleet(api.world);
  await live(
    5,
    all(names(7), (index) => ({ ...bad, groupId: index < 4 ? 'north' : 'south' })),
  );
  const [north, west] = [await api.issuer.token({ groups: ['north'] }), await api.issuer.token({ groups: ['west'] })];
  const [whole] = (await api.call('GET', '/v1/incidents')).body.incidents;
  expect(whole).toMatchObject({ groups: ['north', 'south'], members: { now: 7 } });
  const [incident] = (await api.call('GET', '/v1/incidents', { token: north })).body.incidents;
  expect(incident).toMatchObject({ groups: ['north'], members: { now: 4, peak: 4, back: 0 }, evidence: [] });
  expect(JSON.stringify(incident)).not.toContain('south');
  const path = `/v1/incidents/${incident.incidentId}`;
  expect((await api.call('POST', `${path}/acknowledge`, { token: north })).status).toBe(403);
  expect((await api.call('GET', '/v1/incidents', { token: west })).body.incidents).toEqual([]);
  expect((await api.call('GET', path, { token: west })).status).toBe(404);
});
