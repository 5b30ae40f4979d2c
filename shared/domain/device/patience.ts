import type { Reporting } from '../../schema/common.ts';
import type { Settings } from '../../schema/settings/settings.ts';
import type { Waits } from '../limits.ts';
import { type Instant, latest, plus } from '../time.ts';
import { type Presence, standingLoss } from './presence.ts';

/** How long a device may say nothing, and be lost, before that is an alert. `silenceSeconds` null: its silence means nothing. */
export type Patience = {
  silenceSeconds: number | null;
  lossSeconds: number;
  /** How often it reports; not there in records of before there were places. */
  periodSeconds?: number;
};

/** The part of the settings that says how devices report. */
export type ReportingSettings = Pick<Settings, 'reporting' | 'groupReporting'>;

/** A device that reports each minute. */
const usual: Reporting = { periodSeconds: 60 };
/** The contract: lost for more than 5 minutes. */
const leastSeconds = 300;

/** The patience with one device: what is set for it, else for its group, else for the fleet. */
export function patienceOf(
  device: { groupId: string; reporting: Reporting | null },
  { reporting, groupReporting = {} }: ReportingSettings,
): Patience {
  const ofGroup = Object.hasOwn(groupReporting, device.groupId) ? groupReporting[device.groupId] : undefined;
  const { periodSeconds, silentAfterSeconds, lossPatienceSeconds } = device.reporting ?? ofGroup ?? reporting ?? usual;
  return {
    silenceSeconds: periodSeconds === 0 ? null : (silentAfterSeconds ?? leastSeconds + 2 * periodSeconds),
    lossSeconds: lossPatienceSeconds ?? leastSeconds,
    periodSeconds,
  };
}

export const usualPatience = patienceOf({ groupId: '', reporting: null }, {});

/** When a connection that was lost at `lostAt` is an alert. */
export function lossRaisedAt({ patience }: { patience: Patience }, lostAt: Instant, waits: Waits): Instant {
  return plus(lostAt, patience.lossSeconds * waits.settingsSecond);
}

/**
 * When a device counts as silent unless it reports; null where its silence means nothing. Never early: a report that changed nothing may have
 * come up to `lastSeenCoarse` after the last one written.
 */
export function silentAtOf(
  device: { patience: Patience; lastSeenAt: Instant | null; registeredAt: Instant },
  waits: Waits,
): Instant | null {
  const { silenceSeconds } = device.patience;
  if (silenceSeconds === null) return null;
  return plus(device.lastSeenAt ?? device.registeredAt, silenceSeconds * waits.settingsSecond + waits.lastSeenCoarse);
}

/** When a loss is told at the latest, however little can be seen. */
export function lossToldAt(device: { patience: Patience }, lostAt: Instant, waits: Waits): Instant {
  const raisedAt = lossRaisedAt(device, lostAt, waits);
  return latest(raisedAt, plus(lostAt, waits.lossToldAtLatest)) ?? raisedAt;
}

/**
 * Whether what takes a loss back may stand in the queue behind it: the loss was published in a time of which not everything is handled, so it
 * was heard late, and what followed it comes later still. A loss that was heard in time is told after its time, however little can be seen.
 * @param heardUntil nothing that was published up to then is still on its way from Pub/Sub
 */
export function canBeTakenBack(
  device: { patience: Patience; presence: Presence; aliveAt: Instant | null },
  now: Instant,
  horizon: Instant | null,
  heardUntil: Instant,
  waits: Waits,
): boolean {
  const loss = standingLoss(device.presence, device.aliveAt, waits);
  if (!loss || (horizon !== null && horizon >= lossRaisedAt(device, loss.at, waits))) return false;
  const toldAt = lossToldAt(device, loss.at, waits);
  return now >= toldAt && heardUntil <= loss.at;
}
