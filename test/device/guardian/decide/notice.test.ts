import { describe, expect, test } from 'vitest';
import { type Device, type Notice, toMessage } from '../../../../device/guardian/decide/notice.ts';
import { initialWatchState } from '../../../../device/guardian/decide/watch-state.ts';
import { nextStampMs, resume } from '../../../../device/guardian/memory/kept.ts';
import { faultsOf } from '../../../../shared/schema/validate.ts';

const device: Device = { id: 'cam-1', serial: 'ACCC8E000001', model: 'P3245-V', ip: '192.0.2.10' };
const timestamp = '2026-11-20T10:00:00.000Z';
const host = {
  name: 'broker.host',
  expected: 'mqtt.example.com',
  actual: 'evil.example.net',
  severity: 'CRITICAL',
} as const;
const prefix = { name: 'topicPrefix', expected: 'a', actual: 'b', severity: 'HIGH' } as const;

const messageOf = (notice: Notice) => {
  const { topic, payload } = toMessage(notice, device, timestamp);
  return { topic, body: JSON.parse(payload) };
};

describe('an alert of the guardian', () => {
  const common = { device: { serial: 'ACCC8E000001', model: 'P3245-V', ip: '192.0.2.10' }, timestamp };
  const alerts: [code: string, notice: Notice, body: object][] = [
    [
      'CONFIG_DRIFT',
      { kind: 'drift', differences: [host, prefix], action: 'HEALING' },
      {
        alertCode: 'CONFIG_DRIFT',
        severity: 'warning',
        ...common,
        drift: { fields: [host, prefix], maxSeverity: 'CRITICAL', count: 2 },
        action: 'HEALING',
      },
    ],
    [
      'CONFIG_HEALED',
      { kind: 'healed', fields: ['broker.host', 'topicPrefix'], durationMs: 412 },
      {
        alertCode: 'CONFIG_HEALED',
        severity: 'info',
        ...common,
        heal: { fieldsRestored: ['broker.host', 'topicPrefix'], count: 2, durationMs: 412 },
      },
    ],
    [
      'CONFIG_CONFLICT',
      { kind: 'conflict', driftCount: 4, window: '5m', healAttempts: 3, differences: [host] },
      {
        alertCode: 'CONFIG_CONFLICT',
        severity: 'critical',
        ...common,
        conflict: {
          driftCount: 4,
          window: '5m',
          healAttempts: 3,
          lastDrift: { field: 'broker.host', expected: 'mqtt.example.com', actual: 'evil.example.net' },
        },
        recommendation: expect.stringContaining('broker.host'),
      },
    ],
  ];
  test.each(alerts)('%s has exactly the shape of the contract', (_code, notice, body) => {
    const message = messageOf(notice);
    expect(message).toEqual({ topic: 'devices/cam-1/guardian', body });
    expect(faultsOf('GuardianAlert', message.body)).toEqual([]);
  });

  test('contains no private key and no unlimited text from the camera', () => {
    const differences = [
      { ...host, actual: 'x'.repeat(100_000) },
      { ...prefix, actual: '-----BEGIN PRIVATE KEY-----\nMIIE' },
    ];
    const { payload } = toMessage({ kind: 'drift', differences, action: 'HEALING' }, device, timestamp);
    expect(payload).not.toContain('PRIVATE KEY');
    expect(payload.length).toBeLessThan(3000);
    expect(faultsOf('GuardianAlert', JSON.parse(payload))).toEqual([]);
  });
});

test('an event fits the schema of event reports, whatever its reason holds', () => {
  for (const reason of ['plain', '', 'line\nbreak\u0000', 'x'.repeat(5000)]) {
    const { topic, body } = messageOf({ kind: 'event', type: 'guardian_heal_failed', reason });
    expect(topic).toBe('devices/cam-1/event');
    expect(faultsOf('EventReport', body)).toEqual([]);
  }
});

describe('timestamps of alerts', () => {
  const noon = Date.parse('2026-11-20T12:00:00Z');
  const day = 24 * 3_600_000;

  test('follow the calendar, a day forward too', () => {
    expect(nextStampMs(noon, noon + 30_000)).toBe(noon + 30_000);
    expect(nextStampMs(noon, noon + day)).toBe(noon + day);
  });

  test('never go back, even if the clock is set back, so that the service does not treat an alert as old', () => {
    expect(nextStampMs(noon, noon)).toBe(noon + 1);
    expect(nextStampMs(noon, noon - day)).toBe(noon + 1);
  });

  test('follow the clock again after it was years ahead', () => {
    expect(nextStampMs(noon + 365 * day, noon)).toBe(noon);
  });
});

describe('what was kept', () => {
  const savedAt = { calendarMs: Date.parse('2026-11-20T12:00:00Z'), monotonicMs: 900_000 };
  const watch = { ...initialWatchState, lastAdriftAtMs: 900_000, episodes: [{ atMs: 840_000, healAttempts: 1 }] };
  const kept = { watch, golden: null, lastStampMs: 5, savedAt };
  const minute = 60_000;

  const cases: [what: string, awayMs: number, seenAwayMs: number][] = [
    ['is as old as the calendar says', minute, minute],
    ['grows no younger when the calendar was set back by a day', -24 * 60 * minute, 0],
    ['is at most a day old when the calendar was set forward', 500 * 60 * minute, 24 * 60 * minute],
  ];
  test.each(cases)('%s after a restart', (_what, awayMs, seenAwayMs) => {
    const now = { calendarMs: savedAt.calendarMs + awayMs, monotonicMs: 1_000 };
    const resumed = resume(kept, now);
    expect(now.monotonicMs - (resumed.watch.episodes[0]?.atMs ?? 0)).toBe(seenAwayMs + minute);
    expect(now.monotonicMs - (resumed.watch.lastAdriftAtMs ?? 0)).toBe(seenAwayMs);
    expect(resumed.lastStampMs).toBe(5);
  });
});
