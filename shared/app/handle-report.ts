import { newDevice } from '../domain/device.ts';
import { decideReport } from '../domain/report-decision.ts';
import type { Report } from '../schema/report.ts';
import { decideAndCommit } from './commit.ts';
import { writesOf } from './device-orders.ts';
import type { World } from './ports.ts';

/** What became of a report. `unknown-device`: it may not register itself. */
export type ReportOutcome = 'handled' | 'unknown-device';

/** Puts one report to the record of its device and to the device's alerts. Safe to repeat. */
export async function handleReport(world: World, report: Report, autoRegister: boolean): Promise<ReportOutcome> {
  return decideAndCommit(world, async () => {
    const [stored = null] = await world.store.get('devices', [report.deviceId]);
    if (!stored && !autoRegister) return { writes: [], wakes: [], answer: 'unknown-device' as const };
    const device = stored?.data ?? newDevice(report.deviceId, report.receivedAt);
    const decision = decideReport(device, report, world.waits);
    return { ...(await writesOf(world, stored, decision, decision.at)), answer: 'handled' as const };
  });
}
