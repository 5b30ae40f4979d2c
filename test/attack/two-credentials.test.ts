import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Receiver } from '../../local/cloud/receiver/server.ts';
import type { Route } from '../../shared/schema/route.ts';
import { type Operation, routes } from '../../shared/schema/routes.ts';
import { score } from '../support/score/score.ts';
import { startTestApi } from '../support/world/api.ts';
import { startTrustedReceiver } from '../support/world/webhooks.ts';
import { createTestWorld } from '../support/world/world.ts';

const ours = 'the-first-customers-secret';
const credential = 'Bearer first-customers-token';
let receiver: Receiver;
let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  receiver = await startTrustedReceiver();
});
afterAll(() => receiver.stop());
beforeEach(async () => {
  api = await startTestApi(createTestWorld(), ['localhost']);
});
afterEach(() => api.stop());

const options = {
  url: 'https://hooks.example.com/in',
  secret: ours,
  headers: { Authorization: credential, 'X-Plain': 'plain' },
  filter: { groups: ['north'] },
};
const limitedToken = () => api.issuer.token({ groups: ['north'], sub: 'eve' });

test('a limited token cannot change an endpoint that an unlimited token created', async () => {
  const { body: made } = await api.call('POST', '/v1/webhooks', { body: options });
  const token = await limitedToken();
  const before = await api.world.store.get('webhooks', [made.webhookId]);
  const bodies: Partial<Record<Operation, object>> = { updateWebhook: { url: 'https://eve.example.com/' } };
  const writing: Operation[] = ['updateWebhook', 'deleteWebhook', 'rotateWebhookSecret', 'promoteWebhookSecret'];
  for (const operation of writing) {
    const { method, path, body }: Route = routes[operation];
    const given = body ? { body: bodies[operation] ?? {} } : {};
    const url = path.replace('{webhookId}', made.webhookId);
    const answer = await api.call(method.toUpperCase(), url, { token, ...given });
    expect([operation, answer.status, answer.body.code]).toEqual([operation, 403, 'limited-to-groups']);
  }
  expect(await api.world.store.get('webhooks', [made.webhookId])).toEqual(before);
  expect((await api.call('GET', `/v1/webhooks/${made.webhookId}`, { token })).status).toBe(200);
  score('S8', 'endpoints of all groups, written by a limited token', writing.length, 0);
});

/** The names of the credential headers that a receiver gets with a test event. */
async function credentialsAt(webhookId: string, token: string, name: string): Promise<string[]> {
  await api.call('POST', `/v1/webhooks/${webhookId}/test`, { token, body: {} });
  const request = receiver.received.findLast(({ hook }) => hook === name);
  expect(request).toBeDefined();
  const headers = request?.headers ?? {};
  return ['authorization', 'x-plain', 'x-service-signature', 'webhook-signature'].filter((each) => each in headers);
}

test('a second holder of the groups who moves an endpoint to an address of their own gets neither its headers nor a signature with its secret', async () => {
  const first = await api.issuer.token({ groups: ['north'], sub: 'sue' });
  const second = await limitedToken();
  const { body: made } = await api.call('POST', '/v1/webhooks', { token: first, body: options });
  const path = `/v1/webhooks/${made.webhookId}`;
  const { body: shown } = await api.call('GET', path, { token: second });
  const moves: object[] = [
    { url: receiver.urlOf('eve') },
    // The API shows header values masked. Sending the masked headers back does not keep the values.
    { url: receiver.urlOf('eve'), headers: shown.headers },
  ];
  for (const move of moves) {
    await api.call('PATCH', path, { token: first, body: { ...options, url: 'https://hooks.example.com/in' } });
    expect((await api.call('PATCH', path, { token: second, body: move })).status).toBe(200);
    const got = await credentialsAt(made.webhookId, second, 'eve');
    expect(got.filter((name) => name !== 'x-plain')).toEqual([]);
    expect((await api.call('GET', path, { token: second })).body.hasSecret).toBe(false);
  }
  score('S8', 'endpoints moved to another origin by a second credential', moves.length, 0);
});

test.each([
  ['another path', { url: 'https://hooks.example.com/other?x=1' }, true],
  ['the default port, named', { url: 'https://hooks.example.com:443/in' }, true],
  ['the host in capitals', { url: 'https://HOOKS.example.com/in' }, true],
  ['another port', { url: 'https://hooks.example.com:8443/in' }, false],
  ['another host', { url: 'https://hooks.example.org/in' }, false],
  ['a host below', { url: 'https://eve.hooks.example.com/in' }, false],
])('an address with %s keeps the credentials only if the origin is the same', async (_, change, isKept) => {
  const { body: made } = await api.call('POST', '/v1/webhooks', { body: options });
  const { body: changed } = await api.call('PATCH', `/v1/webhooks/${made.webhookId}`, { body: change });
  expect([changed.hasSecret, Object.keys(changed.headers).length]).toEqual(isKept ? [true, 2] : [false, 0]);
});

test('credentials in the same request as a new origin are stored for the new origin', async () => {
  const { body: made } = await api.call('POST', '/v1/webhooks', { body: options });
  const body = { url: 'https://hooks.example.org/', secret: 'another-secret-1', headers: { 'X-Api-Key': 'new' } };
  const { body: changed } = await api.call('PATCH', `/v1/webhooks/${made.webhookId}`, { body });
  expect(changed).toMatchObject({ hasSecret: true, headers: { 'X-Api-Key': '***' } });
});

test.each([
  ['fifteen bytes', 'a'.repeat(15), 400],
  ['sixteen bytes', 'a'.repeat(16), 201],
  ['eight letters of two bytes', 'é'.repeat(8), 201],
  ['fifteen bytes behind `whsec_`', `whsec_${Buffer.alloc(15, 7).toString('base64')}`, 400],
  ['sixteen bytes behind `whsec_`', `whsec_${Buffer.alloc(16, 7).toString('base64')}`, 201],
])('an endpoint secret needs 16 bytes: %s', async (_, secret, status) => {
  const answer = await api.call('POST', '/v1/webhooks', { body: { url: options.url, secret } });
  expect(answer.status).toBe(status);
  if (status === 400)
    expect(answer.body.errors).toEqual([{ pointer: '/secret', detail: 'must have at least 16 bytes' }]);
  const { body: made } = await api.call('POST', '/v1/webhooks', { body: { url: options.url } });
  const rotated = await api.call('POST', `/v1/webhooks/${made.webhookId}/rotate-secret`, { body: { secret } });
  expect(rotated.status).toBe(status === 201 ? 200 : 400);
});
