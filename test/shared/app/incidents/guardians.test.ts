import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMemoryStore } from '../../../../shared/adapters/memory/store.ts';
import { enrolGuardian } from '../../../../shared/app/devices/guardian-key.ts';
import { takeMessage } from '../../../../shared/app/intake/take-message.ts';
import { putSettings } from '../../../../shared/app/settings/settings.ts';
import { defaultSettings } from '../../../../shared/domain/settings/settings.ts';
import { createSigner } from '../../../support/guardian/signer.ts';
import { ana, giveTeam, messagesOf } from '../../../support/records/alerts.ts';
import { sentDeliveries } from '../../../support/records/deliveries.ts';
import { sizeOf } from '../../../support/score/score.ts';
import { countingStore } from '../../../support/stores/counting-store.ts';
import { startTestApi } from '../../../support/world/api.ts';
import { answerWakes } from '../../../support/world/living-fleet.ts';
import { incidentsOf, notifiedOf } from '../../../support/world/places.ts';
import { createWays, intake, names } from '../../../support/world/ways.ts';
import { createTestWorld, startOfTests, type TestWorld } from '../../../support/world/world.ts';

const well = { status: 'ok', goldenGeneration: 1, lastAlertSeq: 0, intervalSeconds: 30, healthIntervalSeconds: 300 };
const signer = createSigner();
const now = (world: TestWorld) => (Date.parse(world.now()) - Date.parse(startOfTests)) / 1000;

/** A fleet of cameras, each with a guardian that reports its health every five minutes. */
async function createFleet(
  cameras: readonly string[],
  { world = createTestWorld(), groupOf = () => 'north' }: { world?: TestWorld; groupOf?: (id: string) => string } = {},
) {
  const ways = createWays(world);
  let seq = 0;
  await giveTeam(world, 'operations', { emails: ['ops@example.com'] });
  for (const camera of cameras) {
    await ways.report(camera, groupOf(camera));
    await enrolGuardian(world, ana, camera, { publicKey: signer.publicKey });
  }
  const send = async (deviceId: string, health: object = well) => {
    seq += 1;
    if (!ways.state.broker) return;
    const message = signer.message(seq, { ...well, ...health }, { member: 'health', deviceId, seconds: now(world) });
    if (ways.state.ingest) await takeMessage(world, message, intake);
  };
  /** Lets minutes pass: cameras in `lit` report every minute, guardians in `guarded` report their health every fifth minute. */
  const live = async (minutes: number, guarded: readonly string[], lit: readonly string[] = cameras) => {
    for (let passed = 0; passed < minutes; passed += 1) {
      world.pass(60);
      for (const camera of lit) await ways.report(camera);
      if (Math.round(now(world) / 60) % 5 === 0) for (const camera of guarded) await send(camera);
      await ways.sweep();
      await answerWakes(world);
    }
  };
  await live(5, cameras);
  return { world, ways, live, send };
}

const ofGuardians = async (world: TestWorld) => (await incidentsOf(world)).filter(({ kind }) => kind === 'guardians');

test('three guardians of a group that fall silent are an ERROR after 16 minutes and what the horizon takes, and not before', async () => {
  const cameras = names(10);
  const { world, live } = await createFleet(cameras);
  await live(16, cameras.slice(3));
  expect(await ofGuardians(world)).toEqual([]);
  await live(3, cameras.slice(3));
  expect(await ofGuardians(world)).toMatchObject([
    {
      severity: 'ERROR',
      status: 'active',
      groups: ['north'],
      scope: { kind: 'group', id: 'north' },
      title: 'Guardians are of no effect in group north',
      members: { now: 3, peak: 3, back: 0 },
      evidence: [expect.stringMatching(/^cam-0: silent, last heard 2026-11-20T10:05:00/), /cam-1/, /cam-2/].map(
        (line) => (line instanceof RegExp ? expect.stringMatching(line) : line),
      ),
      endedAt: null,
    },
  ]);
});

test('guardians that tell each ten minutes how they are may miss three of those: 31 minutes and what the horizon takes', async () => {
  const cameras = names(10);
  const { world, live, send } = await createFleet(cameras);
  for (const camera of cameras.slice(0, 3)) await send(camera, { healthIntervalSeconds: 600 });
  await live(31, cameras.slice(3));
  expect(await ofGuardians(world)).toEqual([]);
  await live(3, cameras.slice(3));
  expect(await ofGuardians(world)).toMatchObject([{ groups: ['north'], members: { now: 3, peak: 3, back: 0 } }]);
});

test('it is announced once, and when all are back, and what is left of its life is an alert’s', async () => {
  const cameras = names(6);
  const { world, live } = await createFleet(cameras);
  await live(25, cameras.slice(3));
  expect(await notifiedOf(world)).toEqual(['[ERROR] Guardians are of no effect in group north']);
  await live(60, cameras.slice(3));
  expect((await notifiedOf(world)).slice(1)).toEqual([
    '[ERROR] Guardians are of no effect in group north: escalated to operations',
  ]);
  await live(7, cameras);
  expect((await notifiedOf(world)).at(-1)).toBe('[ERROR] Guardians are of no effect in group north: over');
  expect(await ofGuardians(world)).toMatchObject([
    { status: 'resolved', resolution: 'automatic', members: { now: 0, peak: 3, back: 3 } },
  ]);
});

test('who was notified that it began is notified that it is over, although others have been reminded of it for hours', async () => {
  const cameras = names(3);
  const { world, live } = await createFleet(cameras);
  await giveTeam(world, 'night', { emails: ['night@example.com'] });
  await live(6 * 60, []);
  // More reminders than `notifiedVersions` keeps.
  expect((await notifiedOf(world)).filter((line) => line.includes('reminder')).length).toBeGreaterThan(7);
  await live(8, cameras);
  expect((await notifiedOf(world)).at(-1)).toBe('[ERROR] Guardians are of no effect in group north: over');
});

test('a team that heard of it only when it escalated hears that it is over as well', async () => {
  const cameras = names(3);
  const { world, live } = await createFleet(cameras);
  await giveTeam(world, 'night', { emails: ['night@example.com'] });
  await live(120, []);
  await live(8, cameras);
  const [incident] = await ofGuardians(world);
  const by = async (occasion: string) =>
    (await messagesOf(world)).flatMap(({ message, target, status }) => {
      const isOf = message?.id === incident?.incidentId && message?.occasion === occasion;
      return isOf && status === 'delivered' && 'team' in target ? [target.team] : [];
    });
  expect(await by('opened')).toEqual(['operations']);
  expect(await by('escalated')).toEqual(['night']);
  expect((await by('resolved')).toSorted()).toEqual(['night', 'operations']);
});

test.each([
  ['cannot read its camera', { status: 'blind', reason: 'three looks failed' }],
  ['refuses its golden configuration', { status: 'golden-refused', reason: 'generation 3 is older' }],
])('a guardian that %s counts from the health that first says so', async (state, health) => {
  const cameras = names(6);
  const { world, live, send } = await createFleet(cameras);
  const living = cameras.slice(3);
  for (const camera of cameras.slice(0, 3)) await send(camera, health);
  await live(3, living);
  const [incident] = await ofGuardians(world);
  expect(incident).toMatchObject({ members: { now: 3 } });
  expect(incident?.evidence[0]).toContain(`cam-0: ${state}: ${health.reason}`);
  await live(20, living);
  expect((await ofGuardians(world))[0]).toMatchObject({ endedAt: null, members: { now: 3 } });
});

test('a heal that failed is the camera’s own alert, not this', async () => {
  const cameras = names(4);
  const { world, live, send } = await createFleet(cameras);
  for (const camera of cameras) await send(camera, { status: 'heal-failed' });
  await live(4, cameras);
  expect(await ofGuardians(world)).toEqual([]);
});

test('two are none for an hour; then one alone is', async () => {
  const cameras = names(6);
  const { world, live } = await createFleet(cameras);
  await live(70, cameras.slice(2));
  expect(await ofGuardians(world)).toEqual([]);
  await live(10, cameras.slice(1));
  expect(await ofGuardians(world)).toMatchObject([
    { title: 'A guardian is of no effect in group north', members: { now: 1, peak: 1 }, endedAt: null },
  ]);
});

test('three of three groups are none', async () => {
  const cameras = names(6);
  const { world, live } = await createFleet(cameras, { groupOf: (id) => `group-${id}` });
  await live(30, cameras.slice(3));
  expect(await ofGuardians(world)).toEqual([]);
});

const groups = sizeOf(12, 200);

test(`guardians of ${groups} groups that fall silent at once are one incident and one mail, and one that they are back`, {
  timeout: 600_000,
}, async () => {
  const cameras = names(3 * groups);
  const groupOf = (id: string) => `group-${Number(id.slice(4)) % groups}`;
  const { world, live } = await createFleet(cameras, { groupOf });
  await live(25, []);
  expect(await ofGuardians(world)).toMatchObject([
    {
      groups: ['*'],
      scope: { kind: 'platform' },
      title: 'Guardians are of no effect in many groups',
      members: { now: cameras.length, peak: cameras.length },
      endedAt: null,
    },
  ]);
  expect((await ofGuardians(world))[0]?.evidence).toHaveLength(5);
  await live(8, cameras);
  expect(await notifiedOf(world)).toEqual([
    '[ERROR] Guardians are of no effect in many groups',
    '[ERROR] Guardians are of no effect in many groups: over',
  ]);
  expect(await ofGuardians(world)).toMatchObject([
    { members: { now: 0, back: cameras.length }, endedAt: expect.any(String) },
  ]);
});

test('where groups fall silent one after the other the first five are incidents of their own, and one more speaks for all that follow', async () => {
  const groupOf = (id: string) => `group-${Math.floor(Number(id.slice(4)) / 3)}`;
  const cameras = names(27);
  const { world, live } = await createFleet(cameras, { groupOf });
  for (let silent = 3; silent <= 27; silent += 3) await live(5, cameras.slice(silent));
  await live(20, []);
  const titles = (await ofGuardians(world)).map(({ title }) => title.replace(/^.*effect /, ''));
  expect(titles.toSorted()).toEqual([0, 1, 2, 3, 4].map((group) => `in group group-${group}`).concat('in many groups'));
});

test('a site without power is its cameras’ outage: that their guardians are silent with them is no news', async () => {
  const cameras = names(8);
  const { world, live } = await createFleet(cameras);
  await live(90, cameras.slice(4), cameras.slice(4));
  expect(await ofGuardians(world)).toEqual([]);
  // The cameras are back. Their guardians get a grace period until they must have reported …
  await live(15, cameras.slice(4));
  expect(await ofGuardians(world)).toEqual([]);
  // … and are missed after it.
  await live(5, cameras.slice(4));
  expect(await ofGuardians(world)).toMatchObject([{ members: { now: 4 } }]);
});

test('also where cameras report so seldom that their guardians are missed before them', async () => {
  const cameras = names(8);
  const world = createTestWorld();
  await putSettings(world, { ...defaultSettings, reporting: { periodSeconds: 600 } }, null);
  const { live } = await createFleet(cameras, { world });
  await live(60, cameras.slice(4), cameras.slice(4));
  expect(await ofGuardians(world)).toEqual([]);
  expect(await incidentsOf(world)).toMatchObject([{ kind: 'outage', members: { now: 4 } }]);
});

test.each([86, 87, 88, 89, 90])(
  'while nothing comes through for %i minutes, no guardian is said to be silent, nor before it has had its next turn',
  async (minutes) => {
    const cameras = names(8);
    const { world, ways, live } = await createFleet(cameras);
    ways.state.broker = false;
    await live(minutes, cameras);
    ways.state.broker = true;
    await live(20, cameras);
    expect(await ofGuardians(world)).toEqual([]);
  },
);

test('a guardian that nobody enrolled, or whose enrolment has ended, is missed by nobody', async () => {
  const cameras = names(6);
  const { world, live } = await createFleet(cameras);
  const api = await startTestApi(world);
  for (const camera of names(3)) {
    expect((await api.call('DELETE', `/v1/devices/${camera}/guardian-key`)).status).toBe(204);
  }
  await live(90, cameras.slice(3));
  expect(await ofGuardians(world)).toEqual([]);
  await api.stop();
});

test('cameras that come to another group with guardians of no effect are counted there anew, and no longer where they were', async () => {
  const cameras = names(6);
  const { world, live } = await createFleet(cameras);
  const api = await startTestApi(world);
  await live(25, cameras.slice(3));
  for (const camera of names(3)) {
    const moved = await api.call('PATCH', `/v1/devices/${camera}`, { body: { groupId: 'south' } });
    expect(moved.status).toBe(200);
  }
  await live(10, cameras.slice(3));
  expect(await ofGuardians(world)).toMatchObject([{ groups: ['north'], endedAt: expect.any(String) }]);
  await live(10, cameras.slice(3));
  expect((await ofGuardians(world))[1]).toMatchObject({ groups: ['south'], members: { now: 3 }, endedAt: null });
  await api.stop();
});

test('with one left of thirty it is over, unless that one has been so for an hour', async () => {
  const cameras = names(30);
  const { world, live } = await createFleet(cameras);
  await live(22, []);
  expect(await ofGuardians(world)).toMatchObject([{ members: { now: 30 }, endedAt: null }]);
  await live(10, cameras.slice(1));
  expect(await ofGuardians(world)).toMatchObject([{ members: { now: 1, peak: 30, back: 29 } }]);
  expect((await ofGuardians(world))[0]?.message).toContain('29 cameras are guarded again, or gone');
  await live(60, cameras.slice(1));
  const open = (await ofGuardians(world)).filter(({ endedAt }) => endedAt === null);
  expect(open).toMatchObject([{ title: 'A guardian is of no effect in group north', members: { now: 1 } }]);
});

test('a sweep costs the same whether 3 guardians of a group or 40 are silent', async () => {
  const costs = [];
  for (const count of [3, 40]) {
    const { store, spent, reset } = countingStore(createMemoryStore());
    const { world, live, ways } = await createFleet(names(count), { world: createTestWorld(store) });
    await live(24, []);
    world.pass(60);
    reset();
    await ways.sweep();
    costs.push({ reads: spent.reads, writes: spent.writes });
  }
  expect(costs[0]).toEqual(costs[1]);
});

test('a guardian that is silent is shown so, not as it was when it was last heard; while nothing can be seen nobody says that', async () => {
  const { world, ways, live } = await createFleet(names(2));
  const api = await startTestApi(world);
  const shown = async (camera: string) => (await api.call('GET', `/v1/devices/${camera}`)).body.guardian;
  await live(19, ['cam-1']);
  const lastSeenAt = '2026-11-20T10:05:00.000Z';
  expect(await shown('cam-0')).toMatchObject({ status: 'silent', enrolled: true, goldenGeneration: 1, lastSeenAt });
  expect(await shown('cam-1')).toMatchObject({ status: 'ok' });
  ways.state.broker = false;
  await live(60, []);
  expect(await shown('cam-1')).toMatchObject({ status: 'ok' });
  const { devices } = (await api.call('GET', '/v1/devices')).body;
  expect(devices.map(({ guardian }: { guardian: { status: string } }) => guardian.status)).toEqual(['silent', 'ok']);
  await api.stop();
});

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api.stop());

test('the group it is about may act on it, another does not see it, and an endpoint is sent its beginning and its end', async () => {
  const cameras = names(5);
  const body = { url: 'https://hooks.example.com/', events: ['incident'] };
  const { webhookId } = (await api.call('POST', '/v1/webhooks', { body })).body;
  const { live } = await createFleet(cameras, { world: api.world });
  await live(25, []);
  const [north, west] = [await api.issuer.token({ groups: ['north'] }), await api.issuer.token({ groups: ['west'] })];
  const [incident] = (await api.call('GET', '/v1/incidents', { token: north })).body.incidents;
  expect(incident).toMatchObject({ kind: 'guardians', members: { now: 5 } });
  expect(incident.evidence).toHaveLength(5);
  const path = `/v1/incidents/${incident.incidentId}`;
  expect((await api.call('GET', path, { token: west })).status).toBe(404);
  expect((await api.call('POST', `${path}/acknowledge`, { token: north })).body.status).toBe('acknowledged');
  const { notified } = (await api.call('GET', `${path}/explain`, { token: north })).body;
  expect(notified.map(({ channel, because }: Record<string, string>) => `${channel} ${because}`)).toContain(
    'email announce',
  );
  await live(8, cameras);
  const sent = (await sentDeliveries(api.world.store)).flatMap((each) =>
    each.webhookId === webhookId ? [JSON.parse(each.body).change] : [],
  );
  expect(sent.toSorted()).toEqual(['acknowledged', 'opened', 'resolved']);
});
