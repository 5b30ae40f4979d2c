import { type Device, newDevice } from '../domain/device.ts';
import { guardianRecord } from '../domain/guardian-record.ts';
import { decideReport } from '../domain/report-decision.ts';
import type { Report } from '../schema/report.ts';
import { decideAndCommit } from './commit.ts';
import { writesOf } from './device-orders.ts';
import type { World, Write } from './ports.ts';

/** What became of a report. `unknown-device`: it may not register itself. */
export type ReportOutcome = 'handled' | 'unknown-device';

/** Puts one report to the record of its device and to the device's alerts. Safe to repeat. */
export async function handleReport(world: World, report: Report, autoRegister: boolean): Promise<ReportOutcome> {
  return decideAndCommit(world, async () => {
    const [stored = null] = await world.store.get('devices', [report.deviceId]);
    if (!stored && !autoRegister) return { writes: [], wakes: [], answer: 'unknown-device' as const };
    const device = stored?.data ?? newDevice(report.deviceId, report.receivedAt);
    const decision = decideReport(device, report, world.waits);
    const { writes, wakes } = await writesOf(world, stored, decision, decision.at);
    return { writes: [...writes, ...recordsOf(decision.device, report)], wakes, answer: 'handled' as const };
  });
}

/** What is kept of a report beside what it did to its device. */
function recordsOf(device: Device, report: Report): Write[] {
  if (report.kind !== 'guardian') return [];
  const record = guardianRecord(device, report);
  return [{ kind: 'accrue', in: 'guardianAlerts', id: record.guardianAlertId, set: record, add: {} }];
}
