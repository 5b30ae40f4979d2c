import { expect, test } from 'vitest';
import { createDispatcher } from '../../../../shared/app/deliveries/deliver.ts';
import { handleWake } from '../../../../shared/app/due/handle-wake.ts';
import { takeMessage } from '../../../../shared/app/intake/take-message.ts';
import { endpoint, failure, sentDeliveries, storeDelivery } from '../../../support/records/deliveries.ts';
import { detection } from '../../../support/records/detections.ts';
import { message } from '../../../support/records/reports.ts';
import { frames } from '../../../support/world/frames.ts';
import { createTestWorld, type TestWorld } from '../../../support/world/world.ts';

const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;

async function worldWithEndpoint(): Promise<TestWorld> {
  const world = createTestWorld();
  const webhook = endpoint();
  await world.store.commit([{ kind: 'create', in: 'webhooks', id: webhook.webhookId, data: webhook }]);
  return world;
}

/** The same world for a process that dies right after its commit: it sets no wake. */
const dying = (world: TestWorld): TestWorld => ({ ...world, waker: { wake: async () => {} } });
const woken = ({ wakes }: TestWorld) => wakes.map((wake) => wake.in).toSorted();

test.each([
  ['a detection', message('detection', detection('s-1')), ['deliveries']],
  ['an alert', message('status', { memory: { usedPercent: 95 } }), ['alerts', 'deliveries']],
])('%s whose process died before it set its wakes is woken by the repeat of its message', async (_, sent, expected) => {
  const world = await worldWithEndpoint();
  await takeMessage(dying(world), sent, intake);
  await takeMessage(world, sent, intake, true);
  expect(woken(world)).toEqual(expected);
  const [delivery] = await world.store.find({ in: 'deliveries', limit: 2 });
  expect(world.wakes).toContainEqual(expect.objectContaining({ id: delivery?.id, version: delivery?.data.version }));
});

test('a message that comes for the first time looks for no wakes of others', async () => {
  const world = await worldWithEndpoint();
  await takeMessage(dying(world), message('detection', detection('s-1')), intake);
  await takeMessage(world, message('status', {}), intake);
  expect(world.wakes).toEqual([]);
});

test('an escalation whose process died before it set its wakes is woken by the repeat of its wake', async () => {
  const world = await worldWithEndpoint();
  await takeMessage(world, message('status', { memory: { usedPercent: 95 } }), intake);
  const [alert] = await world.store.find({ in: 'alerts', limit: 1 });
  world.pass(3601);
  await handleWake(dying(world), 'alerts', alert?.id ?? '', false);
  world.wakes.splice(0);
  await handleWake(world, 'alerts', alert?.id ?? '', true);
  const bodies = await sentDeliveries(world.store);
  const escalated = bodies.find(({ body }) => body.includes('"escalated"'));
  expect(world.wakes).toContainEqual(expect.objectContaining({ in: 'deliveries', id: escalated?.deliveryId }));
  // The wake of the reminder is restored too.
  expect(woken(world)).toContain('alerts');
});

test('a retry whose process died before it set its wake is woken by the repeat of the call', async () => {
  const world = createTestWorld();
  const { deliveryId } = await storeDelivery(world.store, 's-1');
  const dispatcherOf = (each: TestWorld) => createDispatcher(each, { webhook: { send: async () => failure } }, () => 0);
  expect(await dispatcherOf(dying(world)).attempt(deliveryId)).toBe('retried');
  expect(await dispatcherOf(world).attempt(deliveryId)).toBe('idle');
  const [stored] = await world.store.get('deliveries', [deliveryId]);
  expect(world.wakes).toMatchObject([{ id: deliveryId, version: stored?.data.version, dueAt: stored?.data.dueAt }]);
});
