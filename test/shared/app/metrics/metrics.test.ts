import { expect, test } from 'vitest';
import { createMemoryStore } from '../../../../shared/adapters/memory/store.ts';
import { sweep } from '../../../../shared/app/due/sweep.ts';
import { createMetrics } from '../../../../shared/app/metrics/metrics.ts';
import type { Write } from '../../../../shared/app/ports.ts';
import { afterMessage, soundChannel } from '../../../../shared/domain/delivery/channel-health.ts';
import { type Delivery, newDelivery } from '../../../../shared/domain/delivery/delivery.ts';
import { newDevice } from '../../../../shared/domain/device/device.ts';
import type { Family } from '../../../../shared/domain/metrics/exposition.ts';
import { metricTable } from '../../../../shared/domain/metrics/metrics.ts';
import { ana, openTestAlert, uuidOf } from '../../../support/records/alerts.ts';
import { recording } from '../../../support/stores/recording-store.ts';
import { createTestWorld, type TestWorld } from '../../../support/world/world.ts';

const eve = { subject: 'eve', scopes: new Set<never>(), groups: ['north'] };

function figure(families: readonly Family[], name: Family['name'], labels: Record<string, string> = {}) {
  const samples = families.find((family) => family.name === name)?.samples ?? [];
  const found = samples.filter((sample) =>
    Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  return found.length === 1 ? found[0]?.value : found.map(({ labels: own, value }) => [own, value]);
}

async function giveDevices(world: TestWorld, groups: readonly string[], isOnline = true): Promise<void> {
  const writes = groups.map((groupId, index): Write => {
    const deviceId = `${isOnline ? 'on' : 'off'}-${index}`;
    const data = { ...newDevice(deviceId, world.now()), groupId, isOnline, wasHeard: true };
    return { kind: 'create', in: 'devices', id: deviceId, data };
  });
  for (let from = 0; from < writes.length; from += 500) await world.store.commit(writes.slice(from, from + 500));
}

let count = 0;
async function giveDelivery(world: TestWorld, given: Partial<Delivery>): Promise<void> {
  count += 1;
  const seed = {
    deliveryId: uuidOf(count),
    channel: 'webhook' as const,
    target: { kind: 'webhook' as const, webhookId: uuidOf(900) },
    targetName: 'x',
    eventType: 'alert',
    eventId: String(count),
    alertId: null,
    deviceId: null,
    groupId: 'north',
    body: '{}',
    maxAttempts: 3,
  };
  const data = { ...newDelivery(seed, world.now()), ...given };
  await world.store.commit([{ kind: 'create', in: 'deliveries', id: seed.deliveryId, data }]);
}

test('counts devices by group and state, and alerts by code', async () => {
  const world = createTestWorld();
  await sweep(world);
  await giveDevices(world, ['north', 'north', 'south']);
  await giveDevices(world, ['south'], false);
  await openTestAlert(world, { groupId: 'south', code: 'SEC_001' });
  const families = await createMetrics()(world, ana);
  const devices = (group: string) =>
    ['online', 'offline', 'unknown'].map((state) => figure(families, 'watchpost_devices', { group, state }));
  expect(devices('north')).toEqual([2, 0, 0]);
  expect(devices('south')).toEqual([1, 1, 0]);
  expect(devices('other')).toEqual([0, 0, 0]);
  expect(figure(families, 'watchpost_alerts_open', { code: 'SEC_001', severity: 'CRITICAL' })).toBe(1);
  expect(figure(families, 'watchpost_alerts_open', { code: 'CONN_001' })).toBe(0);
  expect(figure(families, 'watchpost_sight', { state: 'sees' })).toBe(1);
});

test('counts the channels that fail, and for all groups the receivers that they do not reach', async () => {
  const world = createTestWorld();
  const failed = { kind: 'failed', detail: null, at: world.now() } as const;
  let health = soundChannel('sms');
  for (const targetId of ['a', 'b', 'a', 'a']) health = afterMessage(health, { ...failed, targetId }).health;
  await world.store.commit([{ kind: 'create', in: 'channelHealth', id: 'sms', data: health }]);
  const families = await createMetrics()(world, ana);
  const failing = (channel: string) => figure(families, 'watchpost_channel_failing', { channel });
  expect([failing('sms'), failing('email')]).toEqual([1, 0]);
  expect(figure(families, 'watchpost_channel_failing_receivers', { channel: 'sms' })).toBe(1);
  const limited = await createMetrics()(world, { ...ana, groups: ['north'] });
  expect(limited.map(({ name }) => name)).not.toContain('watchpost_channel_failing_receivers');
});

test('while no sweep runs nobody knows which devices are online', async () => {
  const world = createTestWorld();
  await giveDevices(world, ['north', 'north']);
  const families = await createMetrics()(world, ana);
  expect(figure(families, 'watchpost_devices', { group: 'north', state: 'online' })).toBe(0);
  expect(figure(families, 'watchpost_devices', { group: 'north', state: 'unknown' })).toBe(2);
  expect(figure(families, 'watchpost_sight', { state: 'blind' })).toBe(1);
});

test('shows a bearer limited to groups nothing of the others, not even as a sum', async () => {
  const world = createTestWorld();
  await giveDevices(world, ['north', 'south', 'south']);
  await openTestAlert(world, { groupId: 'south', code: 'SEC_001' });
  await giveDelivery(world, { groupId: 'south', status: 'failed' });
  const families = await createMetrics()(world, eve);
  const groups = families.flatMap(({ samples }) => samples.flatMap(({ labels }) => labels['group'] ?? []));
  expect(new Set(groups)).toEqual(new Set(['north']));
  expect(figure(families, 'watchpost_alerts_open', { code: 'SEC_001' })).toBe(0);
  expect(figure(families, 'watchpost_deliveries_waiting', { channel: 'webhook', status: 'failed' })).toBe(0);
  expect(families.map(({ name }) => name)).not.toContain('watchpost_quarantine_messages');
});

test('a fleet of more groups than have series of their own keeps its number of series, and its sum', async () => {
  const world = createTestWorld();
  await sweep(world);
  const groups = Array.from({ length: 503 }, (_, index) => `g-${String(index).padStart(4, '0')}`);
  await giveDevices(world, groups);
  const families = await createMetrics()(world, ana);
  const samples = families.find(({ name }) => name === 'watchpost_devices')?.samples ?? [];
  expect(samples).toHaveLength(501 * 4);
  expect(figure(families, 'watchpost_devices', { group: 'other', state: 'online' })).toBe(3);
  expect(samples.reduce((sum, { value }) => sum + value, 0)).toBe(503);
});

test('a group that is called like the rest of the fleet is counted with it, once', async () => {
  const world = createTestWorld();
  await sweep(world);
  await giveDevices(world, ['north', 'other', 'other']);
  const families = await createMetrics()(world, ana);
  expect(figure(families, 'watchpost_devices', { group: 'other', state: 'online' })).toBe(2);
});

test('deliveries: the last hour by outcome, what waits of any age, and how old the oldest is', async () => {
  const world = createTestWorld();
  await giveDelivery(world, { status: 'pending' });
  world.pass(2 * 3600);
  await giveDelivery(world, { status: 'delivered' });
  await giveDelivery(world, { status: 'failed' });
  const families = await createMetrics()(world, ana);
  const lastHour = (outcome: string) =>
    figure(families, 'watchpost_deliveries_last_hour', { channel: 'webhook', outcome });
  expect(['pending', 'delivered', 'failed'].map(lastHour)).toEqual([0, 1, 1]);
  expect(figure(families, 'watchpost_deliveries_waiting', { channel: 'webhook', status: 'pending' })).toBe(1);
  expect(figure(families, 'watchpost_delivery_oldest_pending_age_seconds')).toBe(7200);
});

test('reads once in 30 seconds, whoever asks, and never more for more calls', async () => {
  const { asked, store } = recording(createMemoryStore());
  const world = createTestWorld(store);
  const metrics = createMetrics();
  await Promise.all([metrics(world, ana), metrics(world, { ...ana, subject: 'somebody else' })]);
  const once = asked.length;
  expect(once).toBeGreaterThan(0);
  expect(once).toBeLessThan(80);
  world.pass(29);
  await metrics(world, ana);
  expect(asked.length).toBe(once);
  world.pass(1);
  await metrics(world, ana);
  expect(asked.length).toBeGreaterThan(once);
});

test('every sample has exactly the labels that its metric names', async () => {
  const world = createTestWorld();
  await giveDevices(world, ['north']);
  for (const { name, samples } of await createMetrics()(world, ana)) {
    for (const { labels } of samples) expect(Object.keys(labels)).toEqual([...metricTable[name].labels]);
  }
});
