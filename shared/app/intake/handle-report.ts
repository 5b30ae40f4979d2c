import { decideReport, decideSeen } from '../../domain/change/report-decision.ts';
import type { Device } from '../../domain/device/device.ts';
import { isOfUnknownAge } from '../../domain/device/sighting.ts';
import { registeredBy } from '../../domain/device/tombstone.ts';
import type { Report } from '../../schema/device/report.ts';
import { decidedOnDevice } from '../change/device.ts';
import { type Decided, decideAndCommit } from '../commit/commit.ts';
import type { Stored, World, Write } from '../ports.ts';
import { recentConfiguration } from '../settings/configuration.ts';

/**
 * What became of a report. `faulty`: handled but for sections that cannot be read, which is to be recorded; `unknown-device`: it may not
 * register itself; `ignored`: it is about no device of now.
 */
export type ReportOutcome = 'handled' | 'faulty' | 'unknown-device' | 'ignored';

/** The device after a report, and what became of the report. */
export type ReportResult = { device: Device | null; outcome: ReportOutcome };

/** Puts one report to the record of its device and to the device's alerts. Safe to repeat. */
export async function handleReport(world: World, report: Report, autoRegister: boolean): Promise<ReportOutcome> {
  return decideAndCommit(world, async () => {
    const [stored = null] = await world.store.get('devices', [report.deviceId]);
    const { writes, wakes, answer } = await decideOnReport(world, stored, report, autoRegister);
    return { writes, wakes, answer: answer.outcome };
  });
}

/** What a report does to its device as it was read. */
export async function decideOnReport(
  world: World,
  stored: Stored<'devices'> | null,
  report: Report,
  autoRegister: boolean,
): Promise<Decided<ReportResult>> {
  if (isOfUnknownAge(report)) return nothing('ignored');
  if (!stored && !autoRegister) return nothing('unknown-device');
  const known = stored ? { device: stored.data, lifting: [] } : await registered(world, report);
  if (!known) return nothing('ignored');
  const { settings } = await recentConfiguration(world);
  const decision = decideReport(known.device, report, world.waits, settings);
  const { writes, wakes } = await decidedOnDevice(world, stored, decision);
  const outcome = decision.isFaultNews ? 'faulty' : 'handled';
  return { writes: [...writes, ...known.lifting], wakes, answer: { device: decision.device, outcome } };
}

/** A device that this report makes known, with the writes that end what was left of its former life. */
async function registered(world: World, report: Report): Promise<{ device: Device; lifting: Write[] } | null> {
  const { deviceId } = report;
  const [tombstone = null] = await world.store.get('tombstones', [deviceId]);
  const device = registeredBy(report, tombstone?.data ?? null);
  if (!device) {
    world.log.info('report.ignored', { deviceId, kind: report.kind, isDecommissioned: tombstone !== null });
    return null;
  }
  const { revision } = tombstone ?? {};
  return { device, lifting: revision ? [{ kind: 'delete', in: 'tombstones', id: deviceId, revision }] : [] };
}

/** Puts to the record of a device that a message of its own came, although that cannot be read. It registers nobody. */
export async function handleSeen(world: World, deviceId: string, at: string, messageId: string): Promise<void> {
  await decideAndCommit(world, async () => {
    const [stored = null] = await world.store.get('devices', [deviceId]);
    if (!stored) return { writes: [], wakes: [], answer: undefined };
    const decision = decideSeen(stored.data, { at, id: messageId }, world.waits);
    const { writes, wakes } = await decidedOnDevice(world, stored, decision);
    return { writes, wakes, answer: undefined };
  });
}

function nothing(outcome: ReportOutcome): Decided<ReportResult> {
  return { writes: [], wakes: [], answer: { device: null, outcome } };
}
