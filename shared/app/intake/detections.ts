import { detectionIdOf, publicationOf } from '../../domain/delivery/webhook-events.ts';
import {
  completeDetection,
  type DetectionRecord,
  detectionRecord,
  frameOf,
  framesSince,
  isOwnFrame,
} from '../../domain/detection/detection.ts';
import type { Instant } from '../../domain/time.ts';
import type { Report } from '../../schema/device/report.ts';
import { decideAndCommit } from '../commit/commit.ts';
import { missingOf } from '../deliveries/create-and-publish.ts';
import { deliveryWakes, publicationWrites } from '../deliveries/wakes.ts';
import type { Frames, World } from '../ports.ts';
import { configurationAt, configurationIds } from '../settings/configuration.ts';
import { sequencedOf } from '../webhooks/sequences.ts';
import { handleReportOnDevice, type ReportOutcome } from './handle-report.ts';

/** A detection as it is stored, and the number of its deliveries. Null: it was stored before. */
type DetectionResult = { record: DetectionRecord; deliveries: number | null; outcome: ReportOutcome };

const ofFormerGroup: ReportOutcome = {
  kind: 'foreign-device',
  detail: 'names a frame from before the device came to its group',
};

/** Whether a frame is from before a time. One that is not there yet is not: it can only be made later. */
async function isOlder(frames: Frames, frame: string, since: Instant): Promise<boolean> {
  const madeAt = await frames.madeAt(frame);
  return madeAt !== null && madeAt < since;
}

/**
 * Adds a detection to its device, stores it, and creates its deliveries to all subscribed endpoints, in one commit. The same session of the
 * same device again changes only the device.
 */
export async function takeDetection(
  world: World,
  frames: Frames,
  report: Report<'detection'>,
  autoRegister: boolean,
): Promise<ReportOutcome> {
  const frame = frameOf(report.body, frames.bucket);
  if (frame !== null && !isOwnFrame(frame, report.deviceId)) {
    return { kind: 'foreign-device', detail: `names a frame that does not lie below ${report.deviceId}/` };
  }
  const detectionId = detectionIdOf(report.deviceId, report.body.session.id);
  const imageUrl = onceSigned(frames, report);
  let tries = 0;
  const taken = await decideAndCommit<DetectionResult | ReportOutcome>(world, async () => {
    tries += 1;
    const { store } = world;
    const ids = { devices: [report.deviceId], detections: [detectionId], ...configurationIds };
    const found = await store.getMany(ids);
    const [[stored = null], [kept = null], [revision = null]] = [found.devices, found.detections, found.revisions];
    const since = stored && !kept ? framesSince(stored.data, world.now()) : null;
    if (frame !== null && since !== null && (await isOlder(frames, frame, since))) {
      return { writes: [], wakes: [], answer: ofFormerGroup };
    }
    const { writes, wakes, answer } = await handleReportOnDevice(world, stored, report, autoRegister);
    const { device, outcome } = answer;
    if (!device) return { writes, wakes, answer: outcome };
    if (kept) return { writes, wakes, answer: { record: kept.data, deliveries: null, outcome } };
    const detection = completeDetection(report.body, device, await imageUrl());
    const record = detectionRecord(detection, report.receivedAt);
    const { site, tags } = device;
    const event = { kind: 'detection', detection, camera: { site, tags } } as const;
    const configuration = await configurationAt(store, revision);
    const wanted = publicationOf(event, configuration, world.now());
    const missing = tries === 1 ? wanted : await missingOf(store, wanted);
    const { deliveries, writes: numbers } = await sequencedOf(world, missing.deliveries, configuration, record);
    const create = { kind: 'create', in: 'detections', id: detectionId, data: record } as const;
    return {
      writes: [...writes, create, ...numbers, ...publicationWrites({ ...missing, deliveries })],
      wakes: [...wakes, ...deliveryWakes(deliveries)],
      answer: { record, deliveries: deliveries.length, outcome },
    };
  });
  if ('kind' in taken) return taken;
  logTaken(world, report.deviceId, taken);
  return taken.outcome;
}

/** Returns the image address that receivers get, signed where the image is ours. It is signed once, even when the decision is repeated. */
function onceSigned(frames: Frames, { body }: Report<'detection'>): () => Promise<string> {
  const frame = frameOf(body, frames.bucket);
  let signed: Promise<string> | null = null;
  return async () => {
    if (frame === null) return body.imageUrl ?? '';
    signed ??= frames.sign(frame);
    return signed;
  };
}

function logTaken({ log }: World, deviceId: string, { record, deliveries }: DetectionResult): void {
  const { sessionId, groupId } = record;
  if (deliveries !== null) log.info('detection.taken', { sessionId, deviceId, groupId, deliveries });
  else log.info('detection.repeated', { sessionId, deviceId });
}
