import { expect, test } from 'vitest';
import { urgencyOf } from '../../../../shared/schema/alert/urgency.ts';
import type { Severity } from '../../../../shared/schema/vocabulary.ts';

test('the gravest comes first, then P1 to P5, other priorities and none, then the oldest', () => {
  const [early, late] = ['2026-11-20T10:00:00.000Z', '2026-11-20T11:00:00.000Z'];
  const inOrder: [Severity, string | null, string][] = [
    ['CRITICAL', 'P1', late],
    ['CRITICAL', 'P5', early],
    ['CRITICAL', 'the gate', early],
    ['CRITICAL', null, early],
    ['CRITICAL', null, late],
    ['ERROR', 'P1', early],
    ['WARNING', null, early],
  ];
  const texts = inOrder.map(([severity, priority, timestamp]) => urgencyOf({ severity, timestamp }, priority));
  expect(texts.toSorted()).toEqual(texts);
});
