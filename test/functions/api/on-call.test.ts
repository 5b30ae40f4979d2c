import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TeamContacts } from '../../../shared/schema/settings/team.ts';
import { startTestApi } from '../../support/world/api.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const team: TeamContacts = {
  emails: ['night@example.com'],
  people: [
    { personId: 'anna', name: 'Anna Berg', email: 'anna@example.com' },
    { personId: 'bo', name: 'Bo', phone: '+46701234567' },
  ],
  rotations: [
    {
      people: ['anna', 'bo'],
      handover: { weekday: 'mon', time: '08:00' },
      timeZone: 'Europe/Stockholm',
      startsAt: '2026-11-16T12:00:00Z',
      overrides: [{ personId: 'bo', from: '2026-11-20T20:00:00Z', to: '2026-11-21T06:00:00Z' }],
    },
  ],
  escalation: {
    steps: [
      { afterMinutes: 0, onCall: true },
      { afterMinutes: 10, personId: 'bo', channels: ['sms'] },
      { afterMinutes: 30, team: 'operations' },
    ],
    repeatMinutes: 15,
  },
};

test('a team keeps its people, rotations and policy, and says who is on call and who is next', async () => {
  expect((await api.call('PUT', '/v1/teams/night', { body: team })).status).toBe(201);
  expect((await api.call('GET', '/v1/teams/night')).body).toMatchObject(team);
  // It is Friday, 10:00 UTC.
  const { turns, ...duty } = (await api.call('GET', '/v1/teams/night/on-call')).body.rotations[0];
  expect(duty).toEqual({
    now: { personId: 'anna', name: 'Anna Berg', from: '2026-11-16T12:00:00.000Z', to: '2026-11-20T20:00:00.000Z' },
    next: { personId: 'bo', name: 'Bo', from: '2026-11-20T20:00:00.000Z', to: '2026-11-21T06:00:00.000Z' },
  });
  // Two take turns each week, and Bo stands in for a night.
  expect(turns.slice(0, 2)).toEqual([duty.now, duty.next]);
  expect(turns.slice(1).map(({ from }: { from: string }) => from)).toEqual(
    turns.slice(0, -1).map(({ to }: { to: string }) => to),
  );
  expect(turns.at(-1).to >= '2026-12-18T10:00:00.000Z').toBe(true);
  const later = await api.call('GET', '/v1/teams/night/on-call?at=2026-11-01T00:00:00Z');
  expect(later.body.rotations).toMatchObject([{ now: null, next: { personId: 'anna' } }]);
  expect((await api.call('GET', '/v1/teams/operations/on-call')).body).toMatchObject({ rotations: [] });
  expect((await api.call('GET', '/v1/teams/nobody/on-call')).status).toBe(404);
});

test('a token limited to groups sees neither addresses nor phones of people', async () => {
  const token = await api.issuer.token({ groups: ['north'], scope: 'settings:read' });
  const { people } = (await api.call('GET', '/v1/teams/night', { token })).body;
  expect(people).toMatchObject([{ email: 'a…@example.com' }, { phone: '+46…67' }]);
});

const [rotation] = team.rotations ?? [];
const steps = (...more: object[]) => ({ steps: [{ afterMinutes: 0, team: 'operations' }, ...more] });
const alone = { rotations: [], escalation: steps() };
test.each<[string, object]>([
  ['/people/1/personId', { ...alone, people: [team.people?.[0], team.people?.[0]] }],
  ['/people/0', { ...alone, people: [{ personId: 'cy', name: 'Cy' }] }],
  ['/people/0/phone', { ...alone, people: [{ personId: 'cy', name: 'Cy', phone: '0701' }] }],
  ['/rotations/0/people/1', { rotations: [{ ...rotation, people: ['anna', 'cy'] }] }],
  ['/rotations/0/timeZone', { rotations: [{ ...rotation, timeZone: 'Europe/Gothenburg' }] }],
  ['/rotations/0/handover/time', { rotations: [{ ...rotation, handover: { weekday: 'mon', time: '24:00' } }] }],
  [
    '/rotations/0/overrides/0/to',
    {
      rotations: [
        { ...rotation, overrides: [{ personId: 'bo', from: '2026-11-20T20:00:00Z', to: '2026-11-20T20:00:00Z' }] },
      ],
    },
  ],
  [
    '/rotations/0/overrides/0/personId',
    {
      rotations: [
        { ...rotation, overrides: [{ personId: 'cy', from: '2026-11-20T20:00:00Z', to: '2026-11-21T20:00:00Z' }] },
      ],
    },
  ],
  ['/escalation/steps/1/team', { escalation: steps({ afterMinutes: 5, team: 'nihgt' }) }],
  ['/escalation/steps/1/personId', { escalation: steps({ afterMinutes: 5, personId: 'cy' }) }],
  ['/escalation/steps/1/onCall', { rotations: [], escalation: steps({ afterMinutes: 5, onCall: true }) }],
  ['/escalation/steps/1/afterMinutes', { escalation: steps({ afterMinutes: 0, team: 'night' }) }],
  ['/escalation/steps/1/afterMinutes', { escalation: steps({ afterMinutes: 1441, team: 'night' }) }],
  ['/escalation/repeatMinutes', { escalation: { ...steps(), repeatMinutes: 4 } }],
  ['/escalation/steps', { escalation: { steps: [] } }],
])('a refusal names the member %s', async (pointer, given) => {
  const { status, body } = await api.call('PUT', '/v1/teams/night', { body: { ...team, ...given } });
  expect([status, body.errors?.map((each: { pointer: string }) => each.pointer)]).toEqual([400, [pointer]]);
});

test('the settings have a default policy; a policy that names a missing team or person is refused', async () => {
  const { body } = await api.call('GET', '/v1/settings');
  expect(body.escalation).toEqual({ steps: [{ afterMinutes: 0, escalationTeam: true }], repeatMinutes: 30 });
  const put = (escalation: object) => api.call('PUT', '/v1/settings', { body: { ...body, escalation } });
  expect((await put(steps({ afterMinutes: 5, team: 'nihgt' }))).body.errors).toEqual([
    { pointer: '/escalation/steps/1/team', detail: 'there is no team nihgt' },
  ]);
  expect((await put(steps({ afterMinutes: 5, personId: 'anna' }))).status).toBe(400);
  expect((await put(steps({ afterMinutes: 5, onCall: true }))).status).toBe(200);
});
