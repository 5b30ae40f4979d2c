import { describe, expect, test } from 'vitest';
import { faultsOfPeople, faultsOfRotations } from '../../../../shared/domain/settings/on-call.ts';

const person = (personId: string, given: object = { email: 'a@example.com' }) => ({
  personId,
  name: personId,
  ...given,
});

describe('people of a team', () => {
  test('need an address or a number, and have ids of their own', () => {
    expect(faultsOfPeople([person('a'), person('b', { phone: '+46700000000' })])).toEqual([]);
    expect(faultsOfPeople([person('a', {}), person('b'), person('a'), person('b')])).toEqual([
      { pointer: '/people/0', detail: 'needs `email` or `phone`' },
      { pointer: '/people/2/personId', detail: 'names a twice' },
      { pointer: '/people/3/personId', detail: 'names b twice' },
    ]);
  });
});

describe('a rotation', () => {
  const rotation = (given: object = {}) =>
    ({ people: ['a', 'b'], timeZone: 'Europe/Stockholm', ...given }) as Parameters<typeof faultsOfRotations>[0][number];
  const faults = (given: object) => faultsOfRotations([rotation(), rotation(given)], new Set(['a', 'b']));
  const override = (given: object = {}) => ({
    personId: 'a',
    from: '2026-11-20T10:00:00Z',
    to: '2026-11-20T11:00:00Z',
    ...given,
  });

  test('has people of the team, a time zone that exists, and times that end after they begin', () => {
    expect(faults({ overrides: [override()] })).toEqual([]);
    expect(faults({ people: ['a', 'c'] })).toEqual([
      { pointer: '/rotations/1/people/1', detail: 'there is no person c in the team' },
    ]);
    expect(faults({ timeZone: 'Mars/Base' }).map(({ pointer }) => pointer)).toEqual(['/rotations/1/timeZone']);
    expect(faults({ overrides: [override(), override({ personId: 'c' })] })).toEqual([
      { pointer: '/rotations/1/overrides/1/personId', detail: 'there is no person c in the team' },
    ]);
  });

  test.each(['2026-11-20T10:00:00Z', '2026-11-20T09:59:59Z', '2026-11-20T11:30:00+02:00'])(
    'has no override from ten o’clock to %s',
    (to) => {
      expect(faults({ overrides: [override({ to })] })).toEqual([
        { pointer: '/rotations/1/overrides/0/to', detail: 'must be later than `from`' },
      ]);
    },
  );

  test('may have one from ten o’clock to half past eleven, an hour to the east', () => {
    expect(faults({ overrides: [override({ to: '2026-11-20T11:30:00+01:00' })] })).toEqual([]);
  });
});
