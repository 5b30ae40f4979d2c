import type { DialectName } from '../domain/dialects.ts';
import { type Message, type Refusal, readMessage } from '../domain/message.ts';
import { takeDetection } from './detections.ts';
import { handleReport } from './handle-report.ts';
import type { Frames, World } from './ports.ts';
import { quarantine } from './quarantine.ts';

export type Intake = { bridgeDialect: DialectName; autoRegister: boolean; frames: Frames };

/** Bytes of a message that a quarantine record keeps: base64 of them fits a document of 1 MiB beside the rest. */
const maxKeptBytes = 640 * 1024;

/** Takes one message in: a report is handled, what cannot be read goes to quarantine. Throws only where the platform must try again. */
export async function takeMessage(world: World, message: Message, intake: Intake): Promise<void> {
  const read = readMessage(message, intake.bridgeDialect);
  switch (read.kind) {
    case 'nothing':
      return;
    case 'refused':
      return putAway(world, message, read.refusal, intake);
    case 'report': {
      const outcome = await handleReport(world, read.report, intake.autoRegister);
      const { deviceId, kind } = read.report;
      if (outcome === 'handled') {
        if (read.report.kind === 'detection') await takeDetection(world, intake.frames, read.report);
        return;
      }
      const errors = [{ pointer: '', detail: `device ${deviceId} is not registered` }];
      return putAway(world, message, { reason: 'unknown-device', errors, deviceId, kind }, intake);
    }
    default:
      return read satisfies never;
  }
}

/** Keeps a message that was tried too often. */
export async function takeDeadLetter(world: World, message: Message, intake: Intake): Promise<void> {
  const read = readMessage(message, intake.bridgeDialect);
  const address =
    read.kind === 'report' ? read.report : read.kind === 'refused' ? read.refusal : { deviceId: null, kind: null };
  const errors = [{ pointer: '', detail: 'could not be handled in any of its tries' }];
  const { deviceId, kind } = address;
  await putAway(world, message, { reason: 'dead-letter', errors, deviceId, kind }, intake);
}

async function putAway(world: World, message: Message, refusal: Refusal, { bridgeDialect }: Intake): Promise<void> {
  const { data, attributes, messageId, publishTime } = message;
  await quarantine(world, {
    ...refusal,
    dialect: bridgeDialect,
    attributes,
    data: data.subarray(0, maxKeptBytes).toString('base64'),
    truncated: data.length > maxKeptBytes,
    messageId,
    receivedAt: publishTime,
  });
}
