import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDispatcher } from '../../shared/app/deliveries/deliver.ts';
import { giveTeam, messagesOf, openTestAlert } from '../support/records/alerts.ts';
import { failure } from '../support/records/deliveries.ts';
import { score } from '../support/score/score.ts';
import { startTestApi } from '../support/world/api.ts';

const mail = 'ops.person@example.com';
const number = '+15005550006';
let api: Awaited<ReturnType<typeof startTestApi>>;
let alertId: string;
beforeAll(async () => {
  api = await startTestApi();
  const { world } = api;
  await giveTeam(world, 'operations', { emails: [mail], phones: [number] });
  alertId = await openTestAlert(world, { code: 'SEC_001' });
  // Both servers repeat the refused contact in their answers.
  const notified = { ...failure, detail: `550 <${mail}> unknown`, responseExcerpt: `no such user ${mail}, ${number}` };
  const sender = { send: async () => notified };
  const dispatcher = createDispatcher(world, { email: sender, sms: sender }, () => 0);
  for (const { deliveryId } of await messagesOf(world)) await dispatcher.attempt(deliveryId);
});
afterAll(() => api.stop());

/** Every answer that could name a contact. */
async function answersTo(token: string): Promise<string> {
  const { body } = await api.call('GET', '/v1/deliveries', { token });
  const rule = { name: 'a', condition: { code: '*' }, action: { notify: ['email', 'sms'] } };
  const answers = await Promise.all([
    ...body.deliveries.map(({ deliveryId }: { deliveryId: string }) =>
      api.call('GET', `/v1/deliveries/${deliveryId}`, { token }),
    ),
    api.call('GET', '/v1/teams', { token }),
    api.call('GET', '/v1/teams/operations', { token }),
    api.call('GET', `/v1/alerts/${alertId}/explain`, { token }),
    api.call('GET', `/v1/alerts/${alertId}/history`, { token }),
    api.call('POST', '/v1/rules/preview', { token, body: { rule } }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(body.deliveries.length).toBeGreaterThanOrEqual(2);
  return JSON.stringify([body, ...answers.map((answer) => answer.body)]);
}

const reading = 'alerts:read webhooks:read settings:read';

test('a limited token sees contacts masked, but can distinguish them', async () => {
  const text = await answersTo(await api.issuer.token({ groups: ['north'], scope: reading }));
  for (const contact of [mail, 'ops.person', number, number.slice(1)]) expect(text).not.toContain(contact);
  expect(text).toContain('o…@example.com');
  expect(text).toContain('+15…06');
  score('S8', 'answers that could name a contact, to a limited token', 8, 0);
});

test.each([
  ['the scope `contacts:read`', { groups: ['north'], scope: `${reading} contacts:read` }],
  ['all groups', { groups: '*', scope: reading }],
])('a token with %s sees complete contacts', async (_, claims) => {
  const text = await answersTo(await api.issuer.token(claims));
  expect(text).toContain(mail);
  expect(text).toContain(number);
});

test('no line of the log names a contact', () => {
  const text = JSON.stringify(api.world.lines);
  expect(text).toContain('delivery.attempted');
  for (const contact of [mail, number]) expect(text).not.toContain(contact);
});
