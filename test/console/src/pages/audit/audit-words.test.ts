import { expect, test } from 'vitest';
import { changeWords } from '../../../../../console/src/pages/audit/audit-words.ts';

test.each([
  [{ a: { CRITICAL: 300, ERROR: 5 } }, { a: { CRITICAL: 420, ERROR: 5 } }, 'a CRITICAL: 300 → 420'],
  [{ phones: ['+1'] }, { phones: ['+1', '+2'] }, 'phones: ["+1"] → ["+1","+2"]'],
  [{ name: 'old' }, { name: 'new', reason: 'why' }, 'name: old → new; reason: – → why'],
  [{ a: 1, b: 1, c: 1, d: 1, e: 1 }, { a: 2, b: 2, c: 2, d: 2, e: 2 }, 'a: 1 → 2; b: 1 → 2; c: 1 → 2; 2 more'],
  [undefined, { a: 1 }, 'created'],
  [{ a: 1 }, undefined, 'removed'],
])('a line of the audit names what was changed from what to what: %j to %j', (before, after, words) => {
  expect(changeWords({ ...(before ? { before } : {}), ...(after ? { after } : {}) })).toBe(words);
});
