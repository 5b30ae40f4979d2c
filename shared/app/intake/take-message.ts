import { type MessageRefusal, readMessage } from '../../domain/intake/message.ts';
import type { Message } from '../../domain/intake/pushed.ts';
import type { Partition } from '../../domain/sight/partitions.ts';
import { toInstant } from '../../domain/time.ts';
import type { Report } from '../../schema/device/report.ts';
import type { DialectName } from '../../schema/vocabulary.ts';
import { restoreWakes } from '../deliveries/restore-wakes.ts';
import { takeDrill } from '../drill/take-drill.ts';
import type { CanarySeal, Frames, Unzip, World } from '../ports.ts';
import { quarantine } from '../quarantine/quarantine.ts';
import { takeCanary } from '../sight/take-canary.ts';
import { takeDetection } from './detections.ts';
import { takeGuardianAlert } from './guardian-alerts.ts';
import { handleReport, handleSeen, type ReportOutcome } from './handle-report.ts';
import { oneAtATime } from './one-at-a-time.ts';

export type Intake = {
  bridgeDialect: DialectName;
  autoRegister: boolean;
  frames: Frames;
  /** Reads packs. Without it they go to quarantine. */
  unzip?: Unzip;
  /** Distinguishes our canaries and drills from forged ones. Without it none is accepted. */
  canarySeal?: CanarySeal;
};

/**
 * Handles one message: a report is applied, and a message that cannot be read goes to quarantine. Throws only where the platform must
 * deliver the message again.
 * @param isRepeat the platform has delivered it before, and that attempt may have ended before it set its wakes
 */
export async function takeMessage(world: World, message: Message, intake: Intake, isRepeat = false): Promise<void> {
  const read = readMessage(message, intake.bridgeDialect);
  switch (read.kind) {
    case 'nothing':
      return;
    case 'refused':
      if (read.refusal.seen !== null) {
        const { seen } = read.refusal;
        await oneAtATime(world, seen, () => handleSeen(world, seen, toInstant(message.publishTime), message.messageId));
      }
      return quarantine(world, message, read.refusal, intake.bridgeDialect);
    case 'canary':
      return intake.canarySeal && takeOwn(world, read.data, intake.canarySeal, read.bridge);
    case 'report': {
      const { deviceId } = read.report;
      const outcome = await oneAtATime(world, deviceId, () => takeReport(world, read.report, intake));
      const refusal = refusalOf(read.report, outcome);
      if (isRepeat) await restoreWakes(world, deviceId);
      if (refusal) await quarantine(world, message, refusal, intake.bridgeDialect);
      return;
    }
    default:
      return read satisfies never;
  }
}

/** Takes a message of our own: one of a drill, or a canary. */
async function takeOwn(world: World, data: Buffer, seal: CanarySeal, bridge: Partition | undefined): Promise<void> {
  if (!(await takeDrill(world, data, seal))) await takeCanary(world, data, seal, bridge);
}

/** What must go to quarantine after a report. Null: nothing. */
function refusalOf({ deviceId, kind }: Report, outcome: ReportOutcome): MessageRefusal | null {
  switch (outcome.kind) {
    case 'ignored':
      return null;
    case 'handled':
      return outcome.faults ? { reason: 'wrong-shape', errors: [...outcome.faults], deviceId, kind } : null;
    default:
      return { reason: outcome.kind, errors: [{ pointer: '', detail: outcome.detail }], deviceId, kind };
  }
}

/** Applies a readable report and creates the deliveries that it causes. Idempotent. */
export async function takeReport(
  world: World,
  report: Report,
  { autoRegister, frames }: Pick<Intake, 'autoRegister' | 'frames'>,
): Promise<ReportOutcome> {
  if (report.kind === 'detection') return takeDetection(world, frames, report, autoRegister);
  const outcome = await handleReport(world, report, autoRegister);
  if (outcome.kind === 'handled' && outcome.counted !== 'this' && report.kind === 'guardian')
    await takeGuardianAlert(world, report);
  return outcome;
}

/** Stores a message that was delivered too often without success. */
export async function takeDeadLetter(world: World, message: Message, intake: Intake): Promise<void> {
  const read = readMessage(message, intake.bridgeDialect);
  if (read.kind === 'canary') return;
  const address =
    read.kind === 'report' ? read.report : read.kind === 'refused' ? read.refusal : { deviceId: null, kind: null };
  const errors = [{ pointer: '', detail: 'could not be handled in any attempt' }];
  const { deviceId, kind } = address;
  await quarantine(world, message, { reason: 'dead-letter', errors, deviceId, kind }, intake.bridgeDialect);
}
