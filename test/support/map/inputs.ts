import assert from 'node:assert/strict';
import { readPushed } from '../../../functions/ingest/message.ts';
import { createMemoryStore } from '../../../shared/adapters/memory/store.ts';
import type { AlertCommand } from '../../../shared/app/alerts/actions.ts';
import { takeMessage } from '../../../shared/app/intake/take-message.ts';
import { ownerOf } from '../../../shared/app/webhooks/secrets.ts';
import { tripCounter } from '../../../tools/map/trips.ts';
import { giveTeam, openTestAlert } from '../records/alerts.ts';
import { endpoint, storeDelivery } from '../records/deliveries.ts';
import { startTestApi } from '../world/api.ts';
import { frames } from '../world/frames.ts';
import { box } from '../world/secret-box.ts';
import { createWebhookEdge, startTrustedReceiver } from '../world/webhooks.ts';
import { createTestWorld } from '../world/world.ts';

const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;

/**
 * The inputs for which `tools/map.ts` counts trips to the store and decisions, each through its real edge on the in-memory store. Each member
 * prepares one input and returns a function that sends it and checks the effect.
 */
export async function startInputs() {
  const receiver = await startTrustedReceiver();
  const allowHosts = [`localhost:${receiver.port}`];
  const store = createMemoryStore(() => Date.parse(world.now()));
  const counter = tripCounter(store);
  const api = await startTestApi(createTestWorld(counter.store), allowHosts);
  const { world } = api;
  await giveTeam(world, 'operations', { emails: ['ops@example.com'] });
  const plain = endpoint({ url: receiver.urlOf('hook') });
  const webhook = { ...plain, secret: box.seal('a-secret-of-the-map', ownerOf(plain.webhookId, 'secret')) };
  const { dispatcher } = createWebhookEdge(world, allowHosts);
  let count = 0;
  /** A status report as Pub/Sub pushes it. */
  const report = async (deviceId: string, usedPercent: number) => {
    count += 1;
    const body = { bootId: 'b', seq: count, memory: { usedPercent } };
    const attributes = { deviceId, kind: 'status' };
    const data = Buffer.from(JSON.stringify(body)).toString('base64');
    const pushed = { message: { messageId: String(count), publishTime: world.now(), attributes, data } };
    const { message } = readPushed(pushed, Date.parse(world.now()));
    await takeMessage(world, message, intake);
  };
  const alertsOpened = () => store.count({ in: 'alerts' });
  /** An action on an alert after others. */
  const action =
    (kind: AlertCommand['kind'], body: object, status: string, ...before: AlertCommand['kind'][]) =>
    async () => {
      const id = await openTestAlert(world);
      await takeSettings();
      for (const each of before) await api.call('POST', `/v1/alerts/${id}/${each}`, { body: {} });
      return async () => {
        const answer = await api.call('POST', `/v1/alerts/${id}/${kind}`, { body });
        assert.deepEqual([answer.status, answer.body.status], [200, status]);
      };
    };
  /** Lets the service read its settings, as any request of the last minute did. */
  const takeSettings = () => api.call('GET', '/v1/settings');
  const opening = (pausedSeconds: number) => async () => {
    count += 1;
    const deviceId = `cam-full-${count}`;
    await report(deviceId, 40);
    world.pass(pausedSeconds);
    if (pausedSeconds < 60) await takeSettings();
    const before = await alertsOpened();
    return async () => {
      await report(deviceId, 95);
      assert.equal(await alertsOpened(), before + 1);
    };
  };
  const inputs = {
    list: async () => async () => {
      const { status, body } = await api.call('GET', '/v1/alerts');
      assert.ok(status === 200 && body.alerts.length > 0, 'the alerts are listed');
    },
    acknowledge: action('acknowledge', {}, 'acknowledged'),
    unacknowledge: action('unacknowledge', {}, 'active', 'acknowledge'),
    resolve: action('resolve', {}, 'resolved'),
    reopen: action('reopen', {}, 'active', 'resolve'),
    snooze: action('snooze', { minutes: 30 }, 'active'),
    unsnooze: action('unsnooze', {}, 'active'),
    async 'quiet report'() {
      await report('cam-quiet', 40);
      world.pass(60);
      const before = await alertsOpened();
      return async () => {
        await report('cam-quiet', 40);
        assert.equal(await alertsOpened(), before);
      };
    },
    'opening report': opening(30),
    'opening report, settings of two minutes ago': opening(120),
    async 'webhook attempt'() {
      count += 1;
      const { deliveryId, webhookId } = await storeDelivery(world.store, `s-${count}`, webhook);
      return async () => assert.equal(await dispatcher.attempt(deliveryId, webhookId), 'delivered');
    },
  };
  await openTestAlert(world);
  return { inputs, counter, stop: () => Promise.all([api.stop(), receiver.stop()]) };
}
