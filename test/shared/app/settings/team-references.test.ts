import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi } from '../../../support/world/api.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api.stop());

const rule = (action: object) => ({ name: 'night', condition: { code: '*' }, action });
const putTeam = (name: string, body: object = {}) => api.call('PUT', `/v1/teams/${name}`, { body });
const policyTo = (team: string) => ({ steps: [{ afterMinutes: 0, team }] });
const settings = async (given: object) =>
  api.call('PUT', '/v1/settings', { body: { ...(await api.call('GET', '/v1/settings')).body, ...given } });

describe('a team that does not exist is refused where it is named', () => {
  test.each<[string, () => Promise<{ status: number; body: { errors: object[] } }>, string]>([
    [
      'the first receiver of a rule',
      () => api.call('POST', '/v1/rules', { body: rule({ team: 'nobody' }) }),
      '/action/team',
    ],
    [
      'the escalation of a rule',
      () => api.call('POST', '/v1/rules', { body: rule({ escalate_to: 'nobody' }) }),
      '/action/escalate_to',
    ],
    [
      'a previewed rule',
      () => api.call('POST', '/v1/rules/preview', { body: { rule: rule({ team: 'nobody' }) } }),
      '/rule/action/team',
    ],
    ['the policy of a team', () => putTeam('desk', { escalation: policyTo('nobody') }), '/escalation/steps/0/team'],
    ['the team of the settings', () => settings({ escalationTeam: 'nobody' }), '/escalationTeam'],
    ['the policy of the settings', () => settings({ escalation: policyTo('nobody') }), '/escalation/steps/0/team'],
  ])('in %s', async (_, write, pointer) => {
    const { status, body } = await write();
    expect([status, body.errors]).toEqual([400, [{ pointer, detail: 'there is no team nobody' }]]);
  });

  test('in a rule that is changed', async () => {
    const { ruleId } = (await api.call('POST', '/v1/rules', { body: rule({ priority: 'P1' }) })).body;
    const answer = await api.call('PUT', `/v1/rules/${ruleId}`, { body: rule({ escalate_to: 'nobody' }) });
    expect(answer.body.errors[0].pointer).toBe('/action/escalate_to');
  });
});

test('a team is not deleted while it is named, and the refusal says by whom', async () => {
  await putTeam('desk');
  await putTeam('lead', { escalation: policyTo('desk') });
  const { ruleId } = (await api.call('POST', '/v1/rules', { body: rule({ team: 'desk', escalate_to: 'desk' }) })).body;
  await settings({ escalationTeam: 'desk' });
  const { status, body } = await api.call('DELETE', '/v1/teams/desk');
  expect([status, body.code]).toEqual([409, 'in-use']);
  expect(body.usedBy.map(({ kind, id, pointer }: Record<string, string>) => [kind, id, pointer])).toEqual([
    ['rules', ruleId, '/action/team'],
    ['rules', ruleId, '/action/escalate_to'],
    ['teams', 'lead', '/escalation/steps/0/team'],
    ['settings', 'settings', '/escalationTeam'],
  ]);
  await api.call('DELETE', `/v1/rules/${ruleId}`);
  await putTeam('lead');
  await settings({ escalationTeam: 'operations' });
  expect((await api.call('DELETE', '/v1/teams/desk')).status).toBe(204);
});
