import { describe, expect, test } from 'vitest';
import { levelOf } from '../../../../shared/domain/device/measure.ts';
import { levelLimits, ownLimitsOf, worseSteps } from '../../../../shared/domain/device/own-limits.ts';
import { measureLimits } from '../../../../shared/domain/limits.ts';

const cam = { groupId: 'north', model: 'P3245-V' };

describe('the limits of a device', () => {
  test('are each from the first entry about it that has it', () => {
    const limits = [
      { groups: ['south'], certificateDays: 1 },
      { models: ['P3245-V'], memory: { high: 85 } },
      { groups: ['north'], memory: { high: 70, critical: 95 }, storage: { high: 500 } },
      { certificateDays: 30 },
    ];
    expect(ownLimitsOf(cam, limits)).toEqual({
      memory: { high: 85, critical: 95 },
      storage: { high: 500 },
      certificateDays: 30,
    });
    expect(ownLimitsOf({ ...cam, model: null }, limits)?.memory).toEqual({ high: 70, critical: 95 });
  });

  test('are none of its own without an entry about it', () => {
    expect(ownLimitsOf(cam, [{ groups: ['south'], certificateDays: 1 }])).toBeUndefined();
    expect(ownLimitsOf(cam)).toBeUndefined();
  });

  test('are those of the catalogue where it has none, and end as far away in proportion where it has', () => {
    expect(levelLimits('memory', 'high', { storage: { high: 1 } })).toEqual(measureLimits.memory.high);
    expect(levelLimits('latency', 'critical', undefined)).toBeNull();
    expect(levelLimits('storage', 'high', { storage: { high: 500 } })).toEqual({ under: 500, endsAt: 600 });
    expect(levelLimits('latency', 'high', { latency: { high: 1000 } })).toEqual({ above: 1000, endsUnder: 800 });
  });

  test('leave out the steps of a deterioration that lie before them', () => {
    expect(worseSteps('memory', { above: 97, endsAt: 90 })).toEqual([99]);
    expect(worseSteps('storage', { under: 20, endsAt: 24 })).toEqual([10, 0]);
  });

  test('decide the level of its readings', () => {
    const stamp = { deviceAt: null, receivedAt: '', messageId: '', bootId: null, seq: null };
    const at = (...values: number[]) => ({
      baseLevel: 'normal' as const,
      recent: values.map((value) => ({ ...stamp, value })),
    });
    const own = { memory: { high: 93, critical: 97 } };
    expect([levelOf('memory', at(92)), levelOf('memory', at(92), own)]).toEqual(['critical', 'normal']);
    expect([levelOf('memory', at(94, 90), own), levelOf('memory', at(94, 87), own)]).toEqual(['high', 'normal']);
  });
});
