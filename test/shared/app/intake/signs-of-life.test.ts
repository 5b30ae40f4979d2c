import { expect, test } from 'vitest';
import { changeDevice } from '../../../../shared/app/devices/register.ts';
import { putSettings } from '../../../../shared/app/settings/settings.ts';
import { defaultSettings } from '../../../../shared/domain/settings/settings.ts';
import { ana } from '../../../support/records/alerts.ts';
import { guardianAlert } from '../../../support/records/stories.ts';
import { at, createTimeline, hour, minute } from '../../../support/world/timeline.ts';

const well = { memory: { usedPercent: 20 } };
type Timeline = ReturnType<typeof createTimeline>;

/** Another camera reports every minute, so that the platform is not blind. A sweep follows each report. */
async function beside(line: Timeline, until: number, says: (seconds: number) => Promise<unknown> = async () => {}) {
  const from = Math.ceil((Date.parse(line.world.now()) - Date.parse(at(0))) / 60_000) * minute;
  for (let seconds = from; seconds <= until; seconds += minute) {
    await line.says(seconds, 'status', well, { deviceId: 'other' });
    await says(seconds);
    await line.sweptUntil(seconds + minute);
  }
}

test('a healthy camera whose reports cannot be read is not taken for lost', async () => {
  const line = createTimeline();
  await line.says(0, 'status', well);
  await beside(line, 15 * minute, (seconds) => line.says(seconds + 1, 'status', Buffer.from('{"mqtt":')));
  expect(await line.openCodes()).toEqual([]);
  expect((await line.quarantined()).length).toBeGreaterThan(10);
});

test('a section that does not fit is left out and the good ones count; it is recorded once an hour', async () => {
  const line = createTimeline();
  await line.says(0, 'status', well);
  for (let seconds = minute; seconds <= 59 * minute; seconds += minute) {
    await line.says(seconds, 'status', { mqtt: { latencyMs: -1 }, memory: { usedPercent: 93 } });
  }
  expect(await line.openCodes()).toEqual(['RES_001']);
  expect((await line.quarantined()).map(({ reason, errors }) => [reason, errors])).toEqual([
    ['wrong-shape', [{ pointer: '/mqtt/latencyMs', detail: 'must be >= 0' }]],
  ]);
  await line.says(60 * minute, 'status', { mqtt: { latencyMs: 'fast' }, memory: { usedPercent: 93 } });
  await line.says(61 * minute, 'status', { mqtt: { latencyMs: -1 }, memory: { usedPercent: 93 } });
  expect(await line.quarantined()).toHaveLength(3);
});

test('what a repeat of a message could not put away the first time is put away the second', async () => {
  const line = createTimeline();
  await line.says(0, 'status', well);
  const given = { messageId: 'again' };
  await line.says(60, 'status', { mqtt: { latencyMs: -1 } }, given);
  const [kept] = await line.world.store.find({ in: 'quarantine', limit: 1 });
  if (!kept) throw new Error('nothing is kept');
  await line.world.store.commit([{ kind: 'delete', in: 'quarantine', id: kept.id, revision: kept.revision }]);
  await line.arrives(60, 'status', { mqtt: { latencyMs: -1 } }, given);
  expect(await line.quarantined()).toHaveLength(1);
});

test.each([
  ['a guardian', 'guardian', guardianAlert('conflict', ['clientId'], at(60))],
  ['what its guardian says of a heal', 'event', { type: 'guardian_heal_failed', timestamp: at(60) }],
  ['what its guardian says of its configuration', 'event', { type: 'configuration_restored', timestamp: at(60) }],
  ['a last will', 'connection', { status: 'offline', reason: 'takenover' }],
  ['a birth message that cannot be read', 'connection', { status: 'perhaps' }],
])('%s is no sign of life of the camera', async (_, kind, body) => {
  const line = createTimeline();
  await line.says(0, 'status', well);
  await beside(line, 15 * minute, (seconds) => line.says(seconds + 1, kind, body));
  expect(await line.openCodes()).toContain('CONN_001');
});

test('a retained message that a broker had kept shows no life', async () => {
  const line = createTimeline();
  await line.says(0, 'status', well);
  const retained = { attributes: { deviceId: 'cam-1', kind: 'status', retained: 'true' } };
  await beside(line, 15 * minute, (seconds) =>
    line.says(seconds + 1, 'status', { ...well, timestamp: at(-60) }, retained),
  );
  expect(await line.openCodes()).toEqual(['CONN_001']);
});

test('what a silent camera said before its last report, and comes late, does not bring it back', async () => {
  const line = createTimeline();
  await line.says(0, 'status', well);
  await line.says(5 * minute, 'status', well);
  await beside(line, 20 * minute);
  expect(await line.openCodes()).toEqual(['CONN_001']);
  await line.arrives(4 * minute, 'status', well);
  expect(await line.openCodes()).toEqual(['CONN_001']);
  await line.arrives(4 * minute + 1, 'status', Buffer.from('{'));
  expect(await line.openCodes()).toEqual(['CONN_001']);
  await line.arrives(20 * minute, 'status', well);
  expect(await line.openCodes()).toEqual([]);
});

test.each([
  ['the fleet', { reporting: { periodSeconds: 600 } }],
  ['its group', { groupReporting: { north: { periodSeconds: 600 } } }],
])('a camera that reports each 10 minutes, as set for %s, is not lost each 10 minutes', async (_, settings) => {
  const line = createTimeline();
  await putSettings(line.world, { ...defaultSettings, ...settings }, null);
  await line.says(0, 'status', { ...well, groupId: 'north' });
  await beside(line, 60 * minute, (seconds) =>
    seconds % 600 === 0 ? line.says(seconds + 1, 'status', well) : Promise.resolve(),
  );
  expect(await line.alerts()).toEqual([]);
  // 5 minutes, two reporting periods, and 2 minutes for the resolution of sightings.
  await beside(line, 85 * minute);
  expect(await line.openCodes()).toEqual([]);
  await beside(line, 89 * minute);
  expect(await line.openCodes()).toEqual(['CONN_001']);
});

test('what is set for a device counts more than its group; one that reports on change only is never silent, but may be lost', async () => {
  const line = createTimeline();
  await putSettings(line.world, { ...defaultSettings, groupReporting: { north: { periodSeconds: 60 } } }, null);
  await line.says(0, 'status', { ...well, groupId: 'north' });
  await changeDevice(line.world, ana, 'cam-1', { reporting: { periodSeconds: 0, lossPatienceSeconds: 900 } });
  await beside(line, 60 * minute);
  expect(await line.openCodes()).toEqual([]);
  await line.says(62 * minute, 'connection', { status: 'offline' });
  await line.until(62 * minute + 899);
  expect(await line.openCodes()).toEqual([]);
  await line.until(62 * minute + 900);
  expect(await line.openCodes()).toEqual(['CONN_001']);
});

test('settings that become patient while a device is quiet keep it from being declared silent', async () => {
  const line = createTimeline();
  await line.says(0, 'status', well);
  await beside(line, 5 * minute);
  await putSettings(line.world, { ...defaultSettings, reporting: { periodSeconds: hour } }, null);
  await beside(line, 30 * minute);
  expect(await line.openCodes()).toEqual([]);
});
