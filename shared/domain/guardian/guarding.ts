import { thresholds, type Waits } from '../limits.ts';
import { earliest, type Instant, latest, plus } from '../time.ts';
import type { GuardianTrust } from './trust.ts';

/** A camera with what is known of its guardian. `silenceSeconds`: after which it is silent itself; null: never. */
type Guarded = {
  guardianTrust?: GuardianTrust | null;
  isOnline: boolean;
  patience: { silenceSeconds: number | null };
};

/** Counts a guardian anew: its camera has come to another group, or is online again. */
export function countedFrom(trust: GuardianTrust | null | undefined, at: Instant): GuardianTrust | null {
  return trust ? { ...trust, countedFrom: at } : null;
}

/**
 * Since when the guardian of a camera is of no effect, or from when on it will be unless it is heard: it cannot read its camera, refuses its golden
 * configuration, or is silent. Null where none has ever told how it is. That a camera is lost explains the silence of its guardian.
 */
export function unguardedAtOf({ guardianTrust, isOnline, patience }: Guarded, waits: Waits): Instant | null {
  const health = guardianTrust?.health ?? null;
  if (!guardianTrust || guardianTrust.publicKey === null || health === null || !isOnline) return null;
  const since = guardianTrust.countedFrom ?? null;
  const heardAt = latest(health.at, since) ?? health.at;
  const unguardedAt = earliest([health.idleSince, plus(heardAt, silenceMs(health, patience, waits))]);
  return latest(unguardedAt, since);
}

/** Whether it has left out its healths up to the horizon, for whatever reason. */
export function isGuardianSilent(
  { guardianTrust, patience }: Omit<Guarded, 'isOnline'>,
  horizon: Instant | null,
  waits: Waits,
): boolean {
  const health = guardianTrust?.health ?? null;
  return health !== null && horizon !== null && plus(health.at, silenceMs(health, patience, waits)) <= horizon;
}

/** Not before the silence of its camera would be found: the same cut takes both away. The interval is the guardian's own, in seconds of its clock. */
function silenceMs(
  { healthIntervalSeconds }: NonNullable<GuardianTrust['health']>,
  { silenceSeconds }: Guarded['patience'],
  waits: Waits,
): number {
  const own = thresholds.healthsMissed * healthIntervalSeconds * 1000;
  const cameras = silenceSeconds === null ? 0 : silenceSeconds * waits.settingsSecond + waits.lastSeenCoarse;
  return Math.max(own, cameras) + waits.guardianSlack;
}
