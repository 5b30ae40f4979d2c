import { openSync, writeSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { createWebhookSender } from '../../../shared/adapters/channels/webhook/webhook-sender.ts';
import { createLog } from '../../../shared/adapters/log.ts';
import { createMemoryStore } from '../../../shared/adapters/memory/store.ts';
import { createOutboundClient } from '../../../shared/adapters/outbound/client.ts';
import { createOutboundGuard } from '../../../shared/adapters/outbound/guard.ts';
import { createDispatcher, type Dispatcher } from '../../../shared/app/deliveries/deliver.ts';
import { takeMessage } from '../../../shared/app/intake/take-message.ts';
import type { Store, Waker, World } from '../../../shared/app/ports.ts';
import { ownerOf } from '../../../shared/app/webhooks/secrets.ts';
import { endpoint } from '../../support/records/deliveries.ts';
import { box } from '../../support/world/secret-box.ts';
import { intake } from '../../support/world/ways.ts';
import { createTestWorld } from '../../support/world/world.ts';
import { concurrency, detectionOf, type Ledger, type Target, type Way } from './way.ts';

/**
 * Our whole way in one process: the message is parsed, its camera's record written, the detection matched with every endpoint's filter, the
 * delivery put into the outbox, woken, leased, signed, sent through the guard and its result stored. Store and wakes are in this process.
 */
export async function startTwin(target: Target): Promise<Way> {
  const store = createMemoryStore();
  setDefaultCACertificates([...getCACertificates('default'), target.certificate]);
  const now = () => new Date().toISOString();
  const nowhere = openSync('/dev/null', 'w');
  const wakes = createWakes();
  const world: World = {
    ...createTestWorld(store),
    now,
    waker: wakes.waker,
    log: createLog('twin', (line) => writeSync(nowhere, line)),
  };
  const client = createOutboundClient(createOutboundGuard([`localhost:${target.port}`]));
  const dispatcher = createDispatcher(world, { webhook: createWebhookSender({ box, client, now }) }, () =>
    performance.now(),
  );
  wakes.ring(dispatcher);
  await store.commit(endpointsOf(target));
  return {
    name: 'in-process store',
    about: `both signatures, guard and lease; ${concurrency} at a time, 4 for each endpoint`,
    accept: (event, path) => takeMessage(world, detectionOf(event, path), intake),
    onTheWay: async () => wakes.waiting(),
    ledger: () => ledgerOf(store),
    othersCpuMs: () => 0,
    stop: async () => wakes.end(),
  };
}

/** The writes that make an endpoint of each path of a target. */
export function endpointsOf({ port, endpoints, timeoutSeconds }: Target) {
  return endpoints.map((path, index) => {
    const webhookId = `11111111-1111-4111-8111-${String(index).padStart(12, '0')}`;
    const secret = box.seal(`whsec_${Buffer.alloc(32, 3).toString('base64')}`, ownerOf(webhookId, 'secret'));
    const filter = { objects: [path] };
    const data = endpoint({ webhookId, url: `https://localhost:${port}/${path}`, secret, filter, timeoutSeconds });
    return { kind: 'create', in: 'webhooks', id: webhookId, data } as const;
  });
}

/** Stands in for Cloud Tasks: calls the dispatcher when a delivery is due, at most `concurrency` at a time. */
function createWakes() {
  const due: { id: string; webhookId: string | null }[] = [];
  let running = 0;
  let dispatcher: Dispatcher | null = null;
  const pump = () => {
    for (; dispatcher && running < concurrency && due.length > 0; running += 1) {
      const { id, webhookId } = due.shift() ?? { id: '', webhookId: null };
      void dispatcher.attempt(id, webhookId).finally(() => {
        running -= 1;
        pump();
      });
    }
  };
  const waker: Waker = {
    async wake(wakes) {
      for (const wake of wakes) {
        if (wake.in !== 'deliveries') continue;
        const waitMs = Date.parse(wake.dueAt) - Date.now();
        if (waitMs > 0) setTimeout(ready, waitMs, wake).unref();
        else ready(wake);
      }
    },
  };
  const ready = (wake: { id: string; webhookId: string | null }) => {
    due.push(wake);
    pump();
  };
  return {
    waker,
    waiting: () => running + due.length,
    ring: (given: Dispatcher) => {
      dispatcher = given;
    },
    end: () => {
      dispatcher = null;
    },
  };
}

async function ledgerOf(store: Store): Promise<Ledger> {
  const count = (status: string) =>
    store.count({ in: 'deliveries', where: [{ field: 'status', is: '==', value: status }] });
  const [delivered, failed, held, waiting] = await Promise.all(['delivered', 'failed', 'held', 'pending'].map(count));
  return { delivered: delivered ?? 0, failed: failed ?? 0, held: held ?? 0, waiting: waiting ?? 0 };
}
