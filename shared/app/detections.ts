import type { Delivery } from '../domain/delivery.ts';
import { completeDetection, detectionRecord, frameOf } from '../domain/detection.ts';
import { detectionIdOf, webhookDeliveriesOf } from '../domain/webhook-events.ts';
import type { Report } from '../schema/report.ts';
import { wakeAll } from './commit.ts';
import { loadConfiguration } from './configuration.ts';
import { deliveryWakes } from './delivery-wakes.ts';
import { Conflict, type Frames, type World, type Write } from './ports.ts';

/** What one commit may hold: writes, and bytes well under the store's 10 MiB. */
const maxWrites = 400;
const maxBytes = 4 * 1024 * 1024;

/**
 * Keeps a detection and owes it to every endpoint that wants it, in one commit. The same session again changes nothing. Where there are more
 * endpoints than one commit holds, the detection is written last: a repeat after a fault then completes what is missing.
 */
export async function takeDetection(world: World, frames: Frames, report: Report<'detection'>): Promise<void> {
  const { session } = report.body;
  const detectionId = detectionIdOf(session.id);
  if (await isKept(world, detectionId, report)) return;
  const [device = null] = await world.store.get('devices', [report.deviceId]);
  const { deviceId } = report;
  const known = device?.data ?? { deviceId, name: deviceId, groupId: 'unassigned' };
  const frame = frameOf(report.body, frames.bucket);
  const imageUrl = frame === null ? (report.body.imageUrl ?? '') : await frames.sign(frame);
  const detection = completeDetection(report.body, known, imageUrl);
  const record = detectionRecord(detection, report.receivedAt);
  const configuration = await loadConfiguration(world);
  const event = { kind: 'detection', detection, body: record.body } as const;
  const deliveries = webhookDeliveriesOf(event, configuration, world.now());
  const create: Write = { kind: 'create', in: 'detections', id: detectionId, data: record };
  const parts = inParts(deliveries, record.body.length);
  try {
    for (const part of parts.slice(0, -1)) await createMissing(world, part);
    await world.store.commit([...(parts.at(-1) ?? []).map(creation), create]);
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    if (await isKept(world, detectionId, report)) return;
    // A run before this one was cut off between its commits.
    for (const part of parts) await createMissing(world, part);
    await createIfMissing(world, create);
  }
  await wakeAll(world, deliveryWakes(deliveries));
  const { groupId } = detection.device;
  const what = { sessionId: session.id, deviceId, groupId, deliveries: deliveries.length };
  world.log.info('detection.taken', what);
}

async function isKept(world: World, detectionId: string, { deviceId, body }: Report<'detection'>): Promise<boolean> {
  const [kept = null] = await world.store.get('detections', [detectionId]);
  if (!kept) return false;
  const line = kept.data.deviceId === deviceId ? world.log.info : world.log.warn;
  line('detection.repeated', { sessionId: body.session.id, deviceId, firstDeviceId: kept.data.deviceId });
  return true;
}

function inParts(deliveries: Delivery[], bodyBytes: number): Delivery[][] {
  const size = Math.max(1, Math.min(maxWrites - 1, Math.floor(maxBytes / (bodyBytes + 2048))));
  return Array.from({ length: Math.ceil(deliveries.length / size) }, (_, index) =>
    deliveries.slice(index * size, (index + 1) * size),
  );
}

function creation(delivery: Delivery): Write {
  return { kind: 'create', in: 'deliveries', id: delivery.deliveryId, data: delivery };
}

async function createMissing({ store }: World, deliveries: Delivery[]): Promise<void> {
  const found = await store.get(
    'deliveries',
    deliveries.map(({ deliveryId }) => deliveryId),
  );
  const missing = deliveries.filter((_, index) => !found[index]);
  if (missing.length > 0) await store.commit(missing.map(creation));
}

async function createIfMissing({ store }: World, write: Write): Promise<void> {
  try {
    await store.commit([write]);
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
  }
}
