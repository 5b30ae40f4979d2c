import { describe, expect, test } from 'vitest';
import { copiesKept, type ErasurePerson, namesOf, renamed } from '../../../../shared/domain/job/erasure.ts';

const person: ErasurePerson = {
  subject: 'user:al',
  emails: ['al@example.com'],
  phones: ['+46701'],
  names: ['Al "Big" Smith'],
};
const names = namesOf(person);
const alias = 'erased-1';

test('copies that an erasure does not reach are named with the days after which they expire', () => {
  expect(copiesKept).toEqual([
    { copy: 'point-in-time-recovery', days: 7 },
    { copy: 'backups', days: 14 },
    { copy: 'logs', days: 30 },
    { copy: 'exports', days: 60 },
    { copy: 'hourly-exports', days: 35 },
  ]);
});

test('a person is found by every name, also as JSON writes it, the longest first and each once', () => {
  expect(names).toEqual(['Al \\"Big\\" Smith', 'al@example.com', 'Al "Big" Smith', 'user:al', '+46701']);
  expect(namesOf({ subject: null, emails: ['a@b'], phones: [], names: [] })).toEqual(['a@b']);
});

describe('in any member of a record', () => {
  const rename = (record: object) => renamed(record, names, alias);

  test('a name gives way to the alias, whatever its case and however deep', () => {
    expect(rename({ a: 'By USER:AL at noon', b: [{ c: 'al@example.com' }], d: 7, e: null })).toEqual({
      a: `By ${alias} at noon`,
      b: [{ c: alias }],
      d: 7,
      e: null,
    });
    expect(rename({ text: '{"who":"Al \\"Big\\" Smith"}' })).toEqual({ text: `{"who":"${alias}"}` });
  });

  test.each(['user:alice', 'user:al-2', 'user:al.b', 'xuser:al', '.user:al', '+467012'])(
    '%s is another name',
    (text) => {
      expect(rename({ text })).toBeNull();
    },
  );

  test.each(['user:al.', '(user:al)', 'user:al, bo', '"user:al"'])('%s contains the name', (text) => {
    expect(rename({ text })).toEqual({ text: text.replace('user:al', alias) });
  });

  test('the person’s own words and address go, those of others stay', () => {
    expect(rename({ who: 'user:al', why: 'My words', address: '192.0.2.1' })).toEqual({
      who: alias,
      why: '[erased]',
      address: null,
    });
    expect(rename({ subject: 'user:al', at: 1 })).toEqual({ subject: alias, at: 1 });
    expect(rename({ who: 'user:al', why: null, address: null })).toEqual({ who: alias, why: null, address: null });
    expect(rename({ who: 'user:bo', why: 'user:al had it', address: '192.0.2.2' })).toEqual({
      who: 'user:bo',
      why: `${alias} had it`,
      address: '192.0.2.2',
    });
    expect(rename({ who: 'user:bo', why: 'Nothing' })).toBeNull();
  });
});

test('where members are given, only they change', () => {
  const record = { name: 'For user:al', inner: { by: 'user:al', also: 'user:al' }, other: 'user:al', none: null };
  expect(renamed(record, names, alias, ['name', 'inner.by', 'none', 'missing.by'])).toEqual({
    name: `For ${alias}`,
    inner: { by: alias, also: 'user:al' },
    other: 'user:al',
    none: null,
  });
  expect(renamed(record, names, alias, ['none'])).toBeNull();
});
