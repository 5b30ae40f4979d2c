import { describe, expect, test } from 'vitest';
import { absorb } from '../../../../shared/domain/device/absorb.ts';
import { type Device, newDevice } from '../../../../shared/domain/device/device.ts';
import { levelOf } from '../../../../shared/domain/device/measure.ts';
import type { GuardianTrust } from '../../../../shared/domain/guardian/trust.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import type { Report, StatusReport } from '../../../../shared/schema/device/report.ts';
import { report } from '../../../support/records/reports.ts';
import { guardianAlert } from '../../../support/records/stories.ts';
import { at } from '../../../support/world/timeline.ts';

const waits = waitsAt(1);
const fresh = newDevice('cam-1', at(0));
const status = (body: StatusReport, seconds: number, messageId = `m-${seconds}`) =>
  report('status', body, seconds, { messageId });
const event = (type: string, seconds: number, more: object = {}) =>
  report('event', { type, timestamp: at(seconds), ...more }, seconds, { messageId: `e-${seconds}` });
const add = (device: Device, ...reports: Report[]) =>
  reports.reduce((known, each) => absorb(known.device, each, waits), {
    device,
    fresh: [],
    isStale: false,
  } as ReturnType<typeof absorb>);

describe('a status report brings what it carries', () => {
  test.each<[StatusReport, string[]]>([
    [{}, []],
    [{ name: 'Door' }, []],
    [{ memory: { usedPercent: 0 } }, ['memory']],
    [{ storage: { freeMegabytes: 0 } }, ['storage']],
    [{ mqtt: { latencyMs: 0 } }, ['latency']],
    [{ mqtt: { brokerHost: 'b' } }, []],
    [{ certificate: { valid: true } }, ['certificate']],
    [{ certificate: { notAfter: at(9) } }, ['certificate']],
    [{ certificate: {} }, []],
    [{ auth: { failedAttempts: 1, windowSeconds: 60 } }, ['failures']],
    [{ memory: { usedPercent: 1 }, auth: { failedAttempts: 1, windowSeconds: 60 } }, ['memory', 'failures']],
  ])('%j brings %j', (body, names) => {
    const { fresh: found, isStale, device } = add(fresh, status(body, 10));
    expect([found, isStale]).toEqual([names, false]);
    expect(device.newest.status?.receivedAt).toBe(at(10));
    expect(device.lastLate).toBeNull();
  });

  test('and one that is older than the newest is late, and does not replace what it says', () => {
    const late = add(fresh, status({ memory: { usedPercent: 50 } }, 20), status({ memory: { usedPercent: 90 } }, 10));
    expect(late.isStale).toBe(true);
    expect(late.device.newest.status?.receivedAt).toBe(at(20));
    expect(late.device.lastLate?.receivedAt).toBe(at(10));
    const next = absorb(late.device, status({}, 30), waits);
    expect([next.isStale, next.device.newest.status?.receivedAt]).toEqual([false, at(30)]);
    expect(next.device.lastLate?.receivedAt).toBe(at(10));
  });

  test('and the first copy of a report counts, whichever is handled first', () => {
    const copy = (seconds: number) => status({ bootId: 'b', seq: 1 }, seconds);
    const both = add(fresh, copy(12), copy(10));
    expect([both.isStale, both.device.newest.status?.receivedAt]).toEqual([false, at(10)]);
    const turned = add(fresh, copy(10), copy(12));
    expect([turned.isStale, turned.device.newest.status?.receivedAt]).toEqual([false, at(10)]);
  });

  test('and a copy brings nothing', () => {
    const body = { memory: { usedPercent: 50 }, auth: { failedAttempts: 2, windowSeconds: 60 } };
    const first = add(fresh, status(body, 10));
    expect(first.device.authFailures).not.toEqual(fresh.authFailures);
    const again = absorb(first.device, status(body, 10), waits);
    expect([again.fresh, again.isStale]).toEqual([[], false]);
    expect([again.device.measures, again.device.authFailures]).toEqual([
      first.device.measures,
      first.device.authFailures,
    ]);
  });
});

describe('an event', () => {
  test('that comes again changes nothing and is known as a repetition', () => {
    const first = absorb(fresh, event('certificate_validation_failed', 10, { reason: 'expired' }), waits);
    expect([first.fresh, first.isStale, first.isRepeat]).toEqual([['certificate'], false, undefined]);
    expect(first.device.certificate.validity?.reason).toBe('expired');
    const again = absorb(first.device, event('certificate_validation_failed', 10, { reason: 'expired' }), waits);
    expect([again.fresh, again.isStale, again.isRepeat]).toEqual([[], false, true]);
    expect(again.device.certificate).toEqual(first.device.certificate);
  });

  test('of a failed validation that is older than what is known brings nothing', () => {
    const known = add(fresh, status({ certificate: { valid: true } }, 20)).device;
    const older = absorb(known, event('certificate_validation_failed', 10), waits);
    expect([older.fresh, older.device.certificate]).toEqual([[], known.certificate]);
  });

  test('of another broker is an attempt with its hosts, which a person may have settled before', () => {
    const foreign = event('unauthorized_broker_attempt', 10, { expectedHost: 'a', attemptedHost: 'b', reason: 'r' });
    const first = absorb(fresh, foreign, waits);
    expect([first.fresh, first.isStale]).toEqual([['attempt'], false]);
    expect(first.device.attempts).toMatchObject([{ at: at(10), expectedHost: 'a', attemptedHost: 'b', reason: 'r' }]);
    const bare = absorb(fresh, event('unauthorized_broker_attempt', 10), waits).device;
    expect(bare.attempts).toMatchObject([{ expectedHost: null, attemptedHost: null, reason: null }]);
    const settledAttempts = first.device.attempts.map(({ key }) => key);
    const settled = absorb({ ...fresh, settledAttempts }, foreign, waits);
    expect([settled.fresh, settled.isStale, settled.device.attempts]).toEqual([[], false, []]);
  });

  test.each(['guardian_heal_failed', 'configuration_restored'])(
    'of the guardian (%s) is a fact about its drifts',
    (type) => {
      const first = absorb(fresh, event(type, 10), waits);
      expect([first.fresh, first.isStale, first.device.guardian.recent.length]).toEqual([['drift'], false, 1]);
    },
  );

  test('without a meaning is only remembered', () => {
    const other = absorb(fresh, event('lens_cleaned', 10), waits);
    expect([other.fresh, other.isStale]).toEqual([[], false]);
    expect([other.device.events.length, other.device.guardian]).toEqual([1, fresh.guardian]);
  });
});

describe('an alert of a guardian', () => {
  const guardian = (kind: 'drift' | 'heal' | 'conflict', fields: string[], seconds: number) =>
    report('guardian', guardianAlert(kind, fields, at(seconds)), seconds);

  test.each([
    ['drift', 'drift'],
    ['heal', 'heal'],
    ['conflict', 'conflict'],
  ] as const)('of a %s brings it, once', (kind, name) => {
    const first = absorb(fresh, guardian(kind, ['port'], 10), waits);
    expect([first.fresh, first.isStale, first.device.attempts]).toEqual([[name], false, []]);
    const again = absorb(first.device, guardian(kind, ['port'], 10), waits);
    expect([again.fresh, again.isStale]).toEqual([[], false]);
  });

  test('of a drift of the broker’s host is an attempt too, with both hosts as texts', () => {
    const both = absorb(fresh, guardian('drift', ['port', 'broker.host'], 10), waits);
    expect(both.fresh).toEqual(['drift', 'attempt']);
    expect(both.device.attempts).toMatchObject([
      {
        at: at(10),
        expectedHost: 'broker.example',
        attemptedHost: 'evil.example',
        reason: 'configuration drift of broker.host',
      },
    ]);
    const odd = guardianAlert('drift', ['broker.host'], at(20));
    if (odd.alertCode !== 'CONFIG_DRIFT') throw new Error('not a drift');
    odd.drift.fields = [{ name: 'broker.host', expected: { a: 1 }, actual: 'x'.repeat(300), severity: 'HIGH' }];
    const attempts = absorb(fresh, report('guardian', odd, 20), waits).device.attempts;
    expect([attempts[0]?.expectedHost, attempts[0]?.attemptedHost?.length]).toEqual(['{"a":1}', 256]);
    const missing = {
      ...odd,
      drift: { ...odd.drift, fields: [{ name: 'broker.host', expected: 'a', severity: 'HIGH' }] },
    };
    expect(absorb(fresh, report('guardian', missing, 20), waits).device.attempts[0]?.attemptedHost).toBe('');
    expect(absorb(fresh, guardian('heal', ['broker.host'], 10), waits).device.attempts).toEqual([]);
  });
});

test('a connection brings presence where it says something new', () => {
  const online = report('connection', { status: 'online', connectedAt: at(5) }, 10, { messageId: 'c' });
  const first = absorb(fresh, online, waits);
  expect([first.fresh, first.isStale, first.device.presence.connectedAt]).toEqual([['presence'], false, at(5)]);
  expect(absorb(first.device, online, waits).fresh).toEqual([]);
});

test('a detection shows only that the camera is alive', () => {
  const seen = absorb(fresh, report('detection', {} as never, 10), waits);
  expect(seen).toEqual({ device: { ...fresh, lastSeenAt: at(10), aliveAt: at(10) }, fresh: [], isStale: false });
});

describe('the health of a guardian', () => {
  const trust: GuardianTrust = {
    ...{ publicKey: 'k', oldKey: null, keyUsedAt: null, signedSince: null, epochs: [], forgottenUntil: null },
    ...{ forgottenHealth: 0, countedFrom: null },
    health: null,
  };
  const known: Device = { ...fresh, guardianTrust: trust };
  const health = (status: string, seconds: number) =>
    report(
      'guardian-health',
      { status, goldenGeneration: 1, lastAlertSeq: 0, intervalSeconds: 30, healthIntervalSeconds: 300 } as never,
      seconds,
      { envelope: { epoch: 'e', seq: seconds, signature: 's', member: 'health' } as never },
    );

  test('counts only where its key is known', () => {
    expect(absorb(fresh, health('blind', 10), waits)).toEqual({ device: fresh, fresh: [], isStale: false });
  });

  test('is news where its state changes, and says nothing about the camera', () => {
    const ok = absorb(known, health('ok', 10), waits);
    expect([ok.fresh, ok.isStale, ok.device.guardianTrust?.health?.status]).toEqual([[], false, 'ok']);
    expect([ok.device.lastSeenAt, ok.device.aliveAt]).toEqual([null, null]);
    const blind = absorb(ok.device, health('blind', 20), waits);
    expect([blind.fresh, blind.device.guardianTrust?.health?.status]).toEqual([['guardian-health'], 'blind']);
    expect(absorb(blind.device, health('blind', 30), waits).fresh).toEqual([]);
    expect(absorb(blind.device, health('ok', 40), waits).fresh).toEqual(['guardian-health']);
    expect(absorb(known, health('blind', 10), waits).fresh).toEqual(['guardian-health']);
  });
});

describe('a clock that was set back by an hour', () => {
  const body = (seconds: number, more: StatusReport = {}): StatusReport => ({ timestamp: at(seconds), ...more });
  const before = add(
    fresh,
    status(body(3600, { name: 'Gate', memory: { usedPercent: 95 }, certificate: { valid: true, notAfter: at(9) } }), 0),
    status(body(60, { storage: { freeMegabytes: 50 } }), 60),
  );

  test('is not recognised by one report, which is late', () => {
    expect([before.isStale, before.device.lastLate?.receivedAt]).toEqual([true, at(60)]);
  });

  test('is recognised by the second one, which then counts as the newest', () => {
    const next = absorb(before.device, status(body(120, { name: 'Yard', memory: { usedPercent: 86 } }), 120), waits);
    expect([next.isStale, next.fresh, next.device.lastLate]).toEqual([false, ['memory'], null]);
    expect(next.device.newest.status).toMatchObject({ deviceAt: at(120), receivedAt: at(120) });
    expect(next.device.name).toBe('Yard');
    // The level stays critical until the value is clearly better (hysteresis).
    expect(levelOf('memory', next.device.measures.memory)).toBe('critical');
    expect(next.device.measures.memory?.recent.map(({ deviceAt, value }) => [deviceAt, value])).toEqual([
      [null, 95],
      [at(120), 86],
    ]);
    const { validity, expiry } = next.device.certificate;
    expect([validity?.stamp.deviceAt, expiry?.stamp.deviceAt]).toEqual([null, null]);
    expect([validity?.isValid, expiry?.notAfter]).toEqual([true, at(9)]);
  });

  test('is no reason to take back what an older report reported', () => {
    const next = absorb(before.device, status(body(120), 120), waits).device;
    const late = absorb(next, status({ name: 'Yard' }, -1), waits);
    expect([late.isStale, late.device.name]).toEqual([true, 'Gate']);
  });
});
