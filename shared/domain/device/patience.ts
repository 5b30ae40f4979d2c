import type { Reporting } from '../../schema/common.ts';
import type { Settings } from '../../schema/settings/settings.ts';
import type { Waits } from '../limits.ts';
import { type Instant, later, plus } from '../time.ts';
import type { Loss } from './presence.ts';

/** How long a device may be silent, or disconnected, before that is an alert. `silenceSeconds` null: its silence is ignored. */
export type Patience = {
  silenceSeconds: number | null;
  lossSeconds: number;
  /** How often it reports. Absent in records that were written before there were places. */
  periodSeconds?: number;
};

/** The part of the settings about how devices report. */
export type ReportingSettings = Pick<Settings, 'reporting' | 'groupReporting'>;

/** The default: a report each minute. */
const usual: Reporting = { periodSeconds: 60 };
/** The contract: lost for more than 5 minutes. */
const leastSeconds = 300;

/** The patience with one device: as set for the device, else for its group, else for the fleet. */
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

/** When a connection that was lost at `lostAt` raises an alert. */
export function lossRaisedAt({ patience }: { patience: Patience }, lostAt: Instant, waits: Waits): Instant {
  return plus(lostAt, patience.lossSeconds * waits.settingsSecond);
}

/**
 * When a device counts as silent unless it reports. Null where its silence is ignored. Never too early: an unchanged report may have come
 * up to `lastSeenCoarse` after the last one that was written.
 */
export function silentAtOf(
  device: { patience: Patience; lastSeenAt: Instant | null; registeredAt: Instant },
  waits: Waits,
): Instant | null {
  const { silenceSeconds } = device.patience;
  if (silenceSeconds === null) return null;
  return plus(device.lastSeenAt ?? device.registeredAt, silenceSeconds * waits.settingsSecond + waits.lastSeenCoarse);
}

/**
 * The latest time at which a loss is declared, even while the platform is blind: nothing contradicted it after it was handled. A loss that was
 * handled late is declared correspondingly later.
 */
export function lossDeclaredAt(
  device: { patience: Patience },
  loss: Pick<Loss, 'at' | 'heardAt'>,
  waits: Waits,
): Instant {
  const raisedAt = lossRaisedAt(device, loss.at, waits);
  const heardAt = later(loss.at, loss.heardAt ?? loss.at);
  return later(raisedAt, plus(heardAt, waits.lossDeclaredWithin));
}
