import { describe, expect, test } from 'vitest';
import { type AlertRecord, seedAlert } from '../../../../shared/domain/alert/alert.ts';
import { decideAlert } from '../../../../shared/domain/alert/lifecycle.ts';
import type { KnownRecords } from '../../../../shared/domain/change/change.ts';
import { decideMove, movedAlerts } from '../../../../shared/domain/change/decide.ts';
import { type Device, newDevice } from '../../../../shared/domain/device/device.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { emptyTeam } from '../../../../shared/domain/notify/team.ts';
import { planOf } from '../../../../shared/domain/settings/rules.ts';
import { defaultSettings } from '../../../../shared/domain/settings/settings.ts';
import { at } from '../../../support/world/timeline.ts';

const configuration = { webhooks: [], rules: [], teams: new Map(), windows: [], settings: defaultSettings };
const given = { at: at(600), recordedAt: at(600), waits: waitsAt(1) };
const open = { RES_001: { alertId: 'memory', since: at(0) }, RES_003: { alertId: 'storage', since: at(0) } };
const before: Device = { ...newDevice('cam-1', at(0)), groupId: 'north', version: 4, open };
const moved = { ...before, groupId: 'south', name: 'Gate', site: 'b' };

function alert(alertId: string, code: 'RES_001' | 'RES_003'): AlertRecord {
  const seed = { alertId, deviceId: 'cam-1', groupId: 'north', code, message: 'High', context: {} };
  const seeded = { ...seedAlert(seed, at(0)), occurrences: 7, lastSeenAt: at(500), worsenedAt: at(400) };
  const plan = planOf([], defaultSettings, seeded, at(0));
  const opened = decideAlert(seeded, { kind: 'open', plan, responseMs: 3_600_000 }, 'device', at(0));
  if (opened.kind !== 'changed') throw new Error('an alert that does not open');
  return opened.alert;
}
const known = (alerts: KnownRecords['alerts'], more: Partial<KnownRecords> = {}): KnownRecords => ({
  ...{ configuration, alerts, targets: new Map(), activity: new Map(), ...more },
});
const move = (alerts: KnownRecords['alerts'], device: Device = moved, more: Partial<KnownRecords> = {}) =>
  movedAlerts(before, device, 'user:ana', known(alerts, more), given);

describe('a camera that moves to another group', () => {
  const asked = move(new Map());
  const ids = asked.kind === 'needs' ? asked.alerts : [];
  const read = (...found: [string, AlertRecord | null][]) =>
    new Map<string, AlertRecord | null>([...ids.map((id) => [id, null] as const), ...found]);

  test('needs the alerts that are open on it, and those that would continue them', () => {
    expect(ids).toHaveLength(4);
    expect(ids).toEqual(expect.arrayContaining(['memory', 'storage']));
    const without = move(read(), moved, { configuration: null });
    expect(without).toMatchObject({ kind: 'needs', alerts: [] });
  });

  test('has them ended in the old group and opened in the new one, with their beginning and what was seen', () => {
    const outcome = move(read(['memory', alert('memory', 'RES_001')], ['storage', alert('storage', 'RES_003')]));
    if (outcome.kind !== 'moved') throw new Error('not moved');
    const steps = outcome.lives.flat();
    expect(steps.map(({ entry: { action, groupId, who, why } }) => `${groupId} ${action} ${who}: ${why}`)).toEqual([
      'north end user:ana: The camera moved to another group',
      'south open user:ana: Moved with its camera from another group',
      'north end user:ana: The camera moved to another group',
      'south open user:ana: Moved with its camera from another group',
    ]);
    expect(steps[1]?.after).toMatchObject({
      groupId: 'south',
      deviceName: 'Gate',
      site: 'b',
      timestamp: at(0),
      occurrences: 7,
      lastSeenAt: at(500),
      worsenedAt: at(400),
      status: 'active',
      acknowledgedBy: null,
    });
    expect(outcome.open.RES_001).toEqual({ alertId: steps[1]?.after.alertId, since: at(0) });
    expect(ids).toContain(outcome.open.RES_003?.alertId);
  });

  test('keeps what is over as it is, and what is missing too', () => {
    const over = { ...alert('memory', 'RES_001'), isOpen: false, status: 'resolved' as const };
    const outcome = move(read(['memory', over]));
    expect(outcome).toEqual({ kind: 'moved', lives: [], open });
  });

  test('does not carry over an alert that opens only with the move', () => {
    const other = { ...moved, open: { RES_001: { alertId: 'new one', since: at(600) } } };
    expect(move(new Map(), other)).toEqual({ kind: 'moved', lives: [], open: other.open });
  });
});

test('a camera that stays where it is keeps its alerts', () => {
  expect(move(new Map(), { ...before, name: 'Gate' })).toEqual({ kind: 'moved', lives: [], open });
});

describe('everything that follows a move', () => {
  const ids = [before, { ...before, version: 5 }].map((device) => {
    const asked = movedAlerts(device, moved, 'user:ana', known(new Map()), given);
    return asked.kind === 'needs' ? asked.alerts : [];
  });
  const opens = { RES_001: { alertId: 'memory', since: at(0) } };
  const from = { ...before, open: opens };
  const device = {
    ...moved,
    open: opens,
    ended: { CONN_001: { alertId: 'x', at: at(0), why: '' } },
  } as unknown as Device;
  const decide = (more: Partial<KnownRecords> = {}, alerts: KnownRecords['alerts'] = new Map()) =>
    decideMove(from, device, 'user:ana', known(alerts, more), given);
  const [asked] = [decide()];
  const read = new Map<string, AlertRecord | null>([
    ...(asked?.kind === 'needs' ? asked.alerts.map((id) => [id, null] as const) : []),
    ['memory', alert('memory', 'RES_001')],
  ]);

  test('is asked for what it needs first: the alerts, the configuration, and the budgets of who is notified', () => {
    expect(asked).toMatchObject({ kind: 'needs', targets: [] });
    expect(asked?.kind === 'needs' && asked.alerts).toHaveLength(2);
    const still = { ...device, groupId: 'north' };
    const unread = known(new Map(), { configuration: null });
    expect(decideMove(from, still, 'user:ana', unread, given)).toEqual({ kind: 'needs', alerts: [], targets: [] });
    const teams = new Map([['operations', { ...emptyTeam('operations'), emails: ['ops@example.com'] }]]);
    const asks = decide({ configuration: { ...configuration, teams } }, read);
    expect(asks).toEqual({ kind: 'needs', alerts: [], targets: [expect.any(String)] });
  });

  test('is the device with its alerts of the new group, and nothing that could return', () => {
    const change = decide({}, read);
    if (change.kind !== 'change') throw new Error('not decided');
    const [, opened] = change.alerts;
    expect(change.alerts.map(({ groupId, status }) => `${groupId} ${status}`)).toEqual([
      'north resolved',
      'south active',
    ]);
    expect(change.device).toEqual({
      ...device,
      open: { RES_001: { alertId: opened?.alertId, since: at(0) } },
      ended: {},
    });
    expect(change.entries.map(({ action }) => action)).toEqual(['end', 'open']);
  });

  test('has other ids with each version of the device', () => {
    expect(new Set(ids.flat()).size).toBe(6);
  });

  test('asks for a single alert that is missing', () => {
    const known = new Map([...read].filter(([id]) => id !== 'memory'));
    expect(decide({}, known)).toEqual({ kind: 'needs', alerts: ['memory'], targets: [] });
  });
});
