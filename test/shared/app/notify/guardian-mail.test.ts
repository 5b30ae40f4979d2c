import { expect, test } from 'vitest';
import { sweep } from '../../../../shared/app/due/sweep.ts';
import { takeGuardianAlert } from '../../../../shared/app/intake/guardian-alerts.ts';
import { plus } from '../../../../shared/domain/time.ts';
import type { DriftAlert, GuardianAlert } from '../../../../shared/schema/guardian/guardian-alert.ts';
import type { UnsignedHeals } from '../../../../shared/schema/vocabulary.ts';
import { createPost } from '../../../support/notify/post.ts';
import { giveTeam, messagesOf } from '../../../support/records/alerts.ts';
import { report } from '../../../support/records/reports.ts';
import { createWays, names } from '../../../support/world/ways.ts';
import { createTestWorld, startOfTests, type TestWorld } from '../../../support/world/world.ts';

const device = { serial: 'ACCC8E000001', model: 'P3245-V', ip: '192.0.2.10' };
const at = (seconds: number) => plus(startOfTests, seconds * 1000);
const drift = (seconds: number): GuardianAlert => ({
  alertCode: 'CONFIG_DRIFT',
  severity: 'warning',
  device,
  timestamp: at(seconds),
  drift: {
    fields: [{ name: 'topicPrefix', expected: 'secret-a', actual: 'secret-b', severity: 'HIGH' }],
    maxSeverity: 'HIGH',
    count: 1,
  },
  action: 'HEALING',
});
const healed = (seconds: number): GuardianAlert => ({
  alertCode: 'CONFIG_HEALED',
  severity: 'info',
  device,
  timestamp: at(seconds),
  heal: { fieldsRestored: ['topicPrefix'], count: 1, durationMs: 900 },
});
const conflict = (seconds: number): GuardianAlert => ({
  alertCode: 'CONFIG_CONFLICT',
  severity: 'critical',
  device,
  timestamp: at(seconds),
  conflict: {
    driftCount: 4,
    window: '5m',
    healAttempts: 4,
    lastDrift: { field: 'topicPrefix', expected: 'a', actual: 'b' },
  },
  recommendation: 'Look who writes to it.',
});

async function mailed(
  alerts: [deviceId: string, seconds: number, alert: GuardianAlert][],
  ring = true,
  { unsignedHeals = 'accept', isSigned = false }: { unsignedHeals?: UnsignedHeals; isSigned?: boolean } = {},
): Promise<Mailed> {
  const world: TestWorld = { ...createTestWorld(), unsignedHeals };
  await giveTeam(world, 'operations', { emails: ['ops@example.com'], phones: ['+46701234567'] });
  for (const [deviceId, seconds, alert] of alerts) {
    const envelope = { member: 'alert', epoch: 'e1', seq: 1, signature: '' } as const;
    await takeGuardianAlert(world, report('guardian', alert, seconds, { deviceId, ...(isSigned ? { envelope } : {}) }));
  }
  const post = createPost(world);
  for (let step = 0; step < 60; step += 1) {
    if (!ring) world.wakes.splice(0, world.wakes.length, ...world.wakes.filter((wake) => wake.in === 'deliveries'));
    await post.pass(10);
    await sweep(world);
  }
  return { world, subjects: post.sent.map(({ text }) => text.split('\n')[0] ?? '') };
}

type Mailed = { world: TestWorld; subjects: string[] };

const subjects = ({ subjects: sent }: Mailed) => sent;

test('a drift that heals within the minute is normal operation and tells nobody, in whatever order they come', async () => {
  expect(
    subjects(
      await mailed([
        ['cam-1', 0, drift(0)],
        ['cam-1', 20, healed(20)],
      ]),
    ),
  ).toEqual([]);
  expect(
    subjects(
      await mailed([
        ['cam-1', 20, healed(20)],
        ['cam-1', 0, drift(0)],
      ]),
    ),
  ).toEqual([]);
});

test('a drift that stays is announced after the minute, its late heal is announced, a conflict at once; by mail alone and without values', async () => {
  const made = await mailed([
    ['cam-1', 15, drift(15)],
    ['cam-1', 200, healed(200)],
    ['cam-2', 0, conflict(0)],
  ]);
  expect(subjects(made)).toEqual([
    '[CRITICAL] unassigned / cam-2: Configuration conflict at 10:00',
    '[WARNING] unassigned / cam-1: Configuration drift at 10:00',
    '[INFO] unassigned / cam-1: Configuration healed at 10:03',
  ]);
  const messages = await messagesOf(made.world);
  expect(messages.map(({ channel }) => channel)).toEqual(['email', 'email', 'email']);
  expect(JSON.stringify(messages)).not.toContain('secret-');
});

test('many cameras that drift at once make three mails and one digest, and a lost wake is found by the sweep', async () => {
  const many = Array.from({ length: 30 }, (_unused, index): [string, number, GuardianAlert] => [
    `cam-${index}`,
    0,
    drift(0),
  ]);
  for (const ring of [true, false]) {
    expect(subjects(await mailed(many, ring))).toEqual([
      ...Array(3).fill(expect.stringContaining(': Configuration drift at 10:00')),
      '[WARNING] Digest: Configuration drift 27 times',
    ]);
  }
});

const turned: GuardianAlert = {
  ...(drift(0) as DriftAlert),
  drift: {
    fields: [{ name: 'broker.host', expected: 'a', actual: 'b', severity: 'CRITICAL' }],
    maxSeverity: 'CRITICAL',
    count: 1,
  },
};

test('where unsigned heals are doubted, a drift of the broker that somebody calls healed is announced as such; a signed one is not', async () => {
  const pair: [string, number, GuardianAlert][] = [
    ['cam-1', 0, turned],
    ['cam-1', 20, healed(20)],
  ];
  const notified = '[WARNING] unassigned / cam-1: Configuration drift (healed, unsigned) at 10:00';
  expect(subjects(await mailed(pair, true, { unsignedHeals: 'doubt' }))).toEqual([notified]);
  expect(subjects(await mailed(pair, true, { unsignedHeals: 'doubt', isSigned: true }))).toEqual([]);
  expect(subjects(await mailed(pair))).toEqual([]);
  const other: [string, number, GuardianAlert][] = [
    ['cam-1', 0, drift(0)],
    ['cam-1', 20, healed(20)],
  ];
  expect(subjects(await mailed(other, true, { unsignedHeals: 'doubt' }))).toEqual([]);
});

test('while nothing is heard, what looks like half of a pair waits: its other half may be on its way', async () => {
  const world = createTestWorld();
  const ways = createWays(world);
  await giveTeam(world, 'operations', { emails: ['ops@example.com'] });
  await ways.live(3, names(3));
  ways.state.ingest = false;
  await takeGuardianAlert(world, report('guardian', drift(180), 180, { deviceId: 'cam-1' }));
  await takeGuardianAlert(world, report('guardian', drift(180), 180, { deviceId: 'cam-2' }));
  await ways.live(10, names(3));
  expect(await drifts(world)).toEqual([]);
  await takeGuardianAlert(world, report('guardian', healed(200), 200, { deviceId: 'cam-1' }));
  await ways.openIngest();
  await ways.live(6, names(3));
  expect(await drifts(world)).toEqual(['cam-2']);
  // Every sweep of those ten minutes finds them, but each is handled only once.
  const done = world.lines.flatMap(({ event, fields }) =>
    event === 'sweep.found' ? [fields['guardianAlerts'] ?? 0] : [],
  );
  expect(done.reduce((sum: number, count) => sum + Number(count), 0)).toBe(3);
});

const drifts = async (world: TestWorld) =>
  (await messagesOf(world)).flatMap(({ message, deviceId }) => (message?.about === 'guardian' ? [deviceId] : []));
