import { describe, expect, test } from 'vitest';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import {
  type CanaryRecord,
  canariesOf,
  canaryIdOf,
  canaryText,
  shownBy,
  withCanary,
} from '../../../../shared/domain/sight/canary.ts';
import { at } from '../../../support/world/timeline.ts';

const waits = waitsAt(1);
const canary = (seconds: number, n = 0) => ({ way: 'ingest', n, sentAt: at(seconds) }) as const;
const record = (sent: number, given: Partial<CanaryRecord> = {}): CanaryRecord => ({
  platformId: 'canary-ingest-0',
  kind: 'canary',
  ...canary(sent),
  handledAt: at(sent + 1),
  gap: null,
  bridge: null,
  ...given,
});

test('four canaries go through the topic each minute and one through the broker', () => {
  expect(canariesOf).toEqual({ ingest: 4, broker: 1 });
  expect(canaryIdOf({ way: 'ingest', n: 3 }, null)).toBe('canary-ingest-3');
  expect(canaryIdOf({ way: 'broker', n: 0 }, { partition: 2, of: 4 })).toBe('canary-broker-4-2');
  expect(canaryText({ way: 'broker', n: 3, sentAt: at(0) })).toBe(`watchpost-canary broker 3 ${at(0)}`);
});

describe('a canary that arrives', () => {
  test('counts only if it is newer than the last', () => {
    expect(withCanary(null, canary(0), null, at(1), waits)).toEqual(record(0));
    expect(withCanary(record(0), canary(60), null, at(61), waits)).toEqual(record(60));
    expect(withCanary(record(0), canary(0), null, at(1), waits)).toBeNull();
    expect(withCanary(record(60), canary(0), null, at(61), waits)).toBeNull();
  });

  test('is late after more than 60 s, and opens a gap from the last one that was in time', () => {
    const handledAt = at(120);
    expect(withCanary(record(0), canary(60), null, handledAt, waits)).toEqual(record(60, { handledAt }));
    expect(withCanary(record(0), canary(59), null, handledAt, waits)).toEqual(
      record(59, { handledAt, gap: { from: at(-59), goodAt: null } }),
    );
    expect(withCanary(null, canary(59), null, handledAt, waits)).toEqual(
      record(59, { handledAt, gap: { from: at(59), goodAt: null } }),
    );
  });

  test('keeps the gap while late ones go on, and for 120 s and the deadline after the first good one', () => {
    const late = record(0, { gap: { from: at(-600), goodAt: null } });
    expect(withCanary(late, canary(60), null, at(500), waits)?.gap).toEqual({ from: at(-600), goodAt: null });
    expect(withCanary(late, canary(60), null, at(61), waits)?.gap).toEqual({ from: at(-600), goodAt: at(61) });
    const good = record(0, { gap: { from: at(-600), goodAt: at(0) } });
    expect(withCanary(good, canary(179), null, at(179), waits)?.gap).toEqual({ from: at(-600), goodAt: at(0) });
    expect(withCanary(good, canary(180), null, at(180), waits)?.gap).toBeNull();
    // A late one after that opens a new gap.
    expect(withCanary(good, canary(60), null, at(200), waits)?.gap).toEqual({ from: at(-59), goodAt: null });
    expect(withCanary(good, canary(60), null, at(121), waits)?.gap).toEqual({ from: at(-600), goodAt: null });
  });
});

describe('the canaries of a way show', () => {
  const four = [0, 1, 2, 3].map((n) => record(60 + n, { n }));
  const show = (records: readonly CanaryRecord[], seconds = 100) => shownBy('ingest', records, at(seconds), waits);

  test('the oldest of their newest, when all of them have arrived', () => {
    expect(show(four)).toEqual({ newestAt: at(60), knownAt: at(4), heldFrom: null, handledAt: at(64) });
    expect(show(four.slice(1))).toEqual({ newestAt: null, knownAt: null, heldFrom: null, handledAt: at(64) });
    expect(show([])).toEqual({ newestAt: null, knownAt: null, heldFrom: null, handledAt: null });
    // A canary of another path proves nothing about this one.
    expect(show([...four.slice(1), record(0, { way: 'broker' })]).newestAt).toBeNull();
  });

  test('that all has arrived which was published a minute before one of them was handled, and nothing newer than they are', () => {
    const handled = (...seconds: number[]) =>
      show(four.map((each, n) => ({ ...each, handledAt: at(seconds[n] ?? 70) })));
    expect(handled(70, 80, 90, 119).knownAt).toBe(at(59));
    expect(handled(70, 80, 90, 120).knownAt).toBe(at(60));
    expect(handled(70, 80, 90, 130).knownAt).toBe(at(60));
  });

  test('the beginning of the gap while it is held', () => {
    const gap = (from: number, goodAt: number | null) => ({
      from: at(from),
      goodAt: goodAt === null ? null : at(goodAt),
    });
    const held = [
      record(0, { gap: gap(-60, null) }),
      record(1, { gap: gap(-90, 100) }),
      record(2, { gap: gap(-99, 0) }),
    ];
    expect(show(held, 279).heldFrom).toBe(at(-90));
    expect(show(held, 280).heldFrom).toBe(at(-60));
    expect(show(held, 179).heldFrom).toBe(at(-99));
  });
});
