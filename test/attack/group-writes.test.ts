import { afterAll, beforeAll, expect, test } from 'vitest';
import { takeMessage } from '../../shared/app/intake/take-message.ts';
import type { Delivery } from '../../shared/domain/delivery/delivery.ts';
import { isFleetWide, type Route } from '../../shared/schema/route.ts';
import { routes } from '../../shared/schema/routes.ts';
import { openTestAlert, uuidOf } from '../support/records/alerts.ts';
import { detection } from '../support/records/detections.ts';
import { allRecords } from '../support/records/records.ts';
import { message } from '../support/records/reports.ts';
import { guardianAlert } from '../support/records/stories.ts';
import { score } from '../support/score/score.ts';
import { onStore, storesOfRun } from '../support/stores/store-of-run.ts';
import { startTestApi } from '../support/world/api.ts';
import { frames } from '../support/world/frames.ts';
import { createWebhookEdge, startTrustedReceiver } from '../support/world/webhooks.ts';
import { createTestWorld, startOfTests } from '../support/world/world.ts';

const stores = storesOfRun();
let api: Awaited<ReturnType<typeof startTestApi>>;
let limited: string;
beforeAll(async () => {
  api = await startTestApi(createTestWorld(stores.empty()));
  limited = await api.issuer.token({ groups: ['north'], sub: 'eve' });
});
afterAll(() => api.stop());

const rule = { name: 'everything is silent', condition: { code: '*' }, action: { suppress: true } };
const bodies: Record<string, object> = {
  createRule: rule,
  putRule: rule,
  putTeam: { emails: ['eve@example.com'] },
};

test('a token that is limited to groups cannot change settings of the whole fleet, and the answer gives the reason', async () => {
  const { body: settings } = await api.call('GET', '/v1/settings');
  const { body: known } = await api.call('POST', '/v1/rules', { body: { ...rule, action: { priority: 'P1' } } });
  await api.call('PUT', '/v1/teams/operations', { body: { emails: ['ops@example.com'] } });
  const ids: Record<string, string> = { ruleId: known.ruleId, name: 'operations', reportId: 'bad-1' };
  const before = await recordsBesideAudit();
  const writing = Object.entries(routes as Record<string, Route>).filter(([, route]) => isFleetWide(route));
  expect(writing.length).toBeGreaterThanOrEqual(9);
  for (const groups of [['north'], ['north', 'south'], []]) {
    const token = await api.issuer.token({ groups, sub: 'eve' });
    for (const [operation, { method, path, body }] of writing) {
      const given = operation === 'putSettings' ? settings : (bodies[operation] ?? {});
      const url = path.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name] ?? 'x');
      const answer = await api.call(method.toUpperCase(), url, { token, ...(body ? { body: given } : {}) });
      const code = groups.length > 0 ? 'limited-to-groups' : 'no-groups';
      expect([operation, answer.status, answer.body.code]).toEqual([operation, 403, code]);
      if (groups.length > 0) expect(answer.body.detail).toContain(routes[operation as keyof typeof routes].scope);
    }
  }
  score('S8', `changes of fleet-wide configuration${onStore}`, writing.length * 3, 0);
  expect(await recordsBesideAudit()).toEqual(before);
  for (const path of [`/v1/rules/${known.ruleId}`, '/v1/rules', '/v1/teams', '/v1/settings']) {
    expect([path, (await api.call('GET', path, { token: limited })).status]).toEqual([path, 200]);
  }
});

/** All records except audit entries. A refused request writes an audit entry, and may change nothing else. */
async function recordsBesideAudit(): Promise<string[]> {
  const all = await allRecords(api.world.store);
  return all.filter((record) => !record.startsWith('auditStream ') && !/^events \S+ {"type":"audit"/.test(record));
}

test('an endpoint that a limited token makes or changes never gets an event of another group', async () => {
  const options = { events: ['detection', 'alert', 'guardian'], filter: { groups: ['north'] } };
  const url = 'https://hooks.example.com/eve';
  const { body: made } = await api.call('POST', '/v1/webhooks', { token: limited, body: { ...options, url } });
  const token = await api.issuer.token({ groups: ['north', 'south'], sub: 'sue' });
  const { body: changed } = await api.call('POST', '/v1/webhooks', { token, body: { ...options, url } });
  const body = { url: `${url}/2`, filter: { groups: ['north'], minConfidence: 0 } };
  expect((await api.call('PATCH', `/v1/webhooks/${changed.webhookId}`, { token: limited, body })).status).toBe(200);
  for (const group of ['north', 'south', 'unassigned']) await happen(group);
  const pending = await deliveriesTo([made.webhookId, changed.webhookId]);
  expect(new Set(pending.map(({ groupId }) => groupId))).toEqual(new Set(['north']));
  // Three event types to two endpoints. Without any events the check above would prove nothing.
  expect(new Set(pending.map(({ eventType }) => eventType))).toEqual(new Set(['detection', 'alert', 'guardian']));
  expect(pending.length).toBeGreaterThanOrEqual(6);
  score('S8', `events of other groups to endpoints of a limited token${onStore}`, 12, 0);
});

test('after an endpoint loses a group, its pending events of that group are not sent to an address set by a limited token', async () => {
  const receiver = await startTrustedReceiver();
  const hooked = await startTestApi(undefined, ['localhost']);
  const token = await hooked.issuer.token({ groups: ['north'], sub: 'eve' });
  try {
    const filter = { groups: ['north', 'south'] };
    const { body: webhook } = await hooked.call('POST', '/v1/webhooks', {
      token: await hooked.issuer.token({ groups: ['north', 'south'], sub: 'sue' }),
      body: { url: 'https://hooks.example.com/', filter },
    });
    for (const group of ['north', 'south']) await happen(group, hooked);
    const path = `/v1/webhooks/${webhook.webhookId}`;
    await hooked.call('PATCH', path, { body: { filter: { groups: ['north'] } } });
    expect((await hooked.call('PATCH', path, { token, body: { url: receiver.urlOf('eve') } })).status).toBe(200);
    const { dispatcher } = createWebhookEdge(hooked.world, ['localhost']);
    const pending = await deliveriesTo([webhook.webhookId], hooked);
    expect(pending).toHaveLength(2);
    for (const { groupId, deliveryId } of pending) {
      expect([groupId, await dispatcher.attempt(deliveryId)]).toEqual([
        groupId,
        groupId === 'north' ? 'delivered' : 'held',
      ]);
    }
  } finally {
    await hooked.stop();
    await receiver.stop();
  }
});

let count = 0;
/** One detection, one guardian alert and one alert on a camera of a group. */
async function happen(groupId: string, { world } = api): Promise<void> {
  count += 1;
  const deviceId = `cam-of-${groupId}`;
  const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
  const send = (kind: string, body: object) => takeMessage(world, message(kind, body, { deviceId }), intake);
  await send('status', groupId === 'unassigned' ? {} : { groupId });
  await send('detection', detection(`${groupId}-${count}`));
  await send('guardian', guardianAlert('conflict', ['broker.host'], startOfTests));
  await openTestAlert(world, { deviceId, groupId, alertId: uuidOf(800 + count) });
}

async function deliveriesTo(webhookIds: string[], { world } = api): Promise<Delivery[]> {
  const found = await world.store.find({ in: 'deliveries', limit: 1000 });
  return found.map(({ data }) => data).filter(({ webhookId }) => webhookIds.includes(webhookId ?? ''));
}
