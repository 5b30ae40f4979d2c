import { describe, expect, test } from 'vitest';
import { type AlertRecord, type AlertSeed, seedAlert } from '../../../../shared/domain/alert/alert.ts';
import { decideAlert } from '../../../../shared/domain/alert/lifecycle.ts';
import type { AlertOrder } from '../../../../shared/domain/alert/orders.ts';
import type { Change, KnownRecords } from '../../../../shared/domain/change/change.ts';
import { decideDevice } from '../../../../shared/domain/change/decide.ts';
import { joinedSteps } from '../../../../shared/domain/change/steps.ts';
import { newDevice } from '../../../../shared/domain/device/device.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { emptyTeam } from '../../../../shared/domain/notify/team.ts';
import { planOf } from '../../../../shared/domain/settings/rules.ts';
import { defaultSettings } from '../../../../shared/domain/settings/settings.ts';
import { at } from '../../../support/world/timeline.ts';

const waits = waitsAt(1);
const configuration = {
  webhooks: [],
  rules: [],
  teams: new Map([['operations', emptyTeam('operations')]]),
  windows: [],
  settings: defaultSettings,
};
const given = { at: at(600), recordedAt: at(600), waits };
const device = { ...newDevice('cam-1', at(0)), groupId: 'north' };

const seedOf = (code: AlertSeed['code'], alertId: string): AlertSeed => ({
  ...{ alertId, deviceId: 'cam-1', groupId: 'north', code, message: `It is ${code}`, context: {} },
});
function opened(code: AlertSeed['code'], alertId: string, more: Partial<AlertRecord> = {}): AlertRecord {
  const seed = { ...seedAlert(seedOf(code, alertId), at(0)), ...more };
  const plan = planOf([], defaultSettings, seed, at(0));
  const outcome = decideAlert(seed, { kind: 'open', plan, responseMs: 300_000 }, 'device', at(0));
  if (outcome.kind !== 'changed') throw new Error('an alert that does not open');
  return outcome.alert;
}
const ended = (alert: AlertRecord): AlertRecord => {
  const end = { kind: 'end', resolution: 'automatic', why: 'It ended' } as const;
  const outcome = decideAlert(alert, end, 'device', at(300));
  if (outcome.kind !== 'changed') throw new Error('an alert that does not end');
  return outcome.alert;
};

function decided(orders: AlertOrder[], alerts: (AlertRecord | [string, null])[]) {
  const known: KnownRecords = {
    configuration,
    alerts: new Map(alerts.map((each) => (Array.isArray(each) ? each : [each.alertId, each]))),
    targets: new Map(),
    activity: new Map(),
  };
  const decision = {
    ...{ device, orders, who: 'device' as const, activity: [], at: at(600), isStale: false, isWorthWriting: true },
  };
  const change = decideDevice(device, decision, known, given);
  if (change.kind === 'needs') return change;
  return Object.assign(change satisfies Change, {
    byCode: Object.fromEntries(change.alerts.map((alert) => [alert.code, alert])),
  });
}
const open = (code: AlertSeed['code'], alertId: string): AlertOrder => ({ kind: 'open', seed: seedOf(code, alertId) });
const end = (alertId: string): AlertOrder => ({ kind: 'end', alertId, resolution: 'automatic', why: 'It is back' });

describe('the return of a camera', () => {
  const lost = (isMember: boolean) => opened('CONN_001', 'lost', { isMember, incidentId: isMember ? 'i-1' : null });
  const members = (...given: Parameters<typeof decided>) => {
    const { byCode } = decided(...given) as { byCode: Record<string, AlertRecord> };
    return Object.fromEntries(Object.entries(byCode).map(([code, { isMember }]) => [code, isMember]));
  };

  test('is announced by its incident where it was lost with others, and anything else is announced as usual', () => {
    const orders = [end('lost'), open('CONN_004', 'back'), open('RES_001', 'memory')];
    expect(members(orders, [lost(true), ['back', null], ['memory', null]])).toEqual({
      CONN_001: true,
      CONN_004: true,
      RES_001: false,
    });
  });

  test('is announced by itself where it was lost alone, or where its loss is not known', () => {
    const orders = [end('lost'), open('CONN_004', 'back')];
    expect(members(orders, [lost(false), ['back', null]])).toEqual({ CONN_001: false, CONN_004: false });
    expect(
      members(orders, [
        ['lost', null],
        ['back', null],
      ]),
    ).toEqual({ CONN_004: false });
    const other = [open('CONN_004', 'back'), { ...end('lost'), kind: 'see', finding: seedOf('CONN_001', 'lost') }];
    expect(members(other as AlertOrder[], [lost(true), ['back', null]])).toMatchObject({ CONN_004: false });
  });
});

describe('an alert that a cause opened before', () => {
  test('goes on, with what holds now, and flaps only if its device says so', () => {
    const before = ended(opened('RES_001', 'memory'));
    const seed = { ...seedOf('RES_001', 'memory'), message: 'Memory at 99 %', context: { memoryUsedPercent: 99 } };
    expect(decided([{ kind: 'open', seed }], [before])).toMatchObject({
      alerts: [{ alertId: 'memory', status: 'active', message: seed.message, context: seed.context, flapping: false }],
      entries: [{ action: 'return', why: 'The condition returned' }],
    });
    const seen = { alertId: 'memory', finding: seed, flapping: true, notifyAfter: at(660), lostAt: null };
    expect(decided([{ kind: 'return', ...seen }], [before])).toMatchObject({
      alerts: [{ flapping: true, notifyAfter: at(660) }],
    });
  });

  test('is not opened again where it only informs', () => {
    expect(decided([open('CONN_004', 'back')], [opened('CONN_004', 'back')])).toMatchObject({
      alerts: [],
      entries: [],
    });
  });

  test('waits for the look, if it is a loss', () => {
    const back = (code: 'CONN_001' | 'RES_001') => [ended(opened(code, code))];
    expect(decided([open('CONN_001', 'CONN_001')], back('CONN_001'))).toMatchObject({
      alerts: [{ isMember: false, awaitsLook: true, isJudged: false, respondBy: null }],
    });
    expect(decided([open('RES_001', 'RES_001')], back('RES_001'))).toMatchObject({
      alerts: [{ awaitsLook: false, isJudged: true, respondBy: expect.any(String) }],
    });
  });
});

test('a change of what is not known yet asks for it', () => {
  expect(decided([open('RES_001', 'memory')], [])).toMatchObject({ kind: 'needs', alerts: ['memory'] });
  expect(decided([end('lost')], [])).toMatchObject({ kind: 'needs', alerts: ['lost'] });
});

describe('a loss that joins an incident gets what people have done there', () => {
  const incident = { incidentId: 'i-1', status: 'active', snoozedUntil: null } as const;
  const joined = (more: object) =>
    joinedSteps(opened('CONN_001', 'lost'), { ...incident, ...more }, 'Dark', configuration, given)?.map(
      ({ entry: { action, who } }) => `${action} ${who}`,
    );
  test.each([
    [{}, ['join system']],
    [{ status: 'escalated' }, ['join system']],
    [{ status: 'acknowledged' }, ['join system', 'acknowledge incident:i-1']],
    [{ snoozedUntil: at(700) }, ['join system', 'snooze incident:i-1']],
    // A snooze that has just ended is over.
    [{ snoozedUntil: at(600) }, ['join system']],
  ])('%o', (more, steps) => {
    expect(joined(more)).toEqual(steps);
  });
});
