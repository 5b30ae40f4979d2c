import {
  type DeviceDecision,
  decideForged,
  decideReport,
  decideSeen,
  type ReportTally,
} from '../../domain/change/report-decision.ts';
import { withoutGroup } from '../../domain/device/description.ts';
import type { Device } from '../../domain/device/device.ts';
import { isOfUnknownAge } from '../../domain/device/sighting.ts';
import { registeredBy } from '../../domain/device/tombstone.ts';
import { guardianAlertIdOf } from '../../domain/guardian/facts.ts';
import { judge, type Verdict } from '../../domain/guardian/trust.ts';
import type { Configuration } from '../../domain/notify/configuration.ts';
import { withPattern } from '../../domain/registry/registry.ts';
import { heardFrom } from '../../domain/restored/restored.ts';
import type { Fault } from '../../errors.ts';
import type { Report } from '../../schema/device/report.ts';
import { decidedByConfiguration, decidedOnce, decidedOnDevice } from '../change/device.ts';
import { type Decided, decideAndCommit } from '../commit/commit.ts';
import type { Stored, World, Write } from '../ports.ts';
import {
  earlierConfiguration,
  knownConfiguration,
  overdueConfiguration,
  recentConfiguration,
} from '../settings/configuration.ts';
import { countMore, settleCount, takeCount } from './counted.ts';

/**
 * The result of a report. `faults`: unreadable sections that must be recorded. `counted`: as in `DeviceDecision`. `ignored`: it belongs to no present device. `unknown-device`: the
 * device may not register itself. `foreign-device`: it names a frame of another device. `guardian-forged`: the device's guardian did not make it.
 * `guardian-unenrolled`: no key is registered to prove that it did. `detail` completes a sentence.
 */
export type ReportOutcome =
  | { kind: 'handled'; faults?: readonly Fault[]; counted?: 'this' | 'told' }
  | { kind: 'ignored' }
  | { kind: 'guardian-forged'; detail: string; counted?: 'this' | 'told' }
  | { kind: 'unknown-device' | 'foreign-device' | 'guardian-unenrolled'; detail: string };

/** The device after a report, and the result of the report. */
type ReportResult = { device: Device | null; outcome: ReportOutcome };

export const handled: ReportOutcome = { kind: 'handled' };

function unknownDevice(deviceId: string): ReportOutcome {
  return { kind: 'unknown-device', detail: `device ${deviceId} is not registered` };
}

/**
 * Applies one report to the record of its device and to the device's alerts. Idempotent. A report that changes only texts is counted where its device has
 * used up its budget, and decided later if no other report is.
 * @param isLate it was counted a minute ago
 */
export async function handleReport(
  world: World,
  received: Report,
  autoRegister: boolean,
  isLate = false,
): Promise<ReportOutcome> {
  const report = { ...received, heardAt: world.now() };
  const more = takeCount(world, report);
  const counted: ReportTally = { more, at: isLate ? world.now() : report.receivedAt };
  const again = async (last: Report) => {
    await handleReport(world, last, autoRegister, true);
  };
  let left = more;
  try {
    const outcome = await decideAndCommit(world, async () => {
      const [stored = null] = await world.store.get('devices', [report.deviceId]);
      if (report.kind === 'guardian' || report.kind === 'guardian-health') {
        return handleGuardianMessage(world, stored, report, autoRegister, counted);
      }
      const { writes, wakes, answer } = await handleReportOnDevice(world, stored, report, autoRegister, counted);
      return { writes, wakes, answer: answer.outcome };
    });
    const how = 'counted' in outcome ? outcome.counted : undefined;
    if (how === 'told') left = 0;
    if (how === 'this') left += 1;
    else settleCount(world, report);
    return outcome;
  } finally {
    if (left > 0) countMore(world, report, left, again);
  }
}

/** Decides what a report does to its device as it was read. */
export async function handleReportOnDevice(
  world: World,
  stored: Stored<'devices'> | null,
  report: Report,
  autoRegister: boolean,
  counted?: ReportTally,
): Promise<Decided<ReportResult>> {
  if (isOfUnknownAge(report)) return nothing({ kind: 'ignored' });
  if (!stored && !autoRegister) return nothing(unknownDevice(report.deviceId));
  const known = stored ? { device: stored.data, lifting: [] } : await registered(world, report);
  if (!known) return nothing({ kind: 'ignored' });
  const heard = world.reportedGroups === 'trust' ? report : withoutGroup(report);
  const decide = decidedOnce((configuration) => {
    const device = heardFrom(known.device, configuration?.restored);
    return decideReport(device, heard, world.waits, configuration?.settings ?? null, counted);
  });
  const earlier = await configurationFor(world, stored, decide);
  const { writes, wakes, read } = await decidedByConfiguration(world, stored, earlier, decide);
  const decision = decide(read.configuration ?? earlier);
  const outcome: ReportOutcome = {
    ...handled,
    ...(decision.isFaultNews ? { faults: report.faults ?? [] } : {}),
    ...(decision.counted ? { counted: decision.counted } : {}),
  };
  return { writes: [...writes, ...known.lifting], wakes, answer: { device: decision.device, outcome } };
}

/**
 * The configuration that a report is decided by at first. An unchanged report is not worth a read of the settings: where this process has no recent
 * copy, the stored patience applies until something happens or the patience ends.
 */
async function configurationFor(
  world: World,
  stored: Stored<'devices'> | null,
  decide: (configuration: Configuration | null) => DeviceDecision,
): Promise<Configuration | null> {
  const recent = await knownConfiguration(world);
  if (recent) return recent;
  const { orders, activity, isWorthWriting } = decide(null);
  const isQuiet = stored !== null && orders.length === 0 && activity.length === 0;
  const anew = isWorthWriting ? await overdueConfiguration(world) : null;
  if (anew || isQuiet) return anew;
  return (await earlierConfiguration(world)) ?? (await recentConfiguration(world));
}

/** A device that this report registers, with the writes that remove its tombstone. Null: the report registers nobody. */
async function registered(world: World, report: Report): Promise<{ device: Device; lifting: Write[] } | null> {
  const { deviceId } = report;
  const [tombstone = null] = await world.store.get('tombstones', [deviceId]);
  const device = registeredBy(report, tombstone?.data ?? null);
  if (!device) {
    world.log.info('report.ignored', { deviceId, kind: report.kind, isDecommissioned: tombstone !== null });
    return null;
  }
  const { revision } = tombstone ?? {};
  const { settings } = await recentConfiguration(world);
  return {
    device: withPattern(device, settings.idPatterns),
    lifting: revision ? [{ kind: 'delete', in: 'tombstones', id: deviceId, revision }] : [],
  };
}

/** Records on a device that a message from it arrived which cannot be read. It registers no device. */
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

/** Applies a guardian's message to its device after the guardian has been authenticated. */
async function handleGuardianMessage(
  world: World,
  stored: Stored<'devices'> | null,
  report: Report<'guardian'> | Report<'guardian-health'>,
  autoRegister: boolean,
  counted: ReportTally,
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
      // Only a message about a known device can be a forgery.
      const decision = stored && decideForged(stored.data, report, world.waits, counted);
      const { writes, wakes } = decision ? await decidedOnDevice(world, stored, decision) : { writes: [], wakes: [] };
      const { counted: how } = decision ?? {};
      return { writes, wakes, answer: { kind: 'guardian-forged', detail, ...(how ? { counted: how } : {}) } };
    }
    case 'taken': {
      const trusted = stored && { ...stored, data: { ...stored.data, guardianTrust: verdict.trust } };
      const { writes, wakes, answer } = await handleReportOnDevice(world, trusted, report, autoRegister, counted);
      return { writes, wakes, answer: answer.outcome };
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
