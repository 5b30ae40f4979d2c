import { completeDetection, detectionRecord, frameOf } from '../domain/detection.ts';
import { detectionIdOf, webhookDeliveriesOf } from '../domain/webhook-events.ts';
import type { Report } from '../schema/report.ts';
import { loadConfiguration } from './configuration.ts';
import { keepAndOwe } from './owed-deliveries.ts';
import type { Frames, World } from './ports.ts';

/** Keeps a detection and owes it to every endpoint that wants it, in one commit. The same session again changes nothing. */
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
  const create = { kind: 'create', in: 'detections', id: detectionId, data: record } as const;
  const isNew = await keepAndOwe(world, { create, deliveries });
  if (!isNew && (await isKept(world, detectionId, report))) return;
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
