import { createMemoryStore } from '../../shared/adapters/memory/store.ts';
import { createDispatcher } from '../../shared/app/deliveries/deliver.ts';
import { takeMessage } from '../../shared/app/intake/take-message.ts';
import type { Sender, Store } from '../../shared/app/ports.ts';
import { success } from '../support/records/deliveries.ts';
import { intake } from '../support/world/ways.ts';
import { createTestWorld } from '../support/world/world.ts';
import { type Asked, operationRow, startByTurns, width } from './frame/function-process.ts';
import { startPlatform } from './frame/platform.ts';
import type { Bench } from './frame/row.ts';
import { recordSteps, type Step } from './frame/steps.ts';
import { startSink, targetOf } from './ways/runs.ts';
import { endpointsOf } from './ways/twin.ts';
import { detectionOf } from './ways/way.ts';

const sizes = {
  tiny: { count: 20, rounds: 1 },
  quick: { count: 400, rounds: 3 },
  full: { count: 1000, rounds: 7 },
};

/** N5: deliveries of detections, from the call of `deliver` by Cloud Tasks to the stored result, with guard, signatures and TLS. */
export const measure: Bench = async ({ size, against }) => {
  const plan = sizes[size];
  const operations = plan.count * (plan.rounds + 1);
  const sink = await startSink();
  // Twice as many as requests in flight: more than a few to one endpoint at once would wait.
  const target = targetOf(sink, 2 * width);
  const twin = createMemoryStore();
  const { store, waker, note, taken } = recordSteps(twin);
  const world = { ...createTestWorld(store), now: () => new Date().toISOString() };
  await store.commit(endpointsOf(target));
  for (let index = 0; index < operations; index += 1) {
    const endpoint = target.endpoints[index % target.endpoints.length] ?? '';
    await takeMessage(world, detectionOf(`sink-${index}`, endpoint), intake);
  }
  const wakes = world.wakes.flatMap((wake) => (wake.in === 'deliveries' ? wake : []));
  if (wakes.length !== operations) throw new Error(`${operations} detections led to ${wakes.length} deliveries`);
  const records = twin.snapshot();
  const webhook: Sender = {
    async send({ body }, _attempt, endpoint) {
      note({ do: 'send', url: endpoint?.url ?? '', body });
      return success;
    },
  };
  const dispatcher = createDispatcher({ ...world, waker }, { webhook }, () => performance.now());
  taken();
  const steps: Step[][] = [];
  for (const { id, webhookId } of wakes) {
    await dispatcher.attempt(id, webhookId);
    steps.push(taken());
  }
  const platform = await startPlatform();
  const settings = { WEBHOOK_ALLOW_HOSTS: `localhost:${target.port}`, NODE_EXTRA_CA_CERTS: target.certificateFile };
  const turns = await startByTurns(platform, 'deliver', { settings, against });
  try {
    const headers = await platform.callerHeaders();
    const bodies = wakes.map(({ in: kind, id, version, webhookId }) =>
      JSON.stringify({ in: kind, id, version, webhookId }),
    );
    const requestOf = (index: number): Asked => ({ method: 'POST', path: '/', headers, body: bodies[index] ?? '' });
    const check = (measured: Store) => requireDelivered(measured, operations);
    const cpu = await turns.measure({ records, requestOf, status: 200, steps, check }, plan);
    const arrived = await sink.take();
    const senders = against === null ? 2 : 3;
    if (arrived.length !== operations || arrived.some(({ times }) => times !== senders))
      throw new Error(`${operations} events were sent by ${senders} processes each, and ${arrived.length} arrived`);
    return [operationRow(cpu, { id: 'N5', what: 'CPU of a delivery', goal: 0.6, moonshot: 0.3 })];
  } finally {
    await turns.stop();
    await Promise.all([platform.stop(), sink.stop()]);
  }
};

async function requireDelivered(store: Store, wanted: number): Promise<void> {
  const where = [{ field: 'status', is: '==', value: 'delivered' } as const];
  const delivered = await store.count({ in: 'deliveries', where });
  if (delivered !== wanted) throw new Error(`${delivered} of ${wanted} deliveries were delivered`);
}
