import { describe, expect, test } from 'vitest';
import { isOnDuty, withoutContacts, withoutRecipients } from '../../../../shared/app/jobs/erasure.ts';
import type { Stored, Write } from '../../../../shared/app/ports.ts';
import type { ErasurePerson } from '../../../../shared/domain/job/erasure.ts';
import { emptyTeam, type TeamRecord } from '../../../../shared/domain/notify/team.ts';
import { at } from '../../../support/world/timeline.ts';

const person: ErasurePerson = { subject: 'user:al', emails: ['Al@example.com'], phones: ['+46701111111'], names: [] };
const al = { personId: 'al', name: 'Al', email: 'al@EXAMPLE.com' };
const bo = { personId: 'bo', name: 'Bo', phone: '+46702222222' };
const team = (given: Partial<TeamRecord>): TeamRecord => ({ ...emptyTeam('operations'), version: 3, ...given });
const rotation = (people: string[], overrides: string[] = []) => ({
  ...{ people, handover: { weekday: 'mon' as const, time: '08:00' }, timeZone: 'UTC' },
  overrides: overrides.map((personId) => ({ personId, from: at(0), to: at(60) })),
});
const step = (personId?: string) => ({ afterMinutes: 0, team: 'operations', ...(personId ? { personId } : {}) });
const world = { now: () => at(0) };
const stored = (data: TeamRecord): Stored<'teams'> => ({ id: data.name, data, revision: {} as never });
const dataOf = (writes: readonly Write[]) => writes.map((write) => (write.kind === 'replace' ? write.data : null));

describe('a person is on duty', () => {
  test.each<[string, Partial<TeamRecord>, boolean]>([
    ['in a rotation', { people: [al, bo], rotations: [rotation(['bo', 'al'])] }, true],
    ['in an exchange of a rotation', { people: [al, bo], rotations: [rotation(['bo'], ['al'])] }, true],
    ['in a step', { people: [al, bo], escalation: { steps: [step(), step('al')], repeatMinutes: 30 } }, true],
    ['nowhere, where only others are', { people: [al, bo], rotations: [rotation(['bo'], ['bo'])] }, false],
    ['nowhere, where nobody is', { people: [al] }, false],
    ['nowhere, where the person is not in the team', { people: [bo], rotations: [rotation(['bo'])] }, false],
  ])('%s', (_where, given, isIt) => {
    expect(isOnDuty(team(given), person)).toBe(isIt);
  });
});

describe('the contacts of a person', () => {
  test('go from every team, in any case of letters', () => {
    const given = { emails: ['al@example.com', 'ops@example.com'], phones: ['+46701111111', '+46702222222'] };
    const { writes, refused } = withoutContacts(world, person, [stored(team({ ...given, people: [al, bo] }))]);
    expect(refused).toBe(0);
    expect(dataOf(writes)).toMatchObject([
      { emails: ['ops@example.com'], phones: ['+46702222222'], people: [bo], changedAt: at(0), version: 4 },
    ]);
    const plain = withoutContacts(world, person, [stored(team(given))]);
    expect(dataOf(plain.writes)[0]).not.toHaveProperty('people');
  });

  test('stay where the person is on duty, and that is counted', () => {
    const onDuty = stored(team({ people: [al], rotations: [rotation(['al'])] }));
    expect(withoutContacts(world, person, [onDuty, stored(team({ emails: ['bo@example.com'] }))])).toEqual({
      writes: [],
      refused: 1,
    });
  });
});

describe('a report by mail', () => {
  const schedule = (given: object) => ({
    id: 's',
    revision: {} as never,
    data: {
      ...{ scheduleId: 's', name: 'Harbour', emails: ['bo@example.com'], createdBy: 'user:bo', version: 1 },
      ...{ isPaused: false, dueAt: at(60), ...given },
    } as never,
  });
  const left = (given: object) =>
    dataOf(withoutRecipients(world, { person, alias: 'erased-1' }, [schedule(given) as never]).writes);

  test('goes to the others', () => {
    expect(left({ emails: ['al@example.com', 'bo@example.com'] })).toMatchObject([
      { emails: ['bo@example.com'], isPaused: false, dueAt: at(60), version: 2, changedAt: at(0) },
    ]);
  });

  test('is paused where it would go to nobody', () => {
    expect(left({ emails: ['al@example.com'] })).toMatchObject([{ emails: [], isPaused: true, dueAt: null }]);
  });

  test('no longer names the person, and does not change where it never did', () => {
    expect(left({ createdBy: 'user:al', name: 'For user:al' })).toMatchObject([
      { createdBy: 'erased-1', name: 'For erased-1' },
    ]);
    expect(left({})).toEqual([]);
  });
});
