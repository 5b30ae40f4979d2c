import { expect, test } from 'vitest';
import { faultsBetween, type Release } from '../../tools/indexes/compare.ts';

const byTime = { fieldPath: 'timestamp', order: 'DESCENDING' };
const field = (fieldPath: string) => ({ fieldPath, order: 'ASCENDING' });
const query = (name: string) => ({ collection: 'alerts', fields: [field(name), byTime] });
const index = (name: string) => ({ collectionGroup: 'alerts', fields: [field(name), byTime] });
const release = (queries: string[], indexes: string[]): Release => ({
  queries: queries.map(query),
  indexes: indexes.map(index),
});

test.each([
  ['nothing new', release(['code'], ['code']), release(['code'], ['code']), []],
  ['an index alone', release(['code'], ['code']), release(['code'], ['code', 'status']), []],
  [
    'the query a release later',
    release(['code'], ['code', 'status']),
    release(['code', 'status'], ['code', 'status']),
    [],
  ],
  [
    'the query given up, its index kept',
    release(['code', 'status'], ['code', 'status']),
    release(['code'], ['code', 'status']),
    [],
  ],
  [
    'a query with its index at once',
    release(['code'], ['code']),
    release(['code', 'status'], ['code', 'status']),
    ['This release asks for "alerts: status, timestamp desc"'],
  ],
  [
    'a query given up with its index at once',
    release(['code', 'status'], ['code', 'status']),
    release(['code'], ['code']),
    ['The last release asks for "alerts: status, timestamp desc"'],
  ],
])('%s', (_, last, next, faults) => {
  const found = faultsBetween(last, next);
  expect(found).toHaveLength(faults.length);
  faults.forEach((fault, place) => {
    expect(found[place]).toContain(fault);
  });
});
