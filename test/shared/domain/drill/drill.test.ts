import { describe, expect, test } from 'vitest';
import { begun, type DrillRecord, drillNow } from '../../../../shared/domain/drill/drill.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { at, hour } from '../../../support/world/timeline.ts';

const waits = waitsAt(1);
const record = (given: Partial<DrillRecord> = {}): DrillRecord => ({
  ...{ startedAt: at(0), sent: {}, arrived: {}, alertId: null, deliveryIds: [], dueAt: null, version: 3 },
  verdict: { state: 'passed', hop: null, detail: null, since: at(-hour), judgedAt: at(300), lastPassedAt: at(0) },
  ...given,
});

describe('a round begins', () => {
  test('an hour after the one before, and not while that one is not judged', () => {
    expect([hour - 0.001, hour].map((seconds) => begun(record(), at(seconds), waits, false)?.version)).toEqual([
      undefined,
      4,
    ]);
    expect(begun(record({ dueAt: at(300) }), at(9 * hour), waits, true)).toBeNull();
    expect(begun(null, at(0), waits, false)).toMatchObject({ startedAt: at(0), verdict: null, version: 1 });
  });

  test('at once if a person asks', () => {
    expect(begun(record(), at(1), waits, true)).toMatchObject({ startedAt: at(1), version: 4 });
  });
});

test('the last verdict is shown for two periods, and then that no round begins any more', () => {
  expect(drillNow(record(), at(2 * hour), waits)).toEqual(record().verdict);
  expect(drillNow(record(), at(2 * hour + 0.001), waits)).toEqual({
    ...{ state: 'broken', hop: 'sweep', detail: 'no drill has begun for two periods' },
    ...{ since: at(0), judgedAt: at(300), lastPassedAt: at(0) },
  });
  expect(drillNow(record({ verdict: null }), at(3 * hour), waits)).toMatchObject({
    ...{ judgedAt: at(0), lastPassedAt: null },
  });
});
