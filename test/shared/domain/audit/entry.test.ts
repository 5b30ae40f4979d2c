import { describe, expect, test } from 'vitest';
import { auditRecord, changeOf, toWireEntry } from '../../../../shared/domain/audit/entry.ts';

const at = '2026-11-20T10:00:00.000Z';
const facts = { entryId: 'e', action: 'changeRule', outcome: 'done' } as const;

describe('a change', () => {
  test('names the members that differ, on both sides', () => {
    const [before, after] = [
      { a: 1, b: [1], c: 3 },
      { a: 1, b: [2], d: 4 },
    ];
    expect(changeOf(before, after)).toEqual({ before: { b: [1], c: 3 }, after: { b: [2], d: 4 } });
    expect(changeOf(before, { ...before })).toEqual({ before: {}, after: {} });
  });

  test('is the whole record where it begins or ends', () => {
    expect(changeOf(null, { a: 1 })).toEqual({ before: null, after: { a: 1 } });
    expect(changeOf({ a: 1 }, null)).toEqual({ before: { a: 1 }, after: null });
  });
});

describe('an entry', () => {
  test('shows what is known, and nothing for what is not', () => {
    expect(toWireEntry(auditRecord(facts, at))).toEqual({
      entryId: 'e',
      at,
      subject: null,
      issuer: null,
      address: null,
      requestId: null,
      action: 'changeRule',
      resource: null,
      outcome: 'done',
    });
    const full = {
      ...{ ...facts, subject: 'user:ana', reason: 'why', count: 0, resourceKind: 'rules', resourceId: 'r' },
      change: { before: { a: 1 }, after: { a: 2 } },
    };
    expect(toWireEntry(auditRecord(full, at))).toMatchObject({
      ...{ subject: 'user:ana', reason: 'why', count: 0, resource: { kind: 'rules', id: 'r' } },
      ...{ before: { a: 1 }, after: { a: 2 } },
    });
  });

  test('keeps a side of up to 32,000 characters, and of a longer one its length', () => {
    const side = (characters: number) => {
      const change = { before: null, after: { a: 'x'.repeat(characters - '{"a":""}'.length) } };
      return toWireEntry(auditRecord({ ...facts, change }, at));
    };
    expect(side(32_000).after).toEqual({ a: 'x'.repeat(31_992) });
    expect(side(32_001)).toMatchObject({ after: { omitted: '32001 characters' } });
    expect(side(32_000)).not.toHaveProperty('before');
  });
});
