import { describe, expect, test } from 'vitest';
import { takeMessage } from '../../../../shared/app/intake/take-message.ts';
import {
  type ActivityEntry,
  activityEntry,
  activityOf,
  withinBudget,
} from '../../../../shared/domain/device/activity.ts';
import { newDevice } from '../../../../shared/domain/device/device.ts';
import { guardianAlertIdOf } from '../../../../shared/domain/guardian/facts.ts';
import { plus } from '../../../../shared/domain/time.ts';
import type { Report } from '../../../../shared/schema/device/report.ts';
import { message, report } from '../../../support/records/reports.ts';
import { guardianAlert } from '../../../support/records/stories.ts';
import { frames } from '../../../support/world/frames.ts';
import { at } from '../../../support/world/timeline.ts';
import { createTestWorld, startOfTests, type TestWorld } from '../../../support/world/world.ts';

const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
const day = startOfTests.slice(0, 10);

/** `n` events of a device, one each seven seconds: more would be counted as a flood. */
async function events(world: TestWorld, n: number, { type = 'door-opened', from = 0, deviceId = 'cam-1' } = {}) {
  for (let index = from; index < from + n; index += 1) {
    const given = { publishTime: at(7 * index), deviceId };
    await takeMessage(world, message('event', { type, timestamp: at(7 * index) }, given), intake);
  }
}
const linesOf = async (world: TestWorld) =>
  (await world.store.find({ in: 'activity', limit: 5000 })).map(({ data }) => data);

test('of a device 200 lines a day are kept, then one that says so, then none', async () => {
  const world = createTestWorld();
  await events(world, 260);
  await events(world, 3, { deviceId: 'cam-2' });
  const lines = await linesOf(world);
  const own = lines.filter(({ deviceId }) => deviceId === 'cam-1');
  expect(own.filter(({ kind }) => kind === 'event')).toHaveLength(200);
  expect(own.filter(({ kind }) => kind !== 'event')).toMatchObject([
    { kind: 'more-not-kept', who: 'system', summary: expect.stringContaining(`More than 200 lines on ${day}`) },
  ]);
  expect(lines.filter(({ deviceId }) => deviceId === 'cam-2')).toHaveLength(3);
});

test('what raises a code is kept and decided whatever was before it', async () => {
  const world = createTestWorld();
  await events(world, 210);
  await events(world, 1, { type: 'unauthorized_broker_attempt', from: 300 });
  const alerts = await world.store.find({ in: 'alerts', limit: 10 });
  expect(alerts.map(({ data }) => data.code)).toEqual(['SEC_002']);
  expect((await linesOf(world)).filter(({ summary }) => summary.includes('unauthorized'))).toHaveLength(1);
  await events(world, 5, { type: 'unauthorized_broker_attempt', from: 400 });
  const [again] = await world.store.find({ in: 'alerts', limit: 10 });
  expect(again?.data.occurrences).toBe(6);
});

test('the next day begins anew, and what comes late is counted to the day that it comes on', async () => {
  const world = createTestWorld();
  await events(world, 205);
  const tomorrow = 4 * 3600;
  await events(world, 10, { from: tomorrow });
  await events(world, 5, { from: 1000 });
  const lines = await linesOf(world);
  expect(lines.filter(({ kind }) => kind === 'event')).toHaveLength(215);
  const [device] = await world.store.get('devices', ['cam-1']);
  expect(device?.data.activityCount).toEqual({ day: plus(startOfTests, 7 * tomorrow * 1000).slice(0, 10), count: 15 });
});

const device = { ...newDevice('cam-1', at(0)), groupId: 'north' };
const absorbed = { device, fresh: [], isStale: false };
const said = (given: Report, more: object = {}) => activityOf(given, { ...absorbed, ...more }, 'cause');
const health = (more: object = {}) =>
  report('guardian-health', { status: 'ok', goldenGeneration: 3, ...more } as never, 9);

describe('an entry', () => {
  const happening = { kind: 'event', who: 'device', summary: 'Event reboot', detail: {} } as const;

  test('is kept for 400 days, and the same cause gives the same one', () => {
    const entry = activityEntry(device, at(9), 'cause', happening);
    expect(entry).toEqual({
      ...happening,
      ...{ entryId: entry.entryId, deviceId: 'cam-1', groupId: 'north', at: at(9) },
      expireAt: plus(at(9), 400 * 86_400_000),
    });
    expect(activityEntry({ ...device, groupId: 'south' }, at(10), 'cause', happening).entryId).toBe(entry.entryId);
    const others = [
      activityEntry({ ...device, deviceId: 'cam-2' }, at(9), 'cause', happening),
      activityEntry(device, at(9), 'other', happening),
      activityEntry(device, at(9), 'cause', { ...happening, kind: 'presence' }),
    ];
    expect(new Set([entry, ...others].map(({ entryId }) => entryId)).size).toBe(4);
  });
});

describe('a report is described', () => {
  test.each<[string, Report, object, string | null]>([
    ['a status in order', report('status', {}), {}, null],
    ['a late status', report('status', {}), { isStale: true }, 'A status report came behind a newer one'],
    ['a connection that is known', report('connection', { status: 'online' }), {}, null],
    ['a connection', report('connection', { status: 'online' }), { fresh: ['presence'] }, 'Connected'],
    [
      'a connection with a reason',
      report('connection', { status: 'online', reason: 'r' }),
      { fresh: ['presence'] },
      'Connected',
    ],
    ['a loss', report('connection', { status: 'offline' }), { fresh: ['presence'] }, 'Disconnected'],
    [
      'a loss with a reason',
      report('connection', { status: 'offline', reason: 'timeout' }),
      { fresh: ['presence'] },
      'Disconnected: timeout',
    ],
    ['an event', report('event', { type: 'reboot', timestamp: at(0) }), {}, 'Event reboot'],
    [
      'an event with a reason',
      report('event', { type: 'reboot', timestamp: at(0), reason: 'update' }),
      {},
      'Event reboot: update',
    ],
    ['an event that is known', report('event', { type: 'reboot', timestamp: at(0) }), { isRepeat: true }, null],
    ['a health that is known', health(), {}, null],
    ['a health', health(), { fresh: ['guardian-health'] }, 'Guardian: ok'],
    [
      'a health with a reason',
      health({ status: 'blind', reason: 'no route' }),
      { fresh: ['guardian-health'] },
      'Guardian: blind: no route',
    ],
    ['a detection', report('detection', {} as never), { fresh: ['presence'] }, null],
  ])('%s: %#', (_, given, more, summary) => {
    expect(said(given, more)?.summary ?? null).toBe(summary);
  });

  test('with what it said', () => {
    const late = report('status', { timestamp: at(1), bootId: 'b', seq: 0 }, 9, { messageId: 'm' });
    expect(said(late, { isStale: true })).toMatchObject({
      ...{ kind: 'stale-report', who: 'device', at: at(9) },
      detail: { timestamp: at(1), bootId: 'b', seq: 0, messageId: 'm' },
    });
    const bare = report('status', {}, 9, { messageId: 'm' });
    expect(said(bare, { isStale: true })?.detail).toEqual({ timestamp: null, bootId: null, seq: null, messageId: 'm' });
    const lost = report('connection', { status: 'offline' });
    expect(said(lost, { fresh: ['presence'] })).toMatchObject({
      ...{ kind: 'presence', who: 'device', detail: { status: 'offline', connectedAt: null, reason: null } },
    });
    const event = report('event', { type: 'reboot', timestamp: at(0) });
    expect(said(event)).toMatchObject({
      ...{ kind: 'event', who: 'device' },
      detail: { type: 'reboot', timestamp: at(0), reason: null, expectedHost: null, attemptedHost: null },
    });
    expect(said(health(), { fresh: ['guardian-health'] })).toMatchObject({
      ...{ kind: 'guardian-health', who: 'device', detail: { status: 'ok', goldenGeneration: 3, reason: null } },
    });
  });

  const six = ['a', 'b', 'c', 'd', 'e', 'f'];

  test.each([
    ['drift', six, 'Configuration drift (CRITICAL): a, b, c, d, e', { fields: six }],
    ['heal', six, 'Configuration healed in 812 ms: a, b, c, d, e', { fields: six, durationMs: 812 }],
    ['conflict', ['a'], 'Configuration conflict: 4 drifts within 5m, the last of a', { driftCount: 4, window: '5m' }],
  ] as const)('a %s by its guardian names up to five members', (kind, fields, summary, detail) => {
    const alert = guardianAlert(kind, [...fields], at(5));
    const { alertCode, severity, timestamp } = alert;
    expect(said(report('guardian', alert))).toMatchObject({
      ...{ kind: 'guardian-alert', who: 'device', summary },
      detail: { guardianAlertId: guardianAlertIdOf('cam-1', alert), alertCode, severity, timestamp, ...detail },
    });
  });
});

describe('of one day a device stores', () => {
  const entry = said(report('event', { type: 'reboot', timestamp: at(0) })) as ActivityEntry;
  const [yesterday, today, tomorrow] = ['2026-11-19', '2026-11-20', '2026-11-21'];
  const stored = (day: string | null, count = 0, isTelling = false) =>
    withinBudget(entry, day === null ? null : { day, count }, isTelling);

  test.each<[string, string | null, number, { day: string; count: number }]>([
    ['its first', null, 0, { day: today, count: 1 }],
    ['the first of a new day', yesterday, 200, { day: today, count: 1 }],
    ['its second', today, 1, { day: today, count: 2 }],
    ['the last but one', today, 198, { day: today, count: 199 }],
    ['the two hundredth', today, 199, { day: today, count: 200 }],
    ['one that comes late on a day with one', tomorrow, 1, { day: tomorrow, count: 2 }],
    ['one that comes late, counted to the day that it comes on', tomorrow, 5, { day: tomorrow, count: 6 }],
  ])('%s', (_, day, count, next) => {
    expect(stored(day, count)).toEqual({ activity: [entry], count: next });
  });

  test.each([
    [today, 200, today],
    [tomorrow, 200, tomorrow],
  ])('one that says so after the last on %s (%d)', (day, count, named) => {
    const { activity, count: next } = stored(day, count);
    expect(activity).toMatchObject([
      {
        ...{ kind: 'more-not-kept', who: 'system', detail: {}, at: entry.at, deviceId: 'cam-1', groupId: 'north' },
        summary: `More than 200 lines on ${named}: no more are kept of that day, but those that go with alerts`,
      },
    ]);
    expect(next).toEqual({ day, count: 201 });
  });

  test('none after that, except what goes with an alert', () => {
    const count = { day: today, count: 201 };
    expect(stored(today, 201)).toEqual({ activity: [], count });
    expect(stored(today, 201, true)).toEqual({ activity: [entry], count });
    expect(stored(null, 0, true)).toEqual({ activity: [entry], count: null });
  });
});
