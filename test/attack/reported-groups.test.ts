import { expect, test } from 'vitest';
import type { Bearer } from '../../shared/app/bearer.ts';
import { getDevice } from '../../shared/app/devices/devices.ts';
import { changeDevice } from '../../shared/app/devices/register.ts';
import { putSettings } from '../../shared/app/settings/settings.ts';
import { readConfig } from '../../shared/config.ts';
import { defaultSettings } from '../../shared/domain/settings/settings.ts';
import { ana, giveTeam } from '../support/records/alerts.ts';
import { detection } from '../support/records/detections.ts';
import { guardianAlert } from '../support/records/stories.ts';
import { score } from '../support/score/score.ts';
import { startTestApi } from '../support/world/api.ts';
import { at, createTimeline } from '../support/world/timeline.ts';
import { createTestWorld } from '../support/world/world.ts';

const world = () => ({ ...createTestWorld(), ...readConfig({}, ['reportedGroups']) });
const of = (...groups: string[]): Bearer => ({ ...ana, subject: 'victim', groups });
/** Messages of a camera that name a group. */
const lies = (groupId: string): [kind: string, body: object][] => [
  ['status', { groupId, memory: { usedPercent: 95 } }],
  ['status', { groupId, timestamp: at(9_000_000) }],
  ['status', { groupId, name: 'x', bootId: 'b', seq: 1 }],
  ['connection', { status: 'online', groupId, connectedAt: at(30) }],
  ['event', { type: 'unauthorized_broker_attempt', timestamp: at(40), groupId }],
  ['detection', { ...detection('lie'), groupId }],
  ['guardian', { ...guardianAlert('drift', ['broker.host'], at(50)), groupId }],
];

test.each(['trust', 'ignore'] as const)(
  'with REPORTED_GROUPS %s a camera cannot move itself to another customer’s group, hide its alerts or notify people there',
  async (reportedGroups) => {
    const api = await startTestApi({ ...createTestWorld(), reportedGroups });
    const line = createTimeline(api.world as ReturnType<typeof createTestWorld>);
    try {
      await giveTeam(line.world, 'operations', { emails: ['ops@example.com'] });
      const { body: theirs } = await api.call('POST', '/v1/webhooks', {
        body: {
          url: 'https://hooks.example.com/',
          events: ['detection', 'alert', 'guardian'],
          filter: { groups: ['south'] },
        },
      });
      // The group comes from an id pattern, because a group set by hand never changes.
      await putSettings(line.world, { ...defaultSettings, idPatterns: [{ pattern: 'cam-*', groupId: 'north' }] }, null);
      await line.says(0, 'status', {});
      await line.says(10, 'event', { type: 'unauthorized_broker_attempt', timestamp: at(10) });
      const said = lies('south');
      for (const [index, [kind, body]] of said.entries()) await line.says(20 + index * 10, kind, body);
      expect(await line.device()).toMatchObject({ groupId: 'north' });
      const groups = (await line.alerts()).map(({ groupId }) => groupId);
      expect(new Set(groups)).toEqual(new Set(['north']));
      expect(await line.openCodes()).toEqual(expect.arrayContaining(['RES_001', 'SEC_002']));
      const deliveries = await line.world.store.find({ in: 'deliveries', limit: 1000 });
      expect(deliveries.length).toBeGreaterThan(0);
      expect(deliveries.filter(({ data }) => data.target.kind === 'webhook')).toEqual([]);
      expect(theirs.filter).toEqual({ groups: ['south'] });
      const seen = await api.call('GET', '/v1/alerts?status=all', {
        token: await api.issuer.token({ groups: ['south'] }),
      });
      expect(seen.body.alerts).toEqual([]);
      score('S13', `reports that name another customer's group, REPORTED_GROUPS=${reportedGroups}`, said.length, 0);
    } finally {
      await api.stop();
    }
  },
);

test('by default a new camera stays in `unassigned`, whatever group it reports', async () => {
  const line = createTimeline(world());
  const said = lies('south');
  for (const [index, [kind, body]] of said.entries()) {
    await line.says(20 + index * 10, kind, body, { deviceId: `new-${index}` });
    await line.says(25 + index * 10, kind, body, { deviceId: 'again' });
  }
  const devices = await line.world.store.find({ in: 'devices', limit: 100 });
  expect(devices.map(({ id }) => id)).toEqual(['again', ...said.map((_, index) => `new-${index}`)]);
  expect(new Set(devices.map(({ data }) => data.groupId))).toEqual(new Set(['unassigned']));
  score('S13', 'first reports of strangers that name a group, by the defaults', said.length * 2, 0);
});

test('a report never moves another camera', async () => {
  const line = createTimeline(world());
  await line.says(0, 'status', {}, { deviceId: 'victim' });
  await line.says(0, 'status', {});
  await changeDevice(line.world, ana, 'victim', { groupId: 'south', site: 'hq' });
  const before = await line.device('victim');
  const said = lies('north').map(([kind, body]): [string, object] => [
    kind,
    { ...body, deviceId: 'victim', site: 'x', tags: {} },
  ]);
  for (const [index, [kind, body]] of said.entries()) await line.says(20 + index * 10, kind, body);
  expect(await line.device('victim')).toEqual(before);
  expect(await getDevice(line.world, ana, 'cam-1')).toMatchObject({ site: null, tags: {}, groupId: 'unassigned' });
  score('S13', 'reports that name another camera and its place', said.length, 0);
});

test('if reports are trusted, a camera keeps the first group that it reports until a person moves it', async () => {
  const line = createTimeline();
  await line.says(0, 'status', { groupId: 'north', memory: { usedPercent: 95 } });
  await line.says(60, 'status', { groupId: 'south' });
  expect(await line.device()).toMatchObject({ groupId: 'north' });
  expect(await line.openCodes()).toEqual(['RES_001']);
  await changeDevice(line.world, of('north', 'unassigned'), 'cam-1', { groupId: 'unassigned' });
  await line.says(120, 'status', { groupId: 'south' });
  expect(await line.device()).toMatchObject({ groupId: 'unassigned' });
});

test('an id pattern places a new camera whatever it reports, and does not move existing cameras', async () => {
  const line = createTimeline();
  await line.says(0, 'status', {}, { deviceId: 'gbg-0' });
  const idPatterns = [{ pattern: 'gbg-*', groupId: 'gbg', site: 'gbg-central' }];
  await putSettings(line.world, { ...defaultSettings, idPatterns }, null);
  await line.until(120);
  await line.says(120, 'status', { groupId: 'south' }, { deviceId: 'gbg-1' });
  await line.says(121, 'connection', { status: 'online' }, { deviceId: 'gbg-2' });
  expect(await line.device('gbg-1')).toMatchObject({ groupId: 'gbg', site: 'gbg-central' });
  expect((await line.device('gbg-1'))?.labels).toContain('word central');
  expect(await line.device('gbg-2')).toMatchObject({ groupId: 'gbg', site: 'gbg-central' });
  expect(await line.device('gbg-0')).toMatchObject({ groupId: 'unassigned', site: null });
});
