import { describe, expect, test } from 'vitest';
import { budgetOf, sumOf } from '../../../../shared/domain/intake/budget.ts';
import type { MessageRefusal } from '../../../../shared/domain/intake/message.ts';
import { at } from '../../../support/world/timeline.ts';

const refused = (deviceId: string | null, reason: MessageRefusal['reason'] = 'wrong-shape'): MessageRefusal => ({
  ...{ reason, errors: [], deviceId, kind: 'status' },
});
const budget = (deviceId: string | null, seconds = 0) => budgetOf(refused(deviceId), at(seconds));

describe('what quarantine keeps in an hour', () => {
  test.each([
    ['cam-1', 20],
    ['a'.repeat(128), 20],
    ['a'.repeat(129), 200],
    ['../cam', 200],
    ['', 200],
    [null, 200],
  ])('of the device %s is at most %d', (deviceId, most) => {
    expect(budget(deviceId)?.most).toBe(most);
  });

  test('is counted by device and by the hour of publication', () => {
    const first = budget('cam-1')?.id;
    expect(budget('cam-1', 3599.999)?.id).toBe(first);
    expect(budgetOf(refused('cam-1', 'unreadable'), at(0))?.id).toBe(first);
    const others = [budget('cam-1', 3600)?.id, budget('cam-2')?.id, budget(null)?.id];
    expect(new Set([first, ...others]).size).toBe(4);
  });

  test('is one sum for all messages without a device', () => {
    expect(budget('../cam')?.id).toBe(budget(null)?.id);
  });

  test('has no limit for what could not be handled', () => {
    expect(budgetOf(refused('cam-1', 'dead-letter'), at(0))).toBeNull();
    expect(budgetOf(refused(null, 'dead-letter'), at(0))).toBeNull();
  });
});

test('two counts of what was not kept are added, reason by reason', () => {
  const a = { count: 3, firstAt: at(10), lastAt: at(20), reasons: { unreadable: 1, 'too-large': 2 } };
  const b = { count: 5, firstAt: at(5), lastAt: at(15), reasons: { unreadable: 4, 'wrong-shape': 1 } };
  const sum = {
    count: 8,
    firstAt: at(5),
    lastAt: at(20),
    reasons: { unreadable: 5, 'too-large': 2, 'wrong-shape': 1 },
  };
  expect(sumOf(a, b)).toEqual(sum);
  expect(sumOf(b, a)).toEqual(sum);
  expect([sumOf(a, null), sumOf(null, b), sumOf(null, null)]).toEqual([a, b, null]);
  expect(a.reasons).toEqual({ unreadable: 1, 'too-large': 2 });
});
