import { decideForged, decideReport } from '../../domain/change/report-decision.ts';
import { type Device, newDevice } from '../../domain/device/device.ts';
import { guardianAlertIdOf } from '../../domain/guardian/facts.ts';
import { judge, type Verdict } from '../../domain/guardian/trust.ts';
import type { Report } from '../../schema/device/report.ts';
import { decidedOnDevice } from '../change/device.ts';
import { type Decided, decideAndCommit } from '../commit/commit.ts';
import type { Stored, World } from '../ports.ts';

/**
 * What became of a report. `unknown-device`: it may not register itself. `guardian-forged`: it is not of the device's guardian;
 * `guardian-unenrolled`: nobody has registered the key that would tell. `detail` is the end of a sentence.
 */
export type ReportOutcome =
  | { kind: 'handled' }
  | { kind: 'unknown-device' | 'guardian-forged' | 'guardian-unenrolled'; detail: string };

export const handled: ReportOutcome = { kind: 'handled' };

export function unknownDevice(deviceId: string): ReportOutcome {
  return { kind: 'unknown-device', detail: `device ${deviceId} is not registered` };
}

/** Puts one report to the record of its device and to the device's alerts. Safe to repeat. */
export async function handleReport(world: World, report: Report, autoRegister: boolean): Promise<ReportOutcome> {
  return decideAndCommit(world, async () => {
    const [stored = null] = await world.store.get('devices', [report.deviceId]);
    if (report.kind === 'guardian' || report.kind === 'guardian-health') {
      return decideOnGuardian(world, stored, report, autoRegister);
    }
    const { writes, wakes, answer } = await decideOnReport(world, stored, report, autoRegister);
    return { writes, wakes, answer: answer ? handled : unknownDevice(report.deviceId) };
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

/** What a guardian says is put to its device once it is known to be the guardian's. */
async function decideOnGuardian(
  world: World,
  stored: Stored<'devices'> | null,
  report: Report<'guardian'> | Report<'guardian-health'>,
  autoRegister: boolean,
): Promise<Decided<ReportOutcome>> {
  const verdict = verdictOn(world, stored, report);
  switch (verdict.kind) {
    case 'known':
      return { writes: [], wakes: [], answer: handled };
    case 'unenrolled': {
      const detail = `no key of the guardian of ${report.deviceId} is registered`;
      return { writes: [], wakes: [], answer: { kind: 'guardian-unenrolled', detail } };
    }
    case 'forged': {
      const { detail } = verdict;
      // Only of a device that is known can anything be forged.
      const decision = stored && decideForged(stored.data, report, world.waits);
      const { writes, wakes } = decision ? await decidedOnDevice(world, stored, decision) : { writes: [], wakes: [] };
      return { writes, wakes, answer: { kind: 'guardian-forged', detail } };
    }
    case 'taken': {
      const trusted = stored && { ...stored, data: { ...stored.data, guardianTrust: verdict.trust } };
      const { writes, wakes, answer } = await decideOnReport(world, trusted, report, autoRegister);
      return { writes, wakes, answer: answer ? handled : unknownDevice(report.deviceId) };
    }
    default:
      return verdict satisfies never;
  }
}

function verdictOn(
  { waits }: World,
  stored: Stored<'devices'> | null,
  report: Report<'guardian'> | Report<'guardian-health'>,
): Verdict {
  const { guardianTrust = null, guardian } = stored?.data ?? {};
  const id = report.kind === 'guardian' ? guardianAlertIdOf(report.deviceId, report.body) : null;
  const isKnown = guardian?.recent.some(({ guardianAlertId }) => guardianAlertId === id) ?? false;
  return judge(guardianTrust, report, isKnown, waits);
}
