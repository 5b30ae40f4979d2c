import { expect, test } from 'vitest';
import { usesOf, usesText } from '../../../../../../console/src/pages/settings/schedules/schedule-uses.ts';
import type { Rule } from '../../../../../../shared/schema/settings/rule.ts';
import type { Team } from '../../../../../../shared/schema/settings/team.ts';
import type { Webhook } from '../../../../../../shared/schema/webhook/webhook.ts';

test('endpoints, rules and teams that use a schedule are counted', () => {
  const uses = usesOf({
    webhooks: [{ filter: { schedule: 'night' } }, { filter: {} }, { filter: { schedule: 'late' } }, {}] as Webhook[],
    rules: [{ condition: { schedule: 'night' } }, { condition: {} }] as Rule[],
    teams: [
      { quietHours: { schedule: 'night', hold: [] } },
      { quietHours: { schedule: 'night', hold: [] } },
      {},
    ] as unknown as Team[],
  });
  expect(uses.get('night')).toEqual({ endpoints: 1, rules: 1, teams: 2 });
  expect(uses.get('late')).toEqual({ endpoints: 1, rules: 0, teams: 0 });
  expect(uses.get('weekend')).toBeUndefined();
});

test('the hint says who uses a schedule and what they lose', () => {
  expect(usesText({ endpoints: 2, rules: 1, teams: 1 })).toBe(
    'Used by 2 endpoints, 1 rule, and 1 team. If it is renamed or removed, endpoints with it get nothing, rules with it match nothing, and quiet hours with it hold nothing.',
  );
  expect(usesText({ endpoints: 0, rules: 1, teams: 0 })).toBe(
    'Used by 1 rule. If it is renamed or removed, rules with it match nothing.',
  );
});
