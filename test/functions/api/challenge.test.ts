import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Receiver } from '../../../local/cloud/receiver/server.ts';
import { verify } from '../../../local/cloud/receiver/verify.ts';
import { takeMessage } from '../../../shared/app/intake/take-message.ts';
import { detection } from '../../support/records/detections.ts';
import { message } from '../../support/records/reports.ts';
import { startTestApi } from '../../support/world/api.ts';
import { frames } from '../../support/world/frames.ts';
import { createWebhookEdge, startTrustedReceiver } from '../../support/world/webhooks.ts';
import { createTestWorld } from '../../support/world/world.ts';

const secret = 'a-secret-of-the-customer';
/** The group of a camera that was never assigned to one. */
const group = 'unassigned';
let receiver: Receiver;
let api: Awaited<ReturnType<typeof startTestApi>>;
let limited: string;
beforeAll(async () => {
  receiver = await startTrustedReceiver(() => Date.parse(api.world.now()));
});
beforeEach(async () => {
  api = await start('required');
  limited = await api.issuer.token({ sub: 'eve', groups: [group] });
  receiver.received.splice(0);
  for (const hook of ['hook', 'other']) receiver.configure(hook, { secret: null, behaviour: { kind: 'ok' } });
});
afterEach(() => api.stop());
afterAll(() => receiver.stop());

function start(webhookChallenge: 'off' | 'required', world = createTestWorld()) {
  return startTestApi(world, [`localhost:${receiver.port}`], {}, undefined, webhookChallenge);
}
const create = async (token?: string, more: object = {}) => {
  const body = { url: receiver.urlOf('hook'), filter: { groups: [group] }, ...more };
  const answer = await api.call('POST', '/v1/webhooks', { ...(token ? { token } : {}), body });
  expect(answer.status).toBe(201);
  return answer.body;
};
/** Attempts every delivery with a wake since the last call. */
const deliver = async () => {
  const { dispatcher } = createWebhookEdge(api.world, [`localhost:${receiver.port}`]);
  for (const wake of api.world.wakes.splice(0)) {
    if (wake.in === 'deliveries') await dispatcher.attempt(wake.id, wake.webhookId);
  }
};
const detect = async (sessionId: string) => {
  await takeMessage(api.world, message('detection', detection(sessionId)), {
    bridgeDialect: 'native',
    autoRegister: true,
    frames,
  });
};
const isPending = async (webhookId: string) => (await api.call('GET', `/v1/webhooks/${webhookId}`)).body.pending;
const deliveriesOf = async (webhookId: string, token?: string) =>
  (await api.call('GET', `/v1/deliveries?webhookId=${webhookId}`, token ? { token } : {})).body.deliveries;
const events = () => receiver.received.map(({ headers }) => headers['x-service-event']);

test('an endpoint of a limited token gets one signed challenge, and its events only after it echoes the challenge', async () => {
  receiver.configure('hook', { secret, behaviour: { kind: 'fail', status: 503 } });
  const made = await create(limited, { secret });
  expect(made.pending).toBe(true);
  await detect('s-1');
  await deliver();
  expect(events()).toEqual(['challenge']);
  expect(receiver.received[0]?.verified).toMatchObject({ contract: true });
  expect(await isPending(made.webhookId)).toBe(true);

  receiver.configure('hook', { behaviour: { kind: 'echo' } });
  const answer = await api.call('POST', `/v1/webhooks/${made.webhookId}/challenge`, { token: limited, body: {} });
  expect(answer).toMatchObject({ status: 200, body: { status: 'delivered', eventType: 'challenge', payload: null } });
  expect(await isPending(made.webhookId)).toBe(false);
  // Held events are released without another call, and new events leave at once.
  await detect('s-2');
  await deliver();
  const [first, second] = receiver.received.filter(({ headers }) => headers['x-service-event'] === 'challenge');
  expect(JSON.parse(second?.body ?? '{}')).toEqual({
    eventType: 'challenge',
    version: '1.0',
    timestamp: expect.any(String),
    webhookId: made.webhookId,
    challenge: expect.stringMatching(/^[\w-]{43}$/),
  });
  expect(second?.body).not.toBe(first?.body);
  expect(
    verify(second?.headers ?? {}, Buffer.from(second?.body ?? ''), secret, Date.parse(api.world.now()) / 1000),
  ).toMatchObject({ contract: true });
  expect(events().filter((name) => name === 'detection')).toHaveLength(2);
});

describe('stays pending, and shows no part of the answer,', () => {
  test.each(['ok', 'mirror', 'gone', 'redirect'] as const)('after the answer `%s`', async (kind) => {
    receiver.configure('hook', { behaviour: { kind, location: 'https://example.com/' } });
    const { webhookId } = await create(limited);
    await detect('s-1');
    await deliver();
    await deliver();
    expect(events()).toEqual(['challenge']);
    expect(await isPending(webhookId)).toBe(true);
    const all = JSON.stringify([
      await deliveriesOf(webhookId, limited),
      (await api.call('GET', '/v1/audit')).body,
      api.world.lines,
    ]);
    const { challenge } = JSON.parse(receiver.received[0]?.body ?? '{}');
    expect(challenge).toHaveLength(43);
    for (const said of ['received', 'gone for good', 'elsewhere', challenge]) expect(all).not.toContain(said);
    const [sent] = (await deliveriesOf(webhookId, limited)).filter(
      (each: { eventType: string }) => each.eventType === 'challenge',
    );
    expect(sent).toMatchObject({ status: kind === 'gone' ? 'held' : 'failed', attempts: [{ responseExcerpt: null }] });
  });
});

test('a pending endpoint gets no test and no replay, and a repeated delivery is held again', async () => {
  const { webhookId } = await create(limited);
  await detect('s-1');
  await deliver();
  const body = { since: '2026-11-19T00:00:00Z' };
  const replay = await api.call('POST', `/v1/webhooks/${webhookId}/replay`, { token: limited, body });
  expect(replay).toMatchObject({ status: 409, body: { code: 'invalid-transition' } });
  const tested = await api.call('POST', `/v1/webhooks/${webhookId}/test`, { token: limited, body: {} });
  expect(tested.body).toMatchObject({ status: 'held', heldReason: expect.stringContaining('not yet proven') });
  for (const { deliveryId, status } of await deliveriesOf(webhookId)) {
    if (status === 'held') await api.call('POST', `/v1/deliveries/${deliveryId}/redeliver`, { body: {} });
  }
  await deliver();
  expect(events()).toEqual(['challenge']);
});

test('an unlimited token may mark a pending endpoint as proven, a limited token may not', async () => {
  const { webhookId } = await create(limited);
  await detect('s-1');
  await deliver();
  const path = `/v1/webhooks/${webhookId}/prove`;
  const refused = await api.call('POST', path, { token: limited, body: {} });
  expect(refused).toMatchObject({ status: 403, body: { code: 'limited-to-groups' } });
  expect(await isPending(webhookId)).toBe(true);
  for (let count = 0; count < 2; count += 1) {
    expect((await api.call('POST', path, { body: {} })).body).toMatchObject({ webhookId, pending: false });
  }
  await deliver();
  expect(events()).toEqual(['challenge', 'detection']);
  const again = await api.call('POST', `/v1/webhooks/${webhookId}/challenge`, { token: limited, body: {} });
  expect(again).toMatchObject({ status: 409, body: { code: 'invalid-transition' } });
});

test.each([
  ['another path of the host', () => ({ url: receiver.urlOf('other') }), true],
  ['another query', () => ({ url: `${receiver.urlOf('hook')}?to=other` }), true],
  ['the same address', () => ({ url: receiver.urlOf('hook') }), false],
  ['a description', () => ({ description: 'ours' }), false],
])('a change to %s sends a new challenge or not', async (_, change, isAsked) => {
  receiver.configure('hook', { behaviour: { kind: 'echo' } });
  const { webhookId } = await create(limited);
  await deliver();
  expect(await isPending(webhookId)).toBe(false);
  receiver.configure('hook', { behaviour: { kind: 'ok' } });
  const path = `/v1/webhooks/${webhookId}`;
  expect((await api.call('PATCH', path, { token: limited, body: change() })).body.pending).toBe(isAsked);
  await detect('s-1');
  await deliver();
  expect(events()).toEqual(isAsked ? ['challenge', 'challenge'] : ['challenge', 'detection']);
});

test('the answer of an old address does not prove a new address', async () => {
  receiver.configure('hook', { behaviour: { kind: 'echo' } });
  const { webhookId } = await create(limited);
  const [asked] = api.world.wakes.splice(0);
  const store = api.world.store;
  // The endpoint moves while its first address is answering.
  const { commit } = store;
  let isMoved = false;
  api.world.store.commit = async (writes) => {
    const done = await commit.call(store, writes);
    if (!isMoved && writes.some((write) => write.in === 'deliveries' && write.kind === 'replace')) {
      isMoved = true;
      await api.call('PATCH', `/v1/webhooks/${webhookId}`, { token: limited, body: { url: receiver.urlOf('other') } });
    }
    return done;
  };
  const { dispatcher } = createWebhookEdge(api.world, [`localhost:${receiver.port}`]);
  await dispatcher.attempt(asked?.id ?? '', webhookId);
  store.commit = commit;
  expect([isMoved, receiver.received.map(({ hook }) => hook)]).toEqual([true, ['hook']]);
  expect(await isPending(webhookId)).toBe(true);
});

test('if a process dies before it records the proof, the challenge is sent again and nothing is lost', async () => {
  receiver.configure('hook', { behaviour: { kind: 'echo' } });
  const { webhookId } = await create(limited);
  await detect('s-1');
  const { commit } = api.world.store;
  api.world.store.commit = async (writes) => {
    if (
      writes.some(
        ({ in: kind, ...write }) =>
          kind === 'deliveries' && 'data' in write && 'attempts' in write.data && write.data.attempts.length > 0,
      )
    )
      throw new Error('the process died');
    return commit.call(api.world.store, writes);
  };
  await expect(deliver()).rejects.toThrow('died');
  api.world.store.commit = commit;
  expect(await isPending(webhookId)).toBe(false);
  api.world.pass(60);
  const [sent] = (await deliveriesOf(webhookId)).filter(
    (each: { eventType: string }) => each.eventType === 'challenge',
  );
  await createWebhookEdge(api.world, [`localhost:${receiver.port}`]).dispatcher.attempt(sent.deliveryId, webhookId);
  await deliver();
  expect(events()).toEqual(['challenge', 'challenge', 'detection']);
});

test('endpoints of unlimited tokens, and those created before the setting was on, count as proven', async () => {
  expect((await create()).pending).toBe(false);
  const { world } = api;
  await api.stop();
  api = await start('off', world);
  limited = await api.issuer.token({ sub: 'eve', groups: [group] });
  const { webhookId, pending } = await create(limited);
  expect(pending).toBe(false);
  await api.stop();
  api = await start('required', world);
  expect(await isPending(webhookId)).toBe(false);
  await detect('s-1');
  await deliver();
  expect(events()).toEqual(['detection', 'detection']);
});
