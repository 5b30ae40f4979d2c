import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Receiver } from '../../../local/cloud/receiver/server.ts';
import { takeMessage } from '../../../shared/app/intake/take-message.ts';
import { detection } from '../../support/records/detections.ts';
import { message } from '../../support/records/reports.ts';
import { startTestApi } from '../../support/world/api.ts';
import { frames } from '../../support/world/frames.ts';
import { startTrustedReceiver } from '../../support/world/webhooks.ts';

let receiver: Receiver;
let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  receiver = await startTrustedReceiver(() => Date.parse(api.world.now()));
});
beforeEach(async () => {
  await api?.stop();
  api = await startTestApi(undefined, [`localhost:${receiver.port}`, 'localhost:1025']);
  receiver.received.splice(0);
});
afterAll(async () => {
  await api.stop();
  await receiver.stop();
});

const url = 'https://hooks.example.com/watchpost';
const create = async (body: object = { url }, token?: string) => {
  const answer = await api.call('POST', '/v1/webhooks', { body: { url, ...body }, ...(token ? { token } : {}) });
  expect(answer.status).toBe(201);
  return answer.body;
};
const take = (sessionId: string, given: object = {}) =>
  takeMessage(api.world, message('detection', { ...detection(sessionId), ...given }), {
    bridgeDialect: 'native',
    autoRegister: true,
    frames,
  });

describe('an endpoint', () => {
  test('takes the version of a credential only together with the credential, and shows it', async () => {
    const { webhookId } = await create({
      ...{ secret: 'a secret of 16 bytes', headers: { Authorization: 'Bearer x' } },
      credentialVersions: { secret: 1, headers: { Authorization: 5 } },
    });
    const path = `/v1/webhooks/${webhookId}`;
    const shown = async () => (await api.call('GET', path)).body.credentialVersions;
    expect(await shown()).toEqual({ secret: 1, headers: { Authorization: 5 } });
    const credentialVersions = { secret: 2, headers: { Authorization: 6, 'X~Key': 1 } };
    const alone = await api.call('PATCH', path, { body: { headers: { Authorization: '***' }, credentialVersions } });
    expect([alone.status, alone.body.errors.map(({ pointer }: { pointer: string }) => pointer)]).toEqual([
      400,
      ['/credentialVersions/secret', '/credentialVersions/headers/Authorization', '/credentialVersions/headers/X~0Key'],
    ]);
    await api.call('POST', `${path}/rotate-secret`, { body: { secret: 'another of 16 bytes', version: 2 } });
    expect(await shown()).toEqual({ secret: 2, headers: { Authorization: 5 } });
  });
  test('is not deleted in a version that the caller has not seen', async () => {
    const { webhookId } = await create();
    const path = `/v1/webhooks/${webhookId}`;
    const etag = (await api.call('GET', path)).headers.get('ETag') ?? '';
    await api.call('PATCH', path, { body: { description: 'in use' } });
    const headers = { 'If-Match': etag };
    expect(await api.call('DELETE', path, { headers })).toMatchObject({ status: 412 });
    expect((await api.call('GET', path)).body.description).toBe('in use');
  });
  test('has the defaults of the contract', async () => {
    const { status, body, headers } = await api.call('POST', '/v1/webhooks', { body: { url } });
    expect(status).toBe(201);
    expect(headers.get('Location')).toBe(`/v1/webhooks/${body.webhookId}`);
    expect(body).toMatchObject({
      url,
      method: 'POST',
      headers: {},
      hasSecret: false,
      events: ['detection'],
      filter: null,
      maxAttempts: 3,
      timeoutSeconds: 10,
      enabled: true,
    });
    expect(body).not.toHaveProperty('secret');
    expect((await api.call('GET', `/v1/webhooks/${body.webhookId}`)).body).toEqual(body);
    expect((await api.call('GET', '/v1/webhooks')).body).toEqual({ webhooks: [body] });
  });

  test.each([
    [{ url: 'http://example.com/' }, '/url'],
    [{ url: 'https://169.254.169.254/' }, '/url'],
    [{ url: 'https://user:pass@example.com/' }, '/url'],
    [{ url, maxAttempts: 6 }, '/maxAttempts'],
    [{ url, maxAttempts: 0 }, '/maxAttempts'],
    [{ url, timeoutSeconds: 31 }, '/timeoutSeconds'],
    [{ url, method: 'GET' }, '/method'],
    [{ url, events: [] }, '/events'],
    [{ url, headers: { Host: 'a' } }, '/headers/Host'],
    [{ url, headers: { 'content-type': 'a' } }, '/headers/content-type'],
    [{ url, headers: { 'X-Service-Signature': 'a' } }, '/headers/X-Service-Signature'],
    [{ url, headers: { 'Webhook-Id': 'a' } }, '/headers/Webhook-Id'],
    [{ url, headers: { 'X-CloudTasks-TaskName': 'a' } }, '/headers/X-CloudTasks-TaskName'],
    [{ url, headers: { 'x-goog-iam': 'a' } }, '/headers/x-goog-iam'],
    [{ url, headers: { 'X-A': '1', 'x-a': '2' } }, '/headers/x-a'],
    [{ url, headers: { 'X-A': 'a\r\nX-B: b' } }, '/headers/X-A'],
    [{ url, headers: { 'X A': 'a' } }, '/headers/X A'],
    [{ url, headers: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`x-${n}`, 'a'])) }, '/headers'],
    [{ url, filter: { schedule: 'never_heard_of' } }, '/filter/schedule'],
    [{ url, filter: { minConfidence: 1.1 } }, '/filter/minConfidence'],
    [{ url, secret: 'sixteen characters', generateSecret: true }, '/generateSecret'],
    [{ url, colour: 'red' }, '/colour'],
    [{}, '/url'],
  ])('%j is refused and the member named', async (body, pointer) => {
    const answer = await api.call('POST', '/v1/webhooks', { body });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid-request' } });
    expect(answer.body.errors.map((fault: { pointer: string }) => fault.pointer)).toContain(pointer);
    expect((await api.call('GET', '/v1/webhooks')).body.webhooks).toEqual([]);
  });

  test('shows a generated secret once and a given secret never; both are stored encrypted', async () => {
    const given = await create({ secret: 'a-secret-of-ours-1' });
    const made = await create({ generateSecret: true });
    expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(JSON.stringify(given)).not.toContain('a-secret-of-ours-1');
    const stored = await api.world.store.find({ in: 'webhooks', limit: 10 });
    const everything = JSON.stringify([
      (await api.call('GET', '/v1/webhooks')).body,
      (await api.call('GET', `/v1/webhooks/${made.webhookId}`)).body,
      stored,
      api.world.lines,
    ]);
    expect(everything).not.toContain('a-secret-of-ours-1');
    expect(everything).not.toContain(made.secret.slice(6, 30));
  });

  test('hides the values of headers that carry credentials, and keeps them when they come back hidden', async () => {
    const { webhookId, headers } = await create({
      url: receiver.urlOf('headers'),
      headers: { Authorization: 'Bearer very-secret', 'X-Team': 'north' },
    });
    expect(headers).toEqual({ Authorization: '***', 'X-Team': 'north' });
    const changed = { headers: { Authorization: '***', 'X-Team': 'south' } };
    await api.call('PATCH', `/v1/webhooks/${webhookId}`, { body: changed });
    await api.call('POST', `/v1/webhooks/${webhookId}/test`, { body: {} });
    expect(receiver.received[0]?.headers).toMatchObject({ authorization: 'Bearer very-secret', 'x-team': 'south' });
    const stored = JSON.stringify(await api.world.store.find({ in: 'webhooks', limit: 10 }));
    expect(stored).not.toContain('very-secret');
  });

  test('is changed by PATCH with If-Match: absent members stay, null removes', async () => {
    const { webhookId } = await create({ description: 'ours', filter: { groups: ['north'] }, maxAttempts: 5 });
    const path = `/v1/webhooks/${webhookId}`;
    const first = await api.call('PATCH', path, {
      body: { filter: null, timeoutSeconds: 3 },
      headers: { 'If-Match': '"1"' },
    });
    expect(first.body).toMatchObject({ description: 'ours', filter: null, maxAttempts: 5, timeoutSeconds: 3 });
    expect(first.headers.get('ETag')).toBe('"2"');
    const stale = await api.call('PATCH', path, { body: { enabled: false }, headers: { 'If-Match': '"1"' } });
    expect(stale).toMatchObject({ status: 412, body: { code: 'precondition-failed' } });
    expect((await api.call('PATCH', path, { body: { url: 'https://10.0.0.1/' } })).status).toBe(400);
    expect((await api.call('DELETE', path)).status).toBe(204);
    expect((await api.call('GET', path)).status).toBe(404);
  });

  test.each(['none', '..', '%2e%2e', 'a%2Fb', '__x__', '%00'])('with the id %s is answered 404', async (id) => {
    expect((await api.call('GET', `/v1/webhooks/${id}`)).status).toBe(404);
    expect((await api.call('GET', `/v1/deliveries/${id}`)).status).toBe(404);
  });
});

test('a limited bearer creates and sees only endpoints and deliveries of its groups', async () => {
  const north = await api.issuer.token({ groups: ['north'] });
  const everywhere = await create({});
  const beyond = { url, filter: { groups: ['north', 'south'] } };
  for (const body of [{ url }, beyond, { url, filter: { groups: [] } }]) {
    expect((await api.call('POST', '/v1/webhooks', { token: north, body })).status).toBe(400);
  }
  const own = await create({ filter: { groups: ['north'] } }, north);
  expect((await api.call('GET', '/v1/webhooks', { token: north })).body.webhooks).toEqual([own]);
  for (const [method, path] of [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/test'],
    ['POST', '/explain'],
    ['POST', '/rotate-secret'],
  ] as const) {
    const given = method === 'GET' ? { token: north } : { token: north, body: {} };
    const answer = await api.call(method, `/v1/webhooks/${everywhere.webhookId}${path}`, given);
    expect([method, path, answer.status]).toEqual([method, path, 404]);
  }
  const widened = { token: north, body: { filter: null } };
  expect((await api.call('PATCH', `/v1/webhooks/${own.webhookId}`, widened)).status).toBe(400);
  await take('s-south', { device: { groupId: 'south' } });
  const [delivery] = (await api.call('GET', '/v1/deliveries')).body.deliveries;
  expect((await api.call('GET', '/v1/deliveries', { token: north })).body.deliveries).toEqual([]);
  for (const [method, path] of [
    ['GET', ''],
    ['POST', '/redeliver'],
    ['POST', '/dismiss'],
  ] as const) {
    const answer = await api.call(method, `/v1/deliveries/${delivery.deliveryId}${path}`, { token: north });
    expect(answer.status).toBe(404);
  }
});

describe('a test event', () => {
  test('is signed under both schemes and answered with its outcome', async () => {
    const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
    receiver.configure('signed', { secret });
    const { webhookId } = await create({ url: receiver.urlOf('signed'), secret, method: 'PUT' });
    const { status, body } = await api.call('POST', `/v1/webhooks/${webhookId}/test`, { body: {} });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'delivered', eventType: 'test', attempts: [{ number: 1, statusCode: 200 }] });
    const [got] = receiver.received;
    expect(got).toMatchObject({ method: 'PUT', body: body.payload, verified: { contract: true } });
    expect(got?.headers).toMatchObject({
      'x-service-delivery': body.deliveryId,
      'x-service-attempt': '1',
      'x-service-event': 'test',
      'x-service-signature': expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
      'x-service-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-id': body.deliveryId,
      'content-type': 'application/json',
    });
    // The library verifies only recent timestamps, and these tests use another clock, so the signatures are compared.
    const timestamp = new Date(Number(got?.headers['webhook-timestamp']) * 1000);
    const expected = new Verifier(secret).sign(body.deliveryId, timestamp, body.payload);
    expect(got?.headers['webhook-signature']).toBe(expected);
  });

  test('without a secret carries no signature and no timestamp', async () => {
    const { webhookId } = await create({ url: receiver.urlOf('plain') });
    await api.call('POST', `/v1/webhooks/${webhookId}/test`, { body: {} });
    const names = Object.keys(receiver.received[0]?.headers ?? {});
    expect(names.filter((name) => /signature|timestamp|webhook-/.test(name))).toEqual([]);
  });

  test('that fails says how, though the endpoint is disabled', async () => {
    receiver.configure('failing', { behaviour: { kind: 'fail', status: 418 } });
    const { webhookId } = await create({ url: receiver.urlOf('failing'), enabled: false });
    const { body } = await api.call('POST', `/v1/webhooks/${webhookId}/test`, { body: {} });
    expect(body).toMatchObject({
      status: 'failed',
      attempts: [{ statusCode: 418, errorClass: 'http_status', responseExcerpt: 'told to fail\n' }],
    });
    // No server listens there: the system assigns only higher ports.
    const unheard = await create({ url: 'https://localhost:1025/' });
    const answer = await api.call('POST', `/v1/webhooks/${unheard.webhookId}/test`, { body: {} });
    expect(answer.body).toMatchObject({ status: 'failed', attempts: [{ statusCode: null }] });
  });

  test('does not show a credential that the receiver echoes', async () => {
    receiver.configure('echo', { behaviour: { kind: 'fail', status: 400 } });
    const { webhookId } = await create({ url: receiver.urlOf('echo'), headers: { 'X-Api-Key': 'told to' } });
    const { body } = await api.call('POST', `/v1/webhooks/${webhookId}/test`, { body: {} });
    expect(body.attempts[0].responseExcerpt).toBe('*** fail\n');
  });
});

test('a secret that is rotated signs beside the old one, and takes over when it is promoted', async () => {
  receiver.configure('rotating', { secret: 'the-old-secret-16' });
  const { webhookId } = await create({ url: receiver.urlOf('rotating'), secret: 'the-old-secret-16' });
  const path = `/v1/webhooks/${webhookId}`;
  const rotated = await api.call('POST', `${path}/rotate-secret`, { body: {} });
  expect(rotated.body).toMatchObject({
    secret: expect.stringMatching(/^whsec_/),
    secretPromotesAt: expect.any(String),
  });
  await api.call('POST', `${path}/test`, { body: {} });
  expect(String(receiver.received[0]?.headers['webhook-signature']).split(' ')).toHaveLength(2);
  expect(receiver.received[0]?.verified?.contract).toBe(true);
  const promoted = await api.call('POST', `${path}/promote-secret`, { body: {} });
  expect(promoted.body).toMatchObject({ hasSecret: true, secretPromotesAt: null });
  expect(promoted.body).not.toHaveProperty('secret');
  receiver.configure('rotating', { secret: rotated.body.secret });
  await api.call('POST', `${path}/test`, { body: {} });
  expect(receiver.received[1]?.verified?.contract).toBe(true);
  expect(String(receiver.received[1]?.headers['webhook-signature']).split(' ')).toHaveLength(1);
});

test('explain names the filter member that refused each recent detection', async () => {
  const { webhookId } = await create({ filter: { objects: ['person'], minConfidence: 0.9, groups: ['north'] } });
  await take('wanted', { device: { groupId: 'north', name: 'Gate' } });
  await take('elsewhere', { device: { groupId: 'south' }, analysis: { objects: [], questions: [], summary: '' } });
  const { body } = await api.call('POST', `/v1/webhooks/${webhookId}/explain`, { body: { limit: 10 } });
  const bySession = Object.fromEntries(body.detections.map((each: { sessionId: string }) => [each.sessionId, each]));
  expect(bySession['wanted']).toMatchObject({
    deviceName: 'Gate',
    wanted: true,
    refusedBy: [],
    deliveryStatus: 'pending',
  });
  expect(bySession['elsewhere']).toMatchObject({ wanted: false, deliveryId: null });
  expect(bySession['elsewhere'].refusedBy.map(({ member }: { member: string }) => member)).toEqual([
    'objects',
    'minConfidence',
    'groups',
  ]);
});

describe('a delivery', () => {
  test('is listed by status, endpoint, channel and time, page by page', async () => {
    const first = await create({});
    const second = await create({ enabled: false });
    for (const id of ['a', 'b', 'c']) {
      api.world.pass(60);
      await take(id);
    }
    const list = async (query: string) => (await api.call('GET', `/v1/deliveries?${query}`)).body;
    const sessions = (body: { deliveries: { eventId: string }[] }) => body.deliveries.map(({ eventId }) => eventId);
    expect(sessions(await list(`webhookId=${first.webhookId}`))).toEqual(['c', 'b', 'a']);
    expect(sessions(await list('status=held'))).toEqual(['c', 'b', 'a']);
    expect((await list('status=held')).deliveries[0]).toMatchObject({
      webhookId: second.webhookId,
      heldReason: 'The endpoint is disabled.',
      nextAttemptAt: null,
    });
    expect(sessions(await list('status=failed&status=delivered'))).toEqual([]);
    expect(sessions(await list('channel=email'))).toEqual([]);
    expect(sessions(await list(`status=pending&since=${api.world.now()}`))).toEqual(['c']);
    const page = await list('status=held&pageSize=2');
    expect(sessions(page)).toEqual(['c', 'b']);
    expect(sessions(await list(`status=held&pageSize=2&pageToken=${page.nextPageToken}`))).toEqual(['a']);
    expect((await api.call('GET', `/v1/deliveries?pageToken=${page.nextPageToken}`)).status).toBe(400);
    expect((await api.call('GET', '/v1/deliveries?state=held')).status).toBe(400);
  });

  test('that is held can be replayed when its endpoint is enabled, counted first', async () => {
    const { webhookId } = await create({ enabled: false });
    const since = api.world.now();
    for (const id of ['a', 'b', 'c']) await take(id);
    const replay = (body: object) => api.call('POST', `/v1/webhooks/${webhookId}/replay`, { body: { since, ...body } });
    expect((await replay({ dryRun: true })).body).toEqual({ matched: 3, waiting: 0, replayed: 0, remaining: 3 });
    expect(await replay({})).toMatchObject({ status: 409, body: { code: 'invalid-transition' } });
    await api.call('PATCH', `/v1/webhooks/${webhookId}`, { body: { enabled: true } });
    api.world.wakes.splice(0);
    expect((await replay({ status: ['failed'] })).body.matched).toBe(0);
    expect((await replay({})).body).toEqual({ matched: 3, waiting: 0, replayed: 3, remaining: 0 });
    expect(api.world.wakes).toHaveLength(3);
    const { deliveries } = (await api.call('GET', '/v1/deliveries?status=pending')).body;
    expect(deliveries).toHaveLength(3);
    expect((await replay({})).body.matched).toBe(0);
  });

  test('that was held can be dismissed, dismissed again without effect, and still be sent', async () => {
    await create({ enabled: false });
    await take('a');
    const [held] = (await api.call('GET', '/v1/deliveries')).body.deliveries;
    const path = `/v1/deliveries/${held.deliveryId}`;
    expect((await api.call('POST', `${path}/dismiss`, { body: {} })).body.status).toBe('dismissed');
    expect((await api.call('POST', `${path}/dismiss`)).body.status).toBe('dismissed');
    expect((await api.call('POST', `${path}/redeliver`)).body).toMatchObject({
      deliveryId: held.deliveryId,
      status: 'pending',
    });
    for (const action of ['redeliver', 'dismiss']) {
      expect(await api.call('POST', `${path}/${action}`)).toMatchObject({
        status: 409,
        body: { code: 'invalid-transition', deliveryStatus: 'pending' },
      });
    }
  });
});

test('the ranges that webhooks come from are listed', async () => {
  expect((await api.call('GET', '/v1/egress-ranges')).body).toEqual([
    { region: 'europe-west1', cidrs: ['198.51.100.0/24'] },
    { region: 'europe-north1', cidrs: ['203.0.113.0/24'], standby: true },
  ]);
});
