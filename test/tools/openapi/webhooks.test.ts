import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Receiver } from '../../../local/cloud/receiver/server.ts';
import { handleDue } from '../../../shared/app/due/due.ts';
import { takeMessage } from '../../../shared/app/intake/take-message.ts';
import { challengeDelivery } from '../../../shared/domain/delivery/challenge.ts';
import type { AlertEventChange, IncidentEventChange } from '../../../shared/domain/delivery/webhook-events.ts';
import { webhookEvents } from '../../../shared/schema/vocabulary.ts';
import type { AlertEvent, IncidentEvent } from '../../../shared/schema/webhook/events.ts';
import { webhookPayloads } from '../../../shared/schema/webhook/events.ts';
import { sentDeliveries } from '../../support/records/deliveries.ts';
import { detection } from '../../support/records/detections.ts';
import { giveIncident } from '../../support/records/incidents.ts';
import { message } from '../../support/records/reports.ts';
import { guardianAlert } from '../../support/records/stories.ts';
import { startTestApi } from '../../support/world/api.ts';
import { description, misfits } from '../../support/world/described.ts';
import { frames } from '../../support/world/frames.ts';
import { startTrustedReceiver } from '../../support/world/webhooks.ts';

// The description and the domain must contain the same changes.
true satisfies AlertEvent['change'] extends AlertEventChange ? true : never;
true satisfies AlertEventChange extends AlertEvent['change'] ? true : never;
true satisfies IncidentEvent['change'] extends IncidentEventChange ? true : never;
true satisfies IncidentEventChange extends IncidentEvent['change'] ? true : never;

let receiver: Receiver;
let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  receiver = await startTrustedReceiver(() => Date.parse(api.world.now()));
  api = await startTestApi(undefined, [`localhost:${receiver.port}`]);
});
afterAll(async () => {
  await api.stop();
  await receiver.stop();
});

const take = async (kind: string, body: unknown) => {
  const parts = { bridgeDialect: 'native' as const, autoRegister: true, frames };
  await takeMessage(api.world, message(kind, body), parts);
  api.world.pass(1);
};

test('every webhook event is described, and matches its schema', async () => {
  const url = `https://localhost:${receiver.port}/`;
  const secret = 'a-shared-secret-1';
  const body = { url, events: webhookEvents, secret, format: 'cloudevents', sequenced: true };
  const { body: webhook } = await api.call('POST', '/v1/webhooks', { body });
  await take('detection', detection('s-1'));
  await take('status', { memory: { usedPercent: 95 } });
  for (const kind of ['drift', 'heal', 'conflict'] as const) {
    await take('guardian', guardianAlert(kind, ['broker.host'], api.world.now()));
  }
  const { alerts } = (await api.call('GET', '/v1/alerts')).body;
  await api.call('POST', `/v1/alerts/${alerts[0].alertId}/acknowledge`);
  const incidentId = await giveIncident(api.world, '33864506-4d4f-5f42-bcf2-70fc47afbd36', 'north', 'Switch');
  await api.call('POST', `/v1/incidents/${incidentId}/acknowledge`);
  api.world.pass(3600);
  await handleDue(api.world, 'sequenceCheckpoints', webhook.webhookId);
  await api.call('POST', `/v1/webhooks/${webhook.webhookId}/test`);
  const events = (await sentDeliveries(api.world.store)).filter(({ channel }) => channel === 'webhook');
  const [stored] = await api.world.store.get('webhooks', [webhook.webhookId]);
  const asked = stored && challengeDelivery({ ...stored.data, challenge: 'Zk3' }, api.world.now());
  const all = [...events, ...(asked ? [asked] : [])];
  expect(new Set(all.map(({ eventType }) => eventType))).toEqual(new Set(Object.keys(webhookPayloads)));
  for (const { eventType, body } of all) {
    const content = description.webhooks[eventType]?.post.requestBody.content['application/json'];
    expect(misfits(content?.schema.$ref ?? '', JSON.parse(body)), body).toEqual([]);
  }
  const sent = receiver.received.at(-1);
  const { post } = description.webhooks['test'] ?? {};
  const names = (post?.parameters ?? []).map(({ $ref }) => {
    return description.components.parameters[$ref.split('/').at(-1) ?? '']?.name.toLowerCase();
  });
  const own = Object.keys(sent?.headers ?? {}).filter((name) => /^(x-service|webhook|ce)-|^traceparent$/.test(name));
  expect(own.toSorted()).toEqual(names.toSorted());
});
