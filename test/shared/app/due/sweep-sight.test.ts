import { expect, test } from 'vitest';
import { actOnAlert } from '../../../../shared/app/alerts/actions.ts';
import { put } from '../../../../shared/app/commit/commit.ts';
import { handleDue } from '../../../../shared/app/due/due.ts';
import { loadCanaries, loadSight } from '../../../../shared/app/sight/sight.ts';
import { heartbeatIdOf } from '../../../../shared/domain/drill/heartbeat.ts';
import { canaryText } from '../../../../shared/domain/sight/canary.ts';
import { msBetween, plus } from '../../../../shared/domain/time.ts';
import { ana } from '../../../support/records/alerts.ts';
import { createWays, names, noticesOf, openAlerts, seal } from '../../../support/world/ways.ts';
import { createTestWorld, startOfTests, type TestWorld } from '../../../support/world/world.ts';

const sightOf = async (world: TestWorld) => (await loadSight(world))?.data;
/** Whether the next sweep sends a beat to a watch of somebody else, where the last one was sent. */
async function beats(world: TestWorld, pass: () => Promise<void>): Promise<boolean> {
  const [before = null] = await world.store.get('deliveries', [heartbeatIdOf(0)]);
  if (before) await world.store.commit([put('deliveries', before.id, { ...before.data, status: 'delivered' }, before)]);
  await pass();
  const [after = null] = await world.store.get('deliveries', [heartbeatIdOf(0)]);
  return after?.data.status === 'pending';
}
const stateOf = async (world: TestWorld) => (await sightOf(world))?.state;
/** Cameras with an even number are in one group, those with an odd number in another. */
const halves = (deviceId: string) => (Number(deviceId.split('-')[1]) % 2 === 0 ? 'north' : 'south');

test('a camera that stops reporting while others go on is declared silent once the horizon has passed it; its next report ends that', async () => {
  const world = createTestWorld();
  const ways = createWays(world);
  const others = names(20, 'other');
  for (const device of ['cam-0', ...others]) await ways.report(device);
  await ways.live(9, others);
  expect(await openAlerts(world)).toEqual([]);
  await ways.live(2, others);
  expect(await openAlerts(world)).toMatchObject([
    { deviceId: 'cam-0', code: 'CONN_001', context: { cause: 'silent' } },
  ]);
  await ways.live(1, ['cam-0', ...others]);
  expect(await openAlerts(world)).toEqual([]);
});

test('a loss that the broker tells is an alert within 5 minutes and 2 of the horizon, and by no clock of its own before', async () => {
  const world = createTestWorld();
  const ways = createWays(world);
  const others = names(3, 'other');
  await ways.live(3, ['cam-0', ...others]);
  const lostAt = world.pass(10);
  await ways.lose('cam-0');
  expect(world.wakes).toMatchObject([{ in: 'devices', id: 'cam-0', dueAt: plus(lostAt, 15 * 60_000) }]);
  await ways.live(4, others);
  expect(await openAlerts(world)).toEqual([]);
  await ways.live(3, others);
  const [alert] = await openAlerts(world);
  expect(alert).toMatchObject({ code: 'CONN_001', occurrences: 1, context: { cause: 'disconnected' } });
  expect(msBetween(lostAt, alert?.timestamp ?? '')).toBeLessThanOrEqual(7 * 60_000);
});

test('a wake that finds the horizon behind its instant writes nothing', async () => {
  const world = createTestWorld();
  const ways = createWays(world);
  await ways.live(3, ['cam-0', 'cam-1']);
  world.pass(10);
  await ways.lose('cam-0');
  const [before] = await world.store.get('devices', ['cam-0']);
  world.pass(301);
  await handleDue(world, 'devices', 'cam-0');
  expect((await world.store.get('devices', ['cam-0']))[0]).toEqual(before);
  expect(await openAlerts(world)).toEqual([]);
});

test('a broker restart and 10 minutes of standing ingest declare none of 100 cameras lost', async () => {
  const world = createTestWorld();
  const ways = createWays(world);
  const cameras = names(100);
  await ways.live(4, cameras, halves);
  ways.state.ingest = false;
  for (const camera of cameras) await ways.lose(camera);
  world.pass(20);
  for (const camera of cameras) await ways.connect(camera);
  await ways.live(10, cameras);
  expect(await stateOf(world)).toBe('blind');
  await ways.openIngest();
  await ways.live(6, cameras);
  expect(await openAlerts(world)).toEqual([]);
  expect(await stateOf(world)).toBe('sees');
});

test('200 cameras dead for six hours with the broker are unknown, not online, and none is declared', async () => {
  const world = createTestWorld();
  const ways = createWays(world);
  const cameras = names(200);
  await ways.live(4, cameras, halves);
  ways.state.broker = false;
  await ways.live(30, cameras);
  expect(await stateOf(world)).toBe('blind');
  expect(await openAlerts(world)).toEqual([]);
});

test('after standing ingest the horizon stays at the beginning of the gap while the heads of other queues wait in their back-off', async () => {
  const world = createTestWorld();
  const ways = createWays(world);
  const cameras = names(4);
  await ways.live(4, cameras, halves);
  const before = (await sightOf(world))?.horizonAt ?? '';
  ways.state.ingest = false;
  await ways.live(10, cameras);
  // The messages of the last camera wait two minutes longer than those of the others.
  const head = ways.waiting.filter(({ attributes }) => attributes['deviceId'] === 'cam-3');
  ways.waiting.splice(0, ways.waiting.length, ...ways.waiting.filter((waits) => !head.includes(waits)));
  await ways.openIngest();
  await ways.live(2, names(3));
  expect(await openAlerts(world)).toEqual([]);
  expect((await sightOf(world))?.horizonAt).toBe(before);
  ways.waiting.push(...head);
  await ways.openIngest();
  await ways.live(4, cameras);
  expect(await openAlerts(world)).toEqual([]);
  expect(await stateOf(world)).toBe('sees');
});

test('a canary that came more than a minute late holds the horizon at the beginning of its gap, until what waited with it has come', async () => {
  const world = createTestWorld();
  const ways = createWays(world);
  const cameras = names(4);
  await ways.live(4, cameras, halves);
  // Everything published up to a minute before the last good canary has arrived.
  const lastGood = world.now();
  const horizon = plus(lastGood, -60_000);
  ways.state.ingest = false;
  await ways.live(2, cameras);
  world.pass(40);
  // The first canary is 100 s late, the second 40 s: too short for a sweep to find one missing.
  const goodAt = world.now();
  await ways.openIngest();
  for (let passed = 20; passed < 180; passed += 60) {
    world.pass(passed === 20 ? 20 : 60);
    for (const camera of cameras) await ways.report(camera);
    await ways.sweep();
    expect([msBetween(goodAt, world.now()) / 1000, (await sightOf(world))?.horizonAt]).toEqual([passed, horizon]);
  }
  await ways.live(1, cameras);
  expect(msBetween(lastGood, (await sightOf(world))?.horizonAt ?? '')).toBeGreaterThan(4 * 60_000);
});

test('a rotated password of the canary does not switch alerting off: one notice, and losses are declared', async () => {
  const world = createTestWorld();
  const ways = createWays(world);
  const cameras = names(12);
  await ways.live(4, cameras, halves);
  ways.state.canaryAccount = false;
  await ways.live(5, cameras);
  expect(await stateOf(world)).toBe('sees');
  await ways.live(12, cameras.slice(1));
  expect(await openAlerts(world)).toMatchObject([{ deviceId: 'cam-0', context: { cause: 'silent' } }]);
  expect(await noticesOf(world)).toMatchObject([{ kind: 'canary-broken', text: expect.stringContaining('WARNING') }]);
});

test('with a broken canary too, nobody is lost whose word has been on its way for less than a minute', async () => {
  const world = createTestWorld();
  const ways = createWays(world);
  const [camera = '', ...others] = names(12);
  await ways.live(4, [camera, ...others], halves);
  Object.assign(ways.state, { canaryAccount: false, canaryTopic: false });
  await ways.live(6, [camera, ...others], halves);
  await ways.lose(camera);
  await ways.live(4, others, halves);
  world.pass(50);
  // The camera returns in time, but its message is delayed. Those of the others arrive at once.
  ways.state.ingest = false;
  await ways.connect(camera);
  ways.state.ingest = true;
  world.pass(25);
  for (const other of others) await ways.report(other);
  await ways.sweep();
  expect((await sightOf(world))?.ways.broker.brokenSince).not.toBeNull();
  expect(await openAlerts(world)).toEqual([]);
  world.pass(20);
  await ways.openIngest();
  await ways.live(4, others, halves);
  expect(await openAlerts(world)).toEqual([]);
});

test('cameras that need two minutes to come back to a broker that was away are not declared', async () => {
  const world = createTestWorld();
  const ways = createWays(world);
  const cameras = names(12);
  await ways.live(4, cameras, halves);
  ways.state.broker = false;
  await ways.live(30, cameras);
  ways.state.broker = true;
  await ways.live(1, cameras.slice(0, 4));
  await ways.live(1, cameras.slice(0, 8));
  await ways.live(6, cameras);
  expect(await openAlerts(world)).toEqual([]);
  expect(await stateOf(world)).toBe('sees');
});

test('without a canary in the broker the first cameras that come back to it show nothing of the others, which need two minutes', async () => {
  const world = createTestWorld();
  const ways = createWays(world);
  ways.withoutBrokerCanary();
  const cameras = names(12);
  await ways.live(4, cameras, halves);
  ways.state.broker = false;
  await ways.live(30, cameras, halves);
  expect(await stateOf(world)).toBe('blind');
  ways.state.broker = true;
  await ways.live(2, cameras.slice(0, 4), halves);
  expect(await openAlerts(world)).toEqual([]);
  await ways.live(6, cameras, halves);
  expect(await openAlerts(world)).toEqual([]);
  expect(await stateOf(world)).toBe('sees');
});

test('a broker that was away for a while and comes back is no broken canary', async () => {
  for (const away of [2, 3, 5, 30]) {
    const world = createTestWorld();
    const ways = createWays(world);
    await ways.live(4, names(6), halves);
    ways.state.broker = false;
    await ways.live(away, names(6));
    ways.state.broker = true;
    await ways.live(6, names(6));
    expect([away, await noticesOf(world), await stateOf(world)]).toEqual([away, [], 'sees']);
    expect(await openAlerts(world)).toEqual([]);
  }
});

test.each([1, 2, 5])(
  'a fleet of %i cameras that dies without a will while canaries live is CONN_001',
  async (count) => {
    const world = createTestWorld();
    const ways = createWays(world);
    await ways.live(4, names(count));
    await ways.live(12, []);
    expect(await openAlerts(world)).toHaveLength(count);
  },
);

test('40 % of a fleet at one site are declared lost, with and without a canary in the broker', async () => {
  for (const hasCanary of [true, false]) {
    const world = createTestWorld();
    const ways = createWays(world);
    if (!hasCanary) ways.withoutBrokerCanary();
    const groupOf = (deviceId: string) => deviceId.split('-')[0];
    const [site, rest] = [names(40, 'site'), names(60, 'rest')];
    await ways.live(4, [...site, ...rest], groupOf);
    await ways.live(12, rest, groupOf);
    expect(await openAlerts(world)).toHaveLength(40);
    expect(await noticesOf(world)).toEqual([]);
  }
});

test.each<[string, number, number, boolean]>([
  ['30 % of each of two groups', 3, 7, true],
  ['20 % of each of two groups', 2, 8, false],
])('without a canary in the broker %s that fall silent together: blind %s', async (_name, dark, well, isBlind) => {
  const world = createTestWorld();
  const ways = createWays(world);
  ways.withoutBrokerCanary();
  const groupOf = (deviceId: string) => deviceId.split('-')[1];
  const members = (count: number, word: string) => ['a', 'b'].flatMap((group) => names(count, `${word}-${group}`));
  const [darkOnes, wellOnes] = [members(dark, 'dark'), members(well, 'well')];
  await ways.live(4, [...darkOnes, ...wellOnes], groupOf);
  await ways.live(10, wellOnes, groupOf);
  expect(await stateOf(world)).toBe(isBlind ? 'blind' : 'sees');
  expect(await openAlerts(world)).toHaveLength(isBlind ? 0 : darkOnes.length);
  // Cameras that stay dark while the others go on reporting are lost after all.
  await ways.live(10, wellOnes, groupOf);
  expect(await openAlerts(world)).toHaveLength(darkOnes.length);
});

test('a loss that the broker reported and nobody took back is declared after 15 minutes, though nothing can be seen', async () => {
  const world = createTestWorld();
  const ways = createWays(world);
  await ways.live(4, names(6), halves);
  world.pass(1);
  await ways.lose('cam-0');
  ways.state.broker = false;
  await ways.live(14, names(6));
  expect(await openAlerts(world)).toEqual([]);
  await ways.live(3, names(6));
  expect(await openAlerts(world)).toMatchObject([
    { deviceId: 'cam-0', context: { cause: 'disconnected' }, message: expect.stringContaining('saw late') },
  ]);
});

test('a loss that a person opens again after the blindness that spoke for it speaks for itself, with a clock of its own', async () => {
  const world = createTestWorld();
  const ways = createWays(world);
  await ways.live(4, names(6), halves);
  world.pass(1);
  await ways.lose('cam-0');
  ways.state.broker = false;
  await ways.live(17, names(6));
  const [member] = await openAlerts(world);
  expect(member).toMatchObject({ deviceId: 'cam-0', isMember: true, respondBy: null });
  const reopen = () => actOnAlert(world, ana, member?.alertId ?? '', { kind: 'reopen' }, null);
  ways.state.broker = true;
  await ways.live(6, names(6));
  expect(await openAlerts(world)).toEqual([]);
  await reopen();
  expect(await openAlerts(world)).toMatchObject([{ isMember: false, respondBy: plus(world.now(), 300_000) }]);
});

test('what a person resolves while nobody knows whether the camera is there is not raised again by time alone', async () => {
  const world = createTestWorld();
  const ways = createWays(world);
  const [camera = '', ...others] = names(6);
  const losses = async () => (await openAlerts(world)).filter(({ code }) => code === 'CONN_001');
  await ways.live(4, [camera, ...others]);
  await ways.lose(camera);
  await ways.live(8, others);
  const [{ alertId = '' } = {}] = await losses();
  await ways.live(2, [camera, ...others]);
  expect(await losses()).toEqual([]);
  // The certificate enters its last week while the platform is blind. The device becomes due for that reason.
  const notAfter = plus(world.now(), 7 * 86_400_000 + 18 * 60_000);
  await ways.say(camera, { kind: 'status', body: { certificate: { valid: true, notAfter } } });
  ways.state.broker = false;
  await ways.live(12, others);
  const act = (kind: 'reopen' | 'resolve') => actOnAlert(world, ana, alertId, { kind }, null);
  await act('reopen');
  await ways.live(5, others);
  await act('resolve');
  await ways.live(2, others);
  await handleDue(world, 'devices', camera);
  expect(await openAlerts(world)).toMatchObject([{ code: 'SEC_003' }]);
  ways.state.broker = true;
  await ways.live(12, others);
  expect(await stateOf(world)).toBe('sees');
  expect(await losses()).toEqual([]);
  // Once the camera was seen again, its next loss is announced.
  await ways.live(2, [camera, ...others]);
  await ways.live(12, others);
  expect(await losses()).toMatchObject([{ deviceId: camera }]);
});

test('a silence that begins after a person has resolved an alert of the camera’s connection is announced', async () => {
  const world = createTestWorld();
  const ways = createWays(world);
  const [camera = '', ...others] = names(6);
  await ways.live(4, [camera, ...others]);
  await ways.lose(camera);
  await ways.live(8, others);
  const [{ alertId = '' } = {}] = await openAlerts(world);
  await ways.live(2, [camera, ...others]);
  for (const kind of ['reopen', 'resolve'] as const) await actOnAlert(world, ana, alertId, { kind }, null);
  await ways.live(12, others);
  expect(await openAlerts(world)).toMatchObject([{ deviceId: camera, code: 'CONN_001' }]);
});

test('a loss that was heard in time is declared after 15 minutes, although ingest has stood since', async () => {
  const world = createTestWorld();
  const ways = createWays(world);
  await ways.live(4, names(6), halves);
  world.pass(1);
  await ways.lose('cam-0');
  await ways.live(2, names(6).slice(1), halves);
  ways.state.ingest = false;
  await ways.live(11, names(6).slice(1));
  expect(await openAlerts(world)).toEqual([]);
  await ways.live(4, names(6).slice(1));
  expect(await openAlerts(world)).toMatchObject([{ deviceId: 'cam-0', message: expect.stringContaining('saw late') }]);
});

test('a loss that was heard in time is declared after 15 minutes, although the horizon stood behind it from the beginning, as sweeps went missing', async () => {
  const world = createTestWorld();
  const ways = createWays(world);
  await ways.live(4, names(6), halves);
  const others = names(6).slice(1);
  ways.state.sweeps = false;
  await ways.live(2, others);
  const lostAt = world.pass(1);
  await ways.lose('cam-0');
  await ways.live(12, others);
  ways.state.sweeps = true;
  await ways.live(2, others);
  expect(await openAlerts(world)).toEqual([]);
  expect(((await sightOf(world))?.ways.ingest.horizonAt ?? '') < lostAt).toBe(true);
  await ways.live(2, others);
  expect(await openAlerts(world)).toMatchObject([{ deviceId: 'cam-0', message: expect.stringContaining('saw late') }]);
});

test('a loss for which a person set half an hour of patience is declared after it, though nothing can be seen', async () => {
  const world = createTestWorld();
  const ways = createWays(world);
  await ways.live(4, names(6), halves);
  const [stored] = await world.store.get('devices', ['cam-0']);
  if (!stored) throw new Error('cam-0 is not registered');
  const data = { ...stored.data, reporting: { periodSeconds: 0, lossPatienceSeconds: 1800 } };
  await world.store.commit([{ kind: 'replace', in: 'devices', id: 'cam-0', data, revision: stored.revision }]);
  world.pass(1);
  await ways.lose('cam-0');
  ways.state.broker = false;
  await ways.live(29, names(6));
  expect(await openAlerts(world)).toEqual([]);
  await ways.live(3, names(6));
  expect(await openAlerts(world)).toMatchObject([{ deviceId: 'cam-0', context: { cause: 'disconnected' } }]);
});

test('after 25 minutes of standing ingest a loss that is heard at last is not announced before what takes it back is heard', async () => {
  const world = createTestWorld();
  const ways = createWays(world);
  const cameras = names(20);
  await ways.live(4, cameras, halves);
  ways.state.ingest = false;
  for (const camera of cameras) await ways.lose(camera);
  world.pass(20);
  for (const camera of cameras) await ways.connect(camera);
  await ways.live(25, cameras);
  // The 20 losses are handled first; births and reports wait behind them.
  const behind = ways.waiting.splice(20);
  await ways.openIngest();
  for (const camera of cameras) await handleDue(world, 'devices', camera);
  for (let minute = 0; minute < 2; minute += 1) {
    world.pass(60);
    await ways.sweep();
    expect(await openAlerts(world)).toEqual([]);
  }
  ways.waiting.push(...behind);
  await ways.openIngest();
  await ways.live(6, cameras);
  expect(await world.store.count({ in: 'alerts', where: [{ field: 'code', is: '==', value: 'CONN_001' }] })).toBe(0);
  expect(await stateOf(world)).toBe('sees');
});

test('a sweep that did not run is no blindness: the clocks go on when what may have waited has had its time', async () => {
  const world = createTestWorld();
  const ways = createWays(world);
  const cameras = names(5);
  await ways.live(4, cameras, halves);
  ways.state.sweeps = false;
  await ways.live(60, cameras);
  ways.state.sweeps = true;
  // The horizon is held for three minutes and a twelfth of the hour without sweeps.
  for (let minute = 0; minute < 8; minute += 1) {
    await ways.live(1, cameras);
    expect(await stateOf(world)).toBe('lags');
  }
  await ways.live(2, cameras);
  expect(await stateOf(world)).toBe('sees');
  expect(await openAlerts(world)).toEqual([]);
});

test('while the store was away reports waited behind one another, and no canary with them: nobody is lost by that', async () => {
  const world = createTestWorld();
  const ways = createWays(world);
  const cameras = names(5);
  await ways.live(4, cameras, halves);
  ways.state.ingest = false;
  ways.state.sweeps = false;
  await ways.live(60, cameras);
  ways.state.sweeps = true;
  ways.state.ingest = true;
  // The waiting messages arrive two minutes later; canaries and new reports arrive at once.
  const waiting = ways.waiting.splice(0);
  world.pass(60);
  await ways.sweep();
  world.pass(60);
  await ways.sweep();
  expect(await openAlerts(world)).toEqual([]);
  ways.waiting.push(...waiting);
  await ways.openIngest();
  await ways.live(10, cameras);
  expect(await openAlerts(world)).toEqual([]);
  expect(await stateOf(world)).toBe('sees');
});

test('a return that waits in its back-off since the store was away for a single sweep is not called lost', async () => {
  const world = createTestWorld();
  const ways = createWays(world);
  const [camera = '', ...others] = names(12);
  await ways.live(4, [camera, ...others], halves);
  world.pass(1);
  await ways.lose(camera);
  await ways.live(5, others, halves);
  ways.state.ingest = false;
  world.pass(40);
  await ways.connect(camera);
  world.pass(20);
  ways.state.ingest = true;
  const waiting = ways.waiting.splice(0);
  await ways.live(2, others, halves);
  expect(await openAlerts(world)).toEqual([]);
  ways.waiting.push(...waiting);
  await ways.openIngest();
  await ways.live(6, [camera, ...others], halves);
  expect(await world.store.count({ in: 'alerts', where: [{ field: 'code', is: '==', value: 'CONN_001' }] })).toBe(0);
  expect(await stateOf(world)).toBe('sees');
});

test('where one sweep in three is missed, a camera that falls silent is still declared', async () => {
  const world = createTestWorld();
  const ways = createWays(world);
  const [camera = '', ...others] = names(12);
  await ways.live(4, [camera, ...others], halves);
  for (let minute = 1; minute <= 24; minute += 1) {
    ways.state.sweeps = minute % 3 > 0;
    await ways.live(1, others, halves);
  }
  expect(await openAlerts(world)).toMatchObject([{ deviceId: camera, code: 'CONN_001' }]);
});

test.each([
  ['the next sweep', 1],
  ['the next but one', 2],
])(
  'a return that a canary overtook a moment before ingest stood still is not called lost by %s',
  async (_name, sweepsAfter) => {
    const world = createTestWorld();
    const ways = createWays(world);
    const [camera = '', ...others] = names(12);
    await ways.live(4, [camera, ...others], halves);
    world.pass(10);
    await ways.lose(camera);
    world.pass(50);
    await ways.sweep();
    await ways.live(4, others, halves);
    world.pass(56);
    // The birth of the camera arrives later than the canaries.
    ways.state.ingest = false;
    await ways.connect(camera);
    ways.state.ingest = true;
    world.pass(4);
    await ways.sweep();
    ways.state.ingest = false;
    for (let minute = 1; minute <= 8; minute += 1) {
      ways.state.sweeps = minute >= sweepsAfter;
      await ways.live(1, [camera, ...others], halves);
      expect(await openAlerts(world)).toEqual([]);
    }
    await ways.openIngest();
    await ways.live(6, [camera, ...others], halves);
    expect(await world.store.count({ in: 'alerts', where: [{ field: 'code', is: '==', value: 'CONN_001' }] })).toBe(0);
    expect(await stateOf(world)).toBe('sees');
  },
);

test('a replayed, an unsigned and an altered canary change nothing, and no device comes of them', async () => {
  const world = createTestWorld();
  const ways = createWays(world);
  ways.state.ingest = false;
  await ways.sweep();
  const [canary] = ways.waiting;
  if (!canary) throw new Error('no canary was sent');
  const body = JSON.parse(canary.data.toString());
  const forged = [{ ...body, signature: 'x' }, { ...body, sentAt: plus(body.sentAt, 60_000) }, { way: 'ingest' }, 'x'];
  ways.waiting.splice(0, ways.waiting.length, canary, canary);
  // Correctly signed, but with a number that no canary has.
  const numbered = ([-1, 4, 1.5, '1'] as number[]).map((n) => {
    const { way, sentAt } = body;
    return { way, n, sentAt, signature: seal.sign(canaryText({ way, n, sentAt })) };
  });
  for (const each of [...forged, ...numbered])
    ways.waiting.push({ ...canary, data: Buffer.from(JSON.stringify(each)) });
  await ways.openIngest();
  expect(await loadCanaries(world)).toMatchObject([{ way: body.way, n: body.n, sentAt: startOfTests }]);
  expect(await world.store.count({ in: 'devices' })).toBe(0);
  expect(await world.store.count({ in: 'quarantine' })).toBe(0);
  expect(world.lines.filter(({ event }) => event === 'canary.refused')).toHaveLength(8);
});

test('five canaries and one record of the sweep are all that is written each minute, for any fleet', async () => {
  const world = createTestWorld();
  const ways = createWays(world);
  await ways.live(2, names(10), halves);
  const writes: string[] = [];
  const { commit } = world.store;
  world.store.commit = (batch) => {
    writes.push(...batch.map(({ id }) => id));
    return commit(batch);
  };
  world.pass(60);
  await ways.sweep();
  await ways.sweep();
  expect(writes.filter((id) => id.startsWith('canary'))).toHaveLength(5);
  expect(writes.filter((id) => id === 'sight')).toHaveLength(2);
});

test('a fleet whose canary nobody forwards is judged by its reports: a camera that dies is an alert as soon as with canaries', async () => {
  const lostAfter = async (isForwarded: boolean, camera: string, others: readonly string[]) => {
    const world = createTestWorld();
    const ways = createWays(world);
    ways.state.canaryAccount = isForwarded;
    await ways.live(20, [camera, ...others]);
    for (let minutes = 1; ; minutes += 1) {
      await ways.live(1, others);
      if ((await openAlerts(world)).some(({ code }) => code === 'CONN_001')) return minutes;
      expect(minutes).toBeLessThan(15);
      expect([await stateOf(world), (await sightOf(world))?.ways.broker.state]).toEqual([
        'sees',
        isForwarded ? 'sees' : 'unproven',
      ]);
    }
  };
  for (const others of [names(20, 'other'), names(2, 'other'), []]) {
    const withCanaries = await lostAfter(true, 'cam-0', others);
    expect([others.length, await lostAfter(false, 'cam-0', others)]).toEqual([others.length, withCanaries]);
  }
});

test('a way that no canary ever came through is told once, logged by each sweep, and stops the heartbeats after ten minutes', async () => {
  const world = createTestWorld();
  const ways = createWays(world);
  Object.assign(ways.state, { canaryAccount: false, heartbeats: 1 });
  await ways.live(3, names(3));
  expect((await sightOf(world))?.ways.broker).toMatchObject({ state: 'unproven', lastHandledAt: null });
  const minute = () => ways.live(1, names(3));
  const { since = '' } = (await sightOf(world))?.ways.broker ?? {};
  for (let passed = 0; passed < 15; passed += 1) {
    const isBeaten = await beats(world, minute);
    expect([passed, isBeaten]).toEqual([passed, msBetween(since, world.now()) < 10 * 60_000]);
  }
  expect(await noticesOf(world)).toMatchObject([
    { kind: 'canary-missing', text: expect.stringContaining('watchpost/canary') },
  ]);
  const logged = world.lines.filter(({ event }) => event === 'canary.missing');
  expect(logged.length).toBeGreaterThan(14);
  ways.state.canaryAccount = true;
  await ways.live(2, names(3));
  expect((await sightOf(world))?.ways.broker).toMatchObject({ state: 'sees', lastHandledAt: expect.any(String) });
  expect(await beats(world, minute)).toBe(true);
  ways.state.canaryAccount = false;
  await ways.live(3, names(3));
  expect((await sightOf(world))?.ways.broker.state).not.toBe('unproven');
});
