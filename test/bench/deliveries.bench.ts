import { closeSync, openSync, writeSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { Agent } from 'undici';
import { createWebhookSender } from '../../shared/adapters/channels/webhook/webhook-sender.ts';
import { createLog } from '../../shared/adapters/log.ts';
import { createMemoryStore } from '../../shared/adapters/memory/store.ts';
import { createOutboundClient } from '../../shared/adapters/outbound/client.ts';
import { createOutboundGuard } from '../../shared/adapters/outbound/guard.ts';
import { createDispatcher } from '../../shared/app/deliveries/deliver.ts';
import type { World } from '../../shared/app/ports.ts';
import { ownerOf } from '../../shared/app/webhooks/secrets.ts';
import type { Webhook } from '../../shared/domain/delivery/webhook.ts';
import { webhookDelivery } from '../../shared/domain/delivery/webhook-events.ts';
import { endpoint } from '../support/records/deliveries.ts';
import { box } from '../support/world/secret-box.ts';
import { createTestWorld } from '../support/world/world.ts';
import { cpuOf, interleaved, median, spreadOf } from './frame/measure.ts';
import { type Program, startProgram } from './frame/program.ts';
import { type Bench, rowOf } from './frame/row.ts';

const counts = { tiny: 50, quick: 2000, full: 4000 };
const width = 16;
const body = JSON.stringify({ eventType: 'detection', text: 'x'.repeat(1000) });
/** One for each delivery in flight, because the concurrency limiter would postpone that many deliveries to a single endpoint. */
const endpoints = Array.from({ length: width }, (_, index) => {
  const webhookId = `11111111-1111-4111-8111-${String(index).padStart(12, '0')}`;
  const secret = box.seal(`whsec_${Buffer.alloc(32, 3).toString('base64')}`, ownerOf(webhookId, 'secret'));
  return endpoint({ webhookId, secret });
});

type Receiver = Program<{ port: number; certificate: string }>;

/** P6: one attempt, from the call of the dispatcher to the stored result, with the real guard, client and signatures, on the in-process store. */
export const measure: Bench = async ({ size }) => {
  const count = counts[size];
  const receiver: Receiver = await startProgram('receiver');
  setDefaultCACertificates([...getCACertificates('default'), receiver.ready.certificate]);
  const nowhere = openSync('/dev/null', 'w');
  try {
    const rounds = { tiny: 1, quick: 5, full: 7 }[size];
    const deliver = createDeliverer(receiver.ready.port, (line) => writeSync(nowhere, line));
    const request = createFloor(receiver.ready.port);
    const figures = await interleaved(rounds, {
      ours: async () => {
        const ids = await deliver.prepare(count);
        return cpuOf(count, width, (index) => deliver.attempt(ids[index] ?? ''));
      },
      floor: () => cpuOf(count, width, request),
    });
    const sent = 2 * (rounds + 1) * count;
    const { received } = await receiver.ask<{ received: number }>('count');
    if (received !== sent) throw new Error(`${sent} were sent and ${received} received`);
    const beside = [{ name: 'undici.request', value: median(figures.floor) }];
    const note = `1 KB to a local TLS receiver, ${width} at a time; rounds ${spreadOf(figures.ours)} and ${spreadOf(figures.floor)}; ${sent} sent, ${received} received`;
    const ours = median(figures.ours);
    return [
      rowOf({ id: 'P6', what: 'CPU for each delivery', unit: 'µs', ours, beside, goal: 2.5, goalOf: 'ratio', note }),
    ];
  } finally {
    closeSync(nowhere);
    await receiver.stop();
  }
};

function createDeliverer(port: number, write: (line: string) => void) {
  const store = createMemoryStore();
  const now = () => new Date().toISOString();
  const world: World = { ...createTestWorld(store), now, log: createLog('deliver', write) };
  const client = createOutboundClient(createOutboundGuard([`localhost:${port}`]));
  const dispatcher = createDispatcher(world, { webhook: createWebhookSender({ box, client, now }) }, () =>
    performance.now(),
  );
  const url = `https://localhost:${port}/hook`;
  const stored = store.commit(
    endpoints.map((each) => ({ kind: 'create', in: 'webhooks', id: each.webhookId, data: { ...each, url } })),
  );
  let events = 0;
  return {
    async prepare(count: number): Promise<string[]> {
      await stored;
      const deliveries = Array.from({ length: count }, () => {
        events += 1;
        const event = {
          eventType: 'detection',
          eventId: `e-${events}`,
          alertId: null,
          deviceId: 'cam-1',
          groupId: 'north',
          body,
        };
        return webhookDelivery(endpoints[events % width] as Webhook, event, now());
      });
      for (const data of deliveries) {
        await store.commit([{ kind: 'create', in: 'deliveries', id: data.deliveryId, data }]);
      }
      return deliveries.map(({ deliveryId }) => deliveryId);
    },
    async attempt(deliveryId: string): Promise<void> {
      const result = await dispatcher.attempt(deliveryId);
      if (result !== 'delivered') throw new Error(`${deliveryId}: ${result}`);
    },
  };
}

/** The same request with as many headers, by the same client library, and nothing else. */
function createFloor(port: number): (index: number) => Promise<void> {
  const agent = new Agent({ pipelining: 1, allowH2: false });
  const bytes = Buffer.from(body);
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'Watchpost-Webhooks/1.0',
    ...Object.fromEntries(
      Array.from({ length: 8 }, (_, index) => [`X-Header-${index}`, '0c6fd2b1-6a3e-4b5f-9d3e-2f5a9d1c7b10']),
    ),
  };
  return async () => {
    const response = await agent.request({
      origin: `https://localhost:${port}`,
      path: '/hook',
      method: 'POST',
      headers,
      body: bytes,
    });
    await response.body.text();
  };
}
