import { decideReport } from '../../domain/change/report-decision.ts';
import { type Device, newDevice } from '../../domain/device/device.ts';
import type { Report } from '../../schema/device/report.ts';
import { decidedOnDevice } from '../change/device.ts';
import { type Decided, decideAndCommit } from '../commit/commit.ts';
import type { Stored, World } from '../ports.ts';

/** What became of a report. `unknown-device`: it may not register itself. */
export type ReportOutcome = 'handled' | 'unknown-device';

/** Puts one report to the record of its device and to the device's alerts. Safe to repeat. */
export async function handleReport(world: World, report: Report, autoRegister: boolean): Promise<ReportOutcome> {
  return decideAndCommit(world, async () => {
    const [stored = null] = await world.store.get('devices', [report.deviceId]);
    const { writes, wakes, answer } = await decideOnReport(world, stored, report, autoRegister);
    return { writes, wakes, answer: answer ? 'handled' : 'unknown-device' };
  });
}

/** What a report does to its device as it was read; the answer is the device after it, null where it may not register itself. */
export async function decideOnReport(
  world: World,
  stored: Stored<'devices'> | null,
  report: Report,
  autoRegister: boolean,
): Promise<Decided<Device | null>> {
  if (!stored && !autoRegister) return { writes: [], wakes: [], answer: null };
  const device = stored?.data ?? newDevice(report.deviceId, report.receivedAt);
  const decision = decideReport(device, report, world.waits);
  const { writes, wakes } = await decidedOnDevice(world, stored, decision);
  return { writes, wakes, answer: decision.device };
}
