import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Receiver } from '../../../local/cloud/receiver/server.ts';
import { createAuthority } from '../../../local/machine/certificates.ts';
import { takeMessage } from '../../../shared/app/intake/take-message.ts';
import { tellOfCertificates } from '../../../shared/app/webhooks/certificates.ts';
import {
  clientIdentity,
  startDemandingReceiver,
  startStrictServer,
  startTokenServer,
} from '../../support/net/client-certificates.ts';
import { message } from '../../support/records/reports.ts';
import { startTestApi } from '../../support/world/api.ts';
import { frames } from '../../support/world/frames.ts';
import { startTrustedReceiver, trustedCredential } from '../../support/world/webhooks.ts';

const clients = createAuthority(new Date());
let receiver: Receiver;
let demanding: Awaited<ReturnType<typeof startDemandingReceiver>>;
let tokens: Awaited<ReturnType<typeof startTokenServer>>;
let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  receiver = await startTrustedReceiver(() => Date.parse(api.world.now()));
  demanding = await startDemandingReceiver(trustedCredential(), clients);
  tokens = await startTokenServer(trustedCredential());
});
beforeEach(async () => {
  api = await startTestApi(undefined, [`localhost:${receiver.port}`, demanding.host, tokens.host]);
  receiver.received.splice(0);
  demanding.received.splice(0);
  tokens.state.asked.splice(0);
  tokens.state.behaviour = 'grants';
});
afterEach(() => api.stop());
afterAll(() => Promise.all([receiver.stop(), demanding.stop(), tokens.stop()]));

const call = (method: string, path: string, body: object = {}) => api.call(method, path, { body });
const create = async (body: object) => {
  const answer = await call('POST', '/v1/webhooks', { url: receiver.urlOf('hook'), events: ['alert'], ...body });
  expect([answer.status, answer.body.errors]).toEqual([201, undefined]);
  return answer.body;
};
const refusedAt = async (body: object) => {
  const { status, body: problem } = await call('POST', '/v1/webhooks', {
    ...{ url: receiver.urlOf('hook'), events: ['alert'] },
    ...body,
  });
  expect(status).toBe(400);
  return problem.errors.map(({ pointer, detail }: Record<string, string>) => `${pointer} ${detail}`);
};
const attempt = async (webhookId: string) => (await call('POST', `/v1/webhooks/${webhookId}/test`)).body.attempts[0];

describe('a template', () => {
  test('is filled with the event at each attempt, signed as it is sent, and its version is noted', async () => {
    const template = JSON.stringify({ text: '{{change}}: {{alert.message}}', priority: '{{alert.priority}}', n: 1 });
    const secret = 'a-secret-of-16-bytes';
    receiver.configure('hook', { secret });
    const { webhookId, templateVersion } = await create({ template, secret });
    expect(await attempt(webhookId)).toMatchObject({ errorClass: null, templateVersion });
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toEqual({
      ...{ text: 'opened: This is a test.', priority: null, n: 1 },
    });
    expect(receiver.received[0]?.verified?.contract).toBe(true);
    const changed = await call('PATCH', `/v1/webhooks/${webhookId}`, { template: '{"a":"{{alert}}"}' });
    expect(changed.body.templateVersion).toBeGreaterThan(templateVersion);
    await attempt(webhookId);
    expect(JSON.parse(receiver.received[1]?.body ?? '').a.code).toBe('CONN_001');
    expect((await call('PATCH', `/v1/webhooks/${webhookId}`, { template: null })).body.template).toBeNull();
    await attempt(webhookId);
    expect(JSON.parse(receiver.received[2]?.body ?? '')).toMatchObject({ eventType: 'test', version: '1.0' });
  });

  test.each([
    [{ template: '{"a"' }, '/template is not JSON'],
    [{ template: '"{{change}}"' }, '/template must be an object or a list'],
    [{ template: '{"a":"{{alert.nope}}"}' }, '/template contains {{alert.nope}}, which not every event `alert` has'],
    [
      { template: '{"a":"{{alert.constructor}}"}' },
      '/template contains {{alert.constructor}}, which not every event `alert` has',
    ],
    [
      { template: '{"a":"{{change}}"}', events: ['incident', 'guardian'] },
      '/template contains {{change}}, which not every event `guardian` has',
    ],
    [{ maxAttempts: 6 }, '/maxAttempts must be at most 5, one more than the delays in `retryDelays`'],
    [{ maxAttempts: 3, retryDelays: [1] }, '/maxAttempts must be at most 2, one more than the delays in `retryDelays`'],
  ])('is refused where it is saved: %j', async (body, fault) => {
    expect(await refusedAt(body)).toEqual([fault]);
  });

  test('stays right when the events change', async () => {
    const { webhookId } = await create({ template: '{"a":"{{change}}"}' });
    const { body } = await call('PATCH', `/v1/webhooks/${webhookId}`, { events: ['alert', 'detection'] });
    expect(body.errors[0].pointer).toBe('/template');
  });
});

test('own delays and attempts are those of its deliveries, kept as long as it says', async () => {
  const retryDelays = [5, 7, 5000];
  const { webhookId } = await create({ maxAttempts: 4, retryDelays, retentionDays: 2, events: ['alert'] });
  const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
  await takeMessage(api.world, message('status', { memory: { usedPercent: 95 } }), intake);
  const [delivery] = await api.world.store.find({ in: 'deliveries', limit: 5 });
  expect(delivery?.data).toMatchObject({ webhookId, maxAttempts: 4 });
  expect(Date.parse(delivery?.data.expireAt ?? '') - Date.parse(api.world.now())).toBe(2 * 24 * 3600_000);
});

describe('a client certificate', () => {
  test('opens the receiver that demands it, on connections that no other endpoint uses', async () => {
    const plain = await create({ url: demanding.url });
    expect((await attempt(plain.webhookId)).errorClass).not.toBeNull();
    const identity = clientIdentity(clients);
    const { webhookId, clientCertificate } = await create({ url: demanding.url, clientCertificate: identity });
    expect(clientCertificate).toMatchObject({ certificate: identity.certificate });
    expect(JSON.stringify(clientCertificate)).not.toContain('PRIVATE');
    expect(await attempt(webhookId)).toMatchObject({ errorClass: null });
    expect(demanding.received).toHaveLength(1);
    expect((await attempt(plain.webhookId)).errorClass).not.toBeNull();
    expect(demanding.received).toHaveLength(1);
  });

  test('that a receiver takes is not said to be refused where it only cuts the connection', async () => {
    const { webhookId } = await create({ url: demanding.url, clientCertificate: clientIdentity(clients) });
    demanding.state.behaviour = 'resets';
    const classes = [(await attempt(webhookId)).errorClass];
    for (const behaviour of ['answers', 'ends', 'resets', 'answers'] as const) {
      demanding.state.behaviour = behaviour;
      classes.push((await attempt(webhookId)).errorClass);
    }
    expect(classes).toEqual(['connection_reset', null, 'connection_reset', 'connection_reset', null]);
  });

  test('of another authority is refused by the receiver, and the attempt says so', async () => {
    const strict = await startStrictServer(trustedCredential(), clients);
    await api.stop();
    api = await startTestApi(undefined, [strict.host, demanding.host]);
    const classes = [];
    for (const url of [strict.url, demanding.url]) {
      const { webhookId } = await create({ url, clientCertificate: clientIdentity() });
      classes.push((await attempt(webhookId)).errorClass);
    }
    await strict.stop();
    expect(classes).toEqual(['client_certificate_refused', 'client_certificate_refused']);
  });

  test.each<[string, () => object, string]>([
    [
      'that is none',
      () => ({ certificate: 'x', key: 'y' }),
      '/clientCertificate/certificate is not a certificate in PEM',
    ],
    [
      'with another key',
      () => ({ ...clientIdentity(), key: clientIdentity().key }),
      '/clientCertificate/key is not the key of the certificate',
    ],
    [
      'without a key',
      () => ({ ...clientIdentity(), key: 'none' }),
      '/clientCertificate/key is not a private key in PEM without a passphrase',
    ],
  ])('%s is refused', async (_, given, fault) => {
    expect(await refusedAt({ clientCertificate: given() })).toEqual([fault]);
  });

  test('is told of once, 30 days before it ends', async () => {
    const ofHour = () => {
      while (new Date(api.world.now()).getUTCMinutes() !== 0) api.world.pass(60);
    };
    await create({ clientCertificate: clientIdentity(clients, 40), contact: 'ana@example.com' });
    ofHour();
    expect(await tellOfCertificates(api.world)).toBe(0);
    api.world.pass(20 * 24 * 3600);
    expect([await tellOfCertificates(api.world), await tellOfCertificates(api.world)]).toEqual([1, 0]);
    const [notice] = await api.world.store.find({ in: 'notices', limit: 5 });
    expect(notice?.data.text).toMatch(/^Our certificate for the webhook endpoint .* ends at .*Ask ana@example.com\.$/);
  });
});

describe('tokens of OAuth 2.0', () => {
  const oauth2 = () => ({ tokenUrl: tokens.url, clientId: 'watchpost', clientSecret: 'a:secret+1', scope: 'events' });

  test('are requested once and sent with each request', async () => {
    const { webhookId, oauth2: shown } = await create({ oauth2: oauth2(), headers: { authorization: 'Bearer own' } });
    expect(shown).toEqual({ tokenUrl: tokens.url, clientId: 'watchpost', scope: 'events' });
    await attempt(webhookId);
    await attempt(webhookId);
    expect(receiver.received.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer token-1',
      'Bearer token-1',
    ]);
    expect(tokens.state.asked).toEqual([
      {
        authorization: `Basic ${Buffer.from('watchpost:a%3Asecret%2B1').toString('base64')}`,
        form: 'grant_type=client_credentials&scope=events',
      },
    ]);
  });

  test('are requested anew when they have ended, and when the receiver refuses one', async () => {
    tokens.state.behaviour = 'grants for a moment';
    const { webhookId } = await create({ oauth2: oauth2() });
    await attempt(webhookId);
    tokens.state.behaviour = 'grants';
    await attempt(webhookId);
    receiver.configure('hook', { behaviour: { kind: 'fail', status: 401 } });
    await attempt(webhookId);
    receiver.configure('hook', { behaviour: { kind: 'ok' } });
    await attempt(webhookId);
    expect(receiver.received.map(({ headers }) => headers['authorization'])).toEqual([
      ...['Bearer token-1', 'Bearer token-2', 'Bearer token-2', 'Bearer token-3'],
    ]);
  });

  test.each([
    ['fails', 'The address of tokens answered 500.'],
    ['lies', 'The answer of the address of tokens has no bearer token.'],
    ['hangs', 'The address of tokens: No full answer came in time.'],
  ] as const)('of an address that %s: nothing is sent, and the attempt says why', async (behaviour, detail) => {
    tokens.state.behaviour = behaviour;
    const { webhookId } = await create({ oauth2: oauth2(), timeoutSeconds: 1 });
    expect(await attempt(webhookId)).toMatchObject({ errorClass: 'token_failed', detail, responseExcerpt: null });
    expect(receiver.received).toEqual([]);
    tokens.state.behaviour = 'grants';
    expect(await attempt(webhookId)).toMatchObject({ errorClass: null });
  });

  test('go only to an address that the guard allows', async () => {
    const faults = await refusedAt({ oauth2: { ...oauth2(), tokenUrl: 'https://169.254.169.254/token' } });
    expect(faults).toEqual(['/oauth2/tokenUrl The address leads to an address that is not public.']);
  });

  test('need the secret again where the address of tokens or the client is another one', async () => {
    const { webhookId } = await create({ oauth2: oauth2() });
    const { clientSecret: _, ...kept } = oauth2();
    const change = (given: object) => call('PATCH', `/v1/webhooks/${webhookId}`, { oauth2: { ...kept, ...given } });
    expect((await change({ scope: 'more' })).body.oauth2.scope).toBe('more');
    for (const other of [{ tokenUrl: 'https://other.example.com/token' }, { clientId: 'somebody' }]) {
      expect((await change(other)).body.errors[0].pointer).toBe('/oauth2/clientSecret');
    }
  });
});

test('what proves who we are is dropped when the endpoint moves to another origin', async () => {
  const oauth2 = { tokenUrl: tokens.url, clientId: 'watchpost', clientSecret: 'secret' };
  const credentialVersions = { clientCertificate: 3, oauth2: 4 };
  const { webhookId, ...made } = await create({ oauth2, clientCertificate: clientIdentity(), credentialVersions });
  expect(made.credentialVersions).toEqual(credentialVersions);
  const { body } = await call('PATCH', `/v1/webhooks/${webhookId}`, { url: 'https://other.example.com/hook' });
  expect([body.oauth2, body.clientCertificate, body.credentialVersions]).toEqual([null, null, undefined]);
});

test('the state of an endpoint follows from its attempts', async () => {
  const { webhookId, state } = await create({});
  const shown = async () => (await api.call('GET', `/v1/webhooks/${webhookId}`)).body.state;
  receiver.configure('hook', { behaviour: { kind: 'fail', status: 500 } });
  const states = [state];
  await attempt(webhookId);
  states.push(await shown());
  for (let count = 0; count < 4; count += 1) await attempt(webhookId);
  states.push(await shown());
  receiver.configure('hook', { behaviour: { kind: 'ok' } });
  await attempt(webhookId);
  states.push(await shown());
  await call('PATCH', `/v1/webhooks/${webhookId}`, { enabled: false });
  states.push(await shown());
  expect(states).toEqual(['healthy', 'failing', 'paused', 'healthy', 'disabled']);
});
