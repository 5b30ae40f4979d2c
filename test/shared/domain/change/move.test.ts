import { describe, expect, test } from 'vitest';
import { type AlertRecord, seedAlert } from '../../../../shared/domain/alert/alert.ts';
import { decideAlert } from '../../../../shared/domain/alert/lifecycle.ts';
import type { Known } from '../../../../shared/domain/change/change.ts';
import { movedAlerts } from '../../../../shared/domain/change/move.ts';
import { type Device, newDevice } from '../../../../shared/domain/device/device.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
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
const known = (alerts: Known['alerts'], more: Partial<Known> = {}): Known => ({
  ...{ configuration, alerts, targets: new Map(), activity: new Map(), standing: null, ...more },
});
const move = (alerts: Known['alerts'], device: Device = moved, more: Partial<Known> = {}) =>
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
      'north end user:ana: The camera moved from group north to south',
      'south open user:ana: Moved with its camera from group north',
      'north end user:ana: The camera moved from group north to south',
      'south open user:ana: Moved with its camera from group north',
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
