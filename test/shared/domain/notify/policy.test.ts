import { describe, expect, test } from 'vitest';
import { newLife } from '../../../../shared/domain/alert/alert.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { ladderOf } from '../../../../shared/domain/notify/policy.ts';
import { emptyTeam, type TeamRecord } from '../../../../shared/domain/notify/team.ts';
import { defaultSettings } from '../../../../shared/domain/settings/settings.ts';
import type { EscalationPolicy } from '../../../../shared/schema/settings/escalation.ts';
import type { Settings } from '../../../../shared/schema/settings/settings.ts';
import { startOfTests } from '../../../support/world/world.ts';

const waits = waitsAt(1);
const reached = (name: string, more: Partial<TeamRecord> = {}): TeamRecord => ({
  ...emptyTeam(name),
  emails: [`${name}@example.com`],
  ...more,
});
const policy: EscalationPolicy = {
  steps: [
    { afterMinutes: 0, team: 'day' },
    { afterMinutes: 20, team: 'night' },
  ],
};

const duty: Partial<TeamRecord> = {
  people: [
    { personId: 'anna', name: 'Anna Berg', email: 'anna@example.com' },
    { personId: 'bo', name: 'Bo', phone: '+46701234567' },
  ],
  rotations: [{ people: ['anna', 'bo'], handover: { weekday: 'mon', time: '08:00' }, timeZone: 'UTC' }],
};
const stepped = (...steps: Omit<EscalationPolicy['steps'][number], 'afterMinutes'>[]): Partial<TeamRecord> => ({
  escalation: { steps: steps.map((step, index) => ({ ...step, afterMinutes: index })) },
});

type Given = {
  teams: TeamRecord[];
  notifiedTeam?: string;
  ruled?: string;
  settings?: Partial<Settings>;
};

function stepsOf({ teams, notifiedTeam, ruled, settings = {} }: Given): string[] {
  const alert = {
    ...newLife('ERROR', startOfTests),
    notifiedTeam: notifiedTeam ?? null,
    escalation: ruled === undefined ? null : { team: ruled, ruleId: 'r' },
  };
  const named = new Map(teams.map((team) => [team.name, team]));
  const { steps } = ladderOf(
    alert,
    { teams: named, settings: { ...defaultSettings, ...settings } },
    startOfTests,
    waits,
  );
  return steps.map(({ afterMs, to, missing }) => `${afterMs / 60_000} ${to}${missing === null ? '' : `: ${missing}`}`);
}

describe('whom an escalation notifies', () => {
  test.each<[string, Given, string[]]>([
    ['with operations alone', { teams: [reached('operations')] }, ['0 operations']],
    ['with another team', { teams: [reached('operations'), reached('zeta'), reached('night')] }, ['0 night']],
    ['with another team without contacts', { teams: [reached('operations'), emptyTeam('night')] }, ['0 operations']],
    [
      'where a rule notified another team',
      { teams: [reached('operations'), reached('night')], notifiedTeam: 'night' },
      ['0 operations'],
    ],
    [
      'where the settings name a team',
      { teams: [reached('operations'), reached('a'), reached('b')], settings: { escalationTeam: 'b' } },
      ['0 b'],
    ],
    [
      'where the settings name the team that was notified',
      {
        teams: [reached('operations'), reached('a'), reached('b')],
        notifiedTeam: 'b',
        settings: { escalationTeam: 'b' },
      },
      ['0 operations'],
    ],
    [
      'where the settings name a team that is gone',
      { teams: [reached('operations')], settings: { escalationTeam: 'gone' } },
      ['0 operations: There is no team gone'],
    ],
    [
      'with a policy of the team',
      { teams: [reached('operations', { escalation: policy }), reached('day'), reached('night')] },
      ['0 day', '20 night'],
    ],
    [
      'with a policy of another team',
      { teams: [reached('operations'), reached('day', { escalation: policy }), reached('night')] },
      ['0 day'],
    ],
    [
      'with a policy whose teams are gone or have no contacts',
      { teams: [reached('operations', { escalation: policy }), emptyTeam('night')] },
      ['0 operations: There is no team day', '20 operations: The team night has no contacts'],
    ],
    [
      'with a policy of the settings',
      { teams: [reached('operations'), reached('day'), reached('night')], settings: { escalation: policy } },
      ['0 day', '20 night'],
    ],
    [
      'with people of the team',
      { teams: [reached('operations', { ...duty, ...stepped({ personId: 'anna' }, { onCall: true }) })] },
      ['0 Anna Berg', '1 Bo (on call)'],
    ],
    [
      'with two rotations',
      {
        teams: [
          reached('operations', {
            ...duty,
            ...stepped({ onCall: true }),
            rotations: (duty.rotations ?? []).flatMap((one) => [one, { ...one, people: ['anna'] }, one]),
          }),
        ],
      },
      ['0 Bo and Anna Berg (on call)'],
    ],
    [
      'with nobody on call yet',
      {
        teams: [
          reached('operations'),
          reached('night', {
            ...duty,
            ...stepped({ onCall: true }),
            rotations: (duty.rotations ?? []).map((one) => ({ ...one, startsAt: '2027-01-01T00:00:00Z' })),
          }),
        ],
        notifiedTeam: 'night',
      },
      ['0 operations, because nobody is on call in night: Nobody is on call in night'],
    ],
    [
      'with a person who is gone',
      { teams: [reached('operations', stepped({ personId: 'cy' }))] },
      ['0 operations, because there is no person cy in operations: There is no person cy in operations'],
    ],
    [
      'with a team that has people only',
      { teams: [reached('operations', stepped({ team: 'night' })), { ...emptyTeam('night'), ...duty }] },
      ['0 night'],
    ],
    ['where a rule escalates it', { teams: [reached('operations'), reached('head')], ruled: 'head' }, ['0 head']],
    [
      'where a rule escalates it to a team with a policy',
      { teams: [reached('operations'), reached('head', { escalation: policy }), reached('night')], ruled: 'head' },
      ['0 head', '20 night'],
    ],
  ])('%s', (_, given, steps) => {
    expect(stepsOf(given)).toEqual(steps);
  });
});

test('a team that a rule names and that has no policy is the only step, whatever the policy of the settings says', () => {
  const teams = [reached('operations'), reached('day'), reached('night'), reached('head')];
  expect(stepsOf({ teams, ruled: 'head', settings: { escalation: policy } })).toEqual(['0 head']);
  const own = [...teams.slice(0, 3), reached('head', { escalation: policy })];
  expect(stepsOf({ teams: own, ruled: 'head' })).toEqual(['0 head', '20 night']);
});
