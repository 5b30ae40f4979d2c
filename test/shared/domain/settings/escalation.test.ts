import { describe, expect, test } from 'vitest';
import { faultsOfPolicy } from '../../../../shared/domain/settings/escalation.ts';
import type { EscalationStep } from '../../../../shared/schema/settings/escalation.ts';

const known = { teams: new Set(['operations', 'night']), people: new Set(['anna']), rotations: 1 };
const first: EscalationStep = { afterMinutes: 0, team: 'operations' };

describe('a policy', () => {
  test.each<[string, EscalationStep[], string[]]>([
    ['of one step', [first], []],
    ['with the team of the settings', [{ afterMinutes: 0, escalationTeam: true }], []],
    [
      'with a person and who is on call',
      [
        { afterMinutes: 0, onCall: true },
        { afterMinutes: 5, personId: 'anna' },
      ],
      [],
    ],
    [
      'that names an unknown person',
      [first, { afterMinutes: 5, personId: 'bo' }],
      ['/escalation/steps/1/personId there is no person bo in the team'],
    ],
    ['of rising steps', [first, { afterMinutes: 1, team: 'night' }, { afterMinutes: 241, team: 'night' }], []],
    [
      'that names an unknown team',
      [{ afterMinutes: 0, team: 'nihgt' }],
      ['/escalation/steps/0/team there is no team nihgt'],
    ],
    [
      'that names nobody',
      [first, { afterMinutes: 5 }],
      ['/escalation/steps/1 must name exactly one of team, personId, onCall or escalationTeam'],
    ],
    [
      'that names two',
      [{ afterMinutes: 0, team: 'night', escalationTeam: true }],
      ['/escalation/steps/0 must name exactly one of team, personId, onCall or escalationTeam'],
    ],
    [
      'that begins late',
      [{ afterMinutes: 5, team: 'night' }],
      ['/escalation/steps/0/afterMinutes must be 0: the first step is taken at once'],
    ],
    [
      'whose steps do not rise',
      [first, { afterMinutes: 20, team: 'night' }, { afterMinutes: 20, team: 'night' }],
      ['/escalation/steps/2/afterMinutes must be more than 20, as the steps rise'],
    ],
    [
      'that is silent for long',
      [first, { afterMinutes: 241, team: 'night' }],
      ['/escalation/steps/1/afterMinutes must be at most 240 minutes after the step before it'],
    ],
  ])('%s', (_, steps, faults) => {
    const found = faultsOfPolicy({ steps }, known);
    expect(found.map(({ pointer, detail }) => `${pointer} ${detail}`)).toEqual(faults);
  });

  test('without rotations names nobody who is on call; of the settings, no person', () => {
    const detailsOf = (steps: EscalationStep[], more: object) =>
      faultsOfPolicy({ steps }, { ...known, ...more }).map(({ pointer, detail }) => `${pointer} ${detail}`);
    const onCall = [{ afterMinutes: 0, onCall: true as const }];
    expect(detailsOf(onCall, { rotations: 0 })).toEqual([
      '/escalation/steps/0/onCall requires `rotations` of the team',
    ]);
    expect(detailsOf(onCall, { rotations: null })).toEqual([]);
    expect(detailsOf([{ afterMinutes: 0, personId: 'anna' }], { people: null })).toEqual([
      '/escalation/steps/0/personId names somebody of a team: only the policy of that team can',
    ]);
  });
});
