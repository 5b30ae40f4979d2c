import { randomUUID } from 'node:crypto';
import type { LookupAddress } from 'node:dns';
import { afterAll, describe, expect, test } from 'vitest';
import { createWebhookSender } from '../../../shared/adapters/channels/webhook/webhook-sender.ts';
import { createOutboundClient } from '../../../shared/adapters/outbound/client.ts';
import { createOutboundGuard } from '../../../shared/adapters/outbound/guard.ts';
import { createDispatcher } from '../../../shared/app/deliveries/deliver.ts';
import type { Delivery } from '../../../shared/domain/delivery/delivery.ts';
import { msBetween } from '../../../shared/domain/time.ts';
import { type Animal, openCage, zooOf } from '../../support/faults/receiver-zoo.ts';
import { freePort } from '../../support/net/free-port.ts';
import { endpoint, storeDelivery } from '../../support/records/deliveries.ts';
import { ledger } from '../../support/score/score.ts';
import { box } from '../../support/world/secret-box.ts';
import { createTestWorld, startOfTests } from '../../support/world/world.ts';

/** The contract's delays before attempts 2 to 5, seconds. */
const delays = [30, 120, 600, 3600];
/** How many bytes of an answer are read at most, and how many may be sent in addition: headers, TLS records, a chunk in transit. */
const maxReadBytes = 64 * 1024;
const aroundBytes = 16 * 1024;

const names: Record<string, () => Promise<LookupAddress[]>> = {
  localhost: async () => [{ address: '127.0.0.1', family: 4 }],
  'other.example.com': async () => [{ address: '127.0.0.1', family: 4 }],
  'no-name.example.com': () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })),
  'empty.example.com': async () => [],
  'stuck.example.com': () => new Promise(() => {}),
  'private.example.com': async () => [{ address: '10.0.0.1', family: 4 }],
};
const guard = createOutboundGuard(['localhost', 'other.example.com'], async (host) => (await names[host]?.()) ?? []);
const client = createOutboundClient(guard);

/** Attempts one delivery to an address until it is over. The clock only advances to the next due time. */
async function deliverTo(url: string, isSlow: boolean): Promise<{ delivery: Delivery; calls: number }> {
  const world = createTestWorld();
  const webhook = createWebhookSender({ box, client, now: world.now });
  const dispatcher = createDispatcher(world, { webhook }, () => 0);
  const webhookId = randomUUID();
  const to = endpoint({ webhookId, url, maxAttempts: 5, timeoutSeconds: isSlow ? 1 : 30 });
  const { deliveryId } = await storeDelivery(world.store, 'seen', to);
  for (let calls = 0; ; calls += 1) {
    const [stored] = await world.store.get('deliveries', [deliveryId]);
    if (!stored) throw new Error('the delivery is gone');
    const { status, dueAt } = stored.data;
    if (status !== 'pending' || dueAt === null) return { delivery: stored.data, calls };
    world.pass(Math.max(0, msBetween(world.now(), dueAt)) / 1000);
    await dispatcher.attempt(deliveryId);
  }
}

const zoo = zooOf(startOfTests);
let attempts = 0;
const amiss: string[] = [];

describe.concurrent('a receiver that', () => {
  test.each(zoo)('$name', async (animal) => {
    amiss.push(animal.name);
    const cage = await openCage(animal);
    const { delivery, calls } = await deliverTo(cage.url, animal.isSlow === true);
    await cage.close();
    attempts += delivery.attemptCount;
    const { status, attempts: count, errorClass, statusCode } = animal.fate;
    expect(delivery.attempts.map((attempt) => [attempt.errorClass, attempt.statusCode])).toEqual(
      Array(count).fill([errorClass, statusCode]),
    );
    expect([delivery.status, delivery.attemptCount, calls]).toEqual([status, count, count]);
    expectDelays(animal, delivery);
    // Either no request reaches the receiver, or exactly one for each attempt.
    if (cage.requests.length > 0) expect(cage.requests).toHaveLength(count);
    expect(cage.mostWritten()).toBeLessThanOrEqual(maxReadBytes + aroundBytes);
    amiss.splice(amiss.indexOf(animal.name), 1);
  });

  test('refuses the connection', async () => {
    const { delivery } = await deliverTo(`https://localhost:${await freePort()}/`, false);
    attempts += delivery.attemptCount;
    expect(delivery.attempts.map(({ errorClass }) => errorClass)).toEqual(Array(5).fill('connection_refused'));
  });
});

/** Each delay is the contract's or the requested one, whichever is longer, plus at most a tenth of the contract's. */
function expectDelays({ fate }: Animal, { attempts: made }: Delivery): void {
  for (const [index, next] of made.slice(1).entries()) {
    const seconds = msBetween(made[index]?.at ?? '', next.at) / 1000;
    const contract = delays[index] ?? 0;
    const untilAsked = fate.asksUntil ? msBetween(made[index]?.at ?? '', fate.asksUntil) / 1000 : 0;
    const longer = Math.max(contract, fate.retryAfterSeconds ?? 0, untilAsked);
    expect(seconds).toBeGreaterThanOrEqual(longer);
    expect(seconds).toBeLessThanOrEqual(longer + contract / 10 + 0.001);
  }
}

afterAll(() => {
  const kinds = zoo.length + 1;
  ledger('R6', `${kinds} kinds of receivers, ${attempts} attempts`, {
    tried: kinds,
    lost: 0,
    wrong: amiss.length,
    doubled: 0,
  });
});
