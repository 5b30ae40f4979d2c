import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { createWebhookSender } from '../../shared/adapters/channels/webhook/webhook-sender.ts';
import { createMemoryStore } from '../../shared/adapters/memory/store.ts';
import { createOutboundClient } from '../../shared/adapters/outbound/client.ts';
import { createEgressCheck } from '../../shared/adapters/outbound/egress-check.ts';
import { createOutboundGuard } from '../../shared/adapters/outbound/guard.ts';
import { newToken, startTimer } from '../../shared/adapters/world.ts';
import { createDispatcher, type DeliverResult } from '../../shared/app/deliveries/deliver.ts';
import { createEgressWitness, noWitness } from '../../shared/app/deliveries/dispatch-guards.ts';
import type { Store, World } from '../../shared/app/ports.ts';
import { waitsAt } from '../../shared/domain/limits.ts';
import { msBetween } from '../../shared/domain/time.ts';
import { startTcpProxy, type TcpProxy } from '../support/faults/tcp-proxy.ts';
import { freePort } from '../support/net/free-port.ts';
import { endpoint, storeDelivery } from '../support/records/deliveries.ts';
import { box } from '../support/world/secret-box.ts';
import { startTrustedReceiver } from '../support/world/webhooks.ts';

/** Real sockets in real time: the waits of the domain are shortened by this factor, timeouts are not. */
const timeScale = 10;
const timeoutSeconds = 4;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const elapsedMs = () => performance.now();

type Scene = Awaited<ReturnType<typeof openScene>>;
let scene: Scene | null = null;
afterEach(() => scene?.close());

/** A `deliver` process that reaches three endpoints and the address of the egress check through proxies that can cut it off. */
async function openScene(witness: 'judges' | 'none') {
  const receiver = await startTrustedReceiver();
  const proxies: TcpProxy[] = [];
  for (let index = 0; index < 4; index += 1) proxies.push(await startTcpProxy(receiver.port));
  const [check, ...ways] = proxies.map(({ port }) => `https://localhost:${port}/`) as [string, ...string[]];
  const store = createMemoryStore();
  const lines: { event: string; fields: Record<string, unknown> }[] = [];
  const results: DeliverResult[] = [];
  const note = (event: string, fields: Record<string, unknown>) => void lines.push({ event, fields });
  let isOpen = true;
  const ring = async (id: string, dueAt: string, webhookId: string | null) => {
    await pause(Math.max(0, msBetween(new Date().toISOString(), dueAt)));
    if (isOpen) results.push(await dispatcher.attempt(id, webhookId));
  };
  const world: World = {
    store,
    waker: {
      async wake(wakes) {
        for (const wake of wakes) if (wake.in === 'deliveries') void ring(wake.id, wake.dueAt, wake.webhookId);
      },
    },
    log: { info: note, warn: note, error: note },
    now: () => new Date().toISOString(),
    random: Math.random,
    after: startTimer,
    waits: waitsAt(timeScale),
    consoleUrl: 'https://console.example.com',
    reportedGroups: 'trust',
    unsignedHeals: 'accept',
    newToken,
  };
  const client = createOutboundClient(createOutboundGuard(['localhost']));
  const egressCheck = createEgressCheck({ egressCheckUrl: check, webhookAllowHosts: ['localhost'] });
  const egress = witness === 'none' ? noWitness : createEgressWitness({ check: egressCheck, elapsedMs, world });
  const dispatcher = createDispatcher(
    world,
    { webhook: createWebhookSender({ box, client, now: world.now }) },
    elapsedMs,
    egress,
  );
  const hooks = ways.map((url, index) => endpoint({ webhookId: randomUUID(), url: `${url}${index}`, timeoutSeconds }));
  return {
    store,
    lines,
    results,
    receiver,
    hooks,
    darken() {
      for (const proxy of proxies) for (const way of ['to-server', 'to-client'] as const) proxy.hold(way);
    },
    lighten: () => proxies.forEach((proxy) => void proxy.release()),
    /** Sends one delivery to each endpoint, `rounds` times, every `everyMs`. */
    async send(rounds: number, everyMs: number, to = hooks) {
      for (let round = 0; round < rounds; round += 1) {
        for (const hook of to) {
          const { deliveryId, webhookId } = await storeDelivery(store, randomUUID(), hook, world.now());
          void ring(deliveryId, world.now(), webhookId);
        }
        await pause(everyMs);
      }
    },
    async close() {
      isOpen = false;
      await Promise.all(proxies.map((proxy) => proxy.stop()));
      await receiver.stop();
    },
  };
}

async function deliveriesOf(store: Store) {
  return (await store.find({ in: 'deliveries', limit: 1000 })).map(({ data }) => data);
}

async function untilOver(store: Store, withinMs: number) {
  const end = elapsedMs() + withinMs;
  for (;;) {
    const all = await deliveriesOf(store);
    if (all.every(({ status }) => status !== 'pending') || elapsedMs() > end) return all;
    await pause(200);
  }
}

const eventsOf = ({ lines }: Scene, event: string) => lines.filter((line) => line.event === event);

test('a process without outbound network, at its start and later again, counts no attempt and delivers everything', {
  timeout: 180_000,
}, async () => {
  scene = await openScene('judges');
  scene.darken();
  await scene.send(6, 2000);
  expect(scene.receiver.received).toEqual([]);
  scene.lighten();
  await scene.send(4, 500);
  await untilOver(scene.store, 30_000);
  scene.darken();
  await scene.send(8, 2000);
  scene.lighten();
  const all = await untilOver(scene.store, 60_000);
  expect(all).toHaveLength(18 * scene.hooks.length);
  expect(all.map(({ status, attemptCount }) => [status, attemptCount])).toEqual(all.map(() => ['delivered', 1]));
  expect(eventsOf(scene, 'endpoint.circuit-opened')).toEqual([]);
  expect(await scene.store.find({ in: 'endpointHealth', limit: 10 })).toEqual([]);
  expect(scene.results.filter((result) => result === 'not_attempted').length).toBeGreaterThan(10);
  expect(eventsOf(scene, 'egress.lost').length).toBeGreaterThanOrEqual(2);
  expect(eventsOf(scene, 'egress.restored').length).toBe(eventsOf(scene, 'egress.lost').length);
});

test('without an egress check, attempts during the same cut are counted', { timeout: 60_000 }, async () => {
  scene = await openScene('none');
  scene.darken();
  await scene.send(2, 1000);
  await pause(timeoutSeconds * 1000);
  const attempts = (await deliveriesOf(scene.store)).flatMap((each) => each.attempts);
  expect(attempts.filter(({ errorClass }) => errorClass === 'timeout').length).toBeGreaterThan(3);
});

test('each attempt at a dead endpoint is counted while other endpoints answer', {
  timeout: 60_000,
}, async () => {
  scene = await openScene('judges');
  const url = `https://localhost:${await freePort()}/`;
  await scene.send(1, 0, [endpoint({ webhookId: randomUUID(), url, timeoutSeconds, maxAttempts: 3 })]);
  const [dead] = await untilOver(scene.store, 45_000);
  expect(dead).toMatchObject({ status: 'failed', attemptCount: 3 });
  expect(dead?.attempts.map(({ errorClass }) => errorClass)).toEqual(Array(3).fill('connection_refused'));
  expect(eventsOf(scene, 'egress.lost')).toEqual([]);
});
