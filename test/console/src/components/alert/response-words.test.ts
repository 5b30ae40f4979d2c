import { expect, test } from 'vitest';
import { type Answerable, responseOf } from '../../../../../console/src/components/alert/response-words.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 10, minute)).toISOString();
const now = (minute: number) => Date.parse(at(minute));
const fresh: Answerable = {
  ...{ status: 'active', startedAt: at(0), escalatedAt: null, respondBy: at(60), acknowledgedBy: null },
  ...{ snoozedUntil: null, maintenance: null },
};

test('the remaining response time is shown, and marked urgent in its last quarter', () => {
  expect(responseOf(fresh, now(0))).toEqual({ tone: 'runs', left: 1, text: '1 h left' });
  expect(responseOf(fresh, now(50))).toEqual({ tone: 'soon', left: expect.closeTo(1 / 6), text: '10 min left' });
  expect(responseOf(fresh, now(61))).toEqual({ tone: 'soon', left: 0, text: 'Escalates now' });
  // If the clock of the browser is behind, the remaining share is at most 1.
  expect(responseOf(fresh, now(-5))?.left).toBe(1);
});

test.each([
  [{ status: 'acknowledged', respondBy: null, acknowledgedBy: 'user:ana' }, 'has', 'ana has it'],
  [{ status: 'escalated', respondBy: null, escalatedAt: at(-2) }, 'late', 'Escalated 2 min ago, nobody has it'],
  [{ respondBy: null, snoozedUntil: at(30) }, 'still', 'Snoozed for 30 min'],
  [{ respondBy: null, maintenance: 'window' }, 'still', 'In maintenance'],
  // A member of an incident: the response time is that of the incident.
  [{ respondBy: null }, 'still', 'Nobody has it'],
  // The alert keeps the name of a window that is over, and its response time runs.
  [{ maintenance: 'window' }, 'runs', '1 h left'],
] as const)('%o is %s: %s', (changes, tone, text) => {
  expect(responseOf({ ...fresh, ...changes }, now(0))).toMatchObject({ tone, text });
});

test('a resolved alert shows no response time', () => {
  expect(responseOf({ ...fresh, status: 'resolved' }, now(0))).toBeNull();
});
