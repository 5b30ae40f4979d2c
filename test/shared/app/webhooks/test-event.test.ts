import { expect, test } from 'vitest';
import { createDispatcher } from '../../../../shared/app/deliveries/deliver.ts';
import type { Sender } from '../../../../shared/app/ports.ts';
import { testWebhook } from '../../../../shared/app/webhooks/test.ts';
import { ana } from '../../../support/records/alerts.ts';
import { endpoint, success } from '../../../support/records/deliveries.ts';
import { afterPause, createTestWorld } from '../../../support/world/world.ts';

const testId = '5d9f0f0e-6f0d-4c5a-8d55-9a4f1c4d2b11';

/** Tests one endpoint; `deliver` is called when the caller has waited `afterMs`, or never. */
async function testOne(afterMs: number | null) {
  const world = createTestWorld();
  const webhook = endpoint();
  await world.store.commit([{ kind: 'create', in: 'webhooks', id: webhook.webhookId, data: webhook }]);
  const sent: string[] = [];
  const webhookSender: Sender = {
    async send({ deliveryId }) {
      sent.push(deliveryId);
      return success;
    },
  };
  const dispatcher = createDispatcher(world, { webhook: webhookSender }, () => 0);
  let waitedMs = 0;
  const pause = async (ms: number) => {
    waitedMs += ms;
    const [wake] = world.wakes;
    if (afterMs !== null && waitedMs >= afterMs && wake?.in === 'deliveries')
      await dispatcher.attempt(wake.id, wake.webhookId);
  };
  const answer = await testWebhook({ ...world, after: afterPause(pause) }, ana, webhook, testId);
  return { answer, sent, waitedMs, wakes: world.wakes };
}

test('a test event is sent by a wake of its own, since only `deliver` leaves from the addresses that customers allow', async () => {
  const { answer, sent, wakes } = await testOne(200);
  expect(wakes[0]).toMatchObject({ in: 'deliveries', id: answer.deliveryId });
  expect(sent).toEqual([answer.deliveryId]);
  expect(answer).toMatchObject({ status: 'delivered', eventType: 'test' });
});

test('whoever asked waits for an attempt that takes 25 seconds', async () => {
  const { answer, waitedMs } = await testOne(25_000);
  expect(answer.status).toBe('delivered');
  expect(waitedMs).toBeLessThan(30_000);
});

test('a test event that nobody sends is answered as it stands, within the 60 seconds that a front door waits', async () => {
  const { answer, sent, waitedMs } = await testOne(null);
  expect(answer).toMatchObject({ status: 'pending', attempts: [] });
  expect(sent).toEqual([]);
  expect(waitedMs).toBeGreaterThan(30_000);
  expect(waitedMs).toBeLessThan(50_000);
});
