import { type Chain, chainEndsAt, closedChain, prolonged } from '../chain.ts';
import { thresholds, type Waits } from '../limits.ts';
import { type Instant, msBetween } from '../time.ts';
import { keyOf, type Stamp } from './measure.ts';

/** Failed authentications in one report. `windowSeconds`: the time over which the device counted them; null: since its last report. */
export type AuthFailure = { key: string; at: Instant; count: number; windowSeconds: number | null };

/** The last reports of failed authentications in the order of cloud time, and the state that follows from those before them. */
export type AuthFailures = {
  before: Chain;
  recent: AuthFailure[];
  /** When a person settled an alert about them, and the reports known at that time. Only later failures count from then on. */
  settled: { at: Instant; keys: string[] } | null;
};

export const noFailures: AuthFailures = { before: closedChain, recent: [], settled: null };

/** The failures after a person has settled their alert. */
export function withSettledFailures({ recent, settled }: AuthFailures, at: Instant): AuthFailures {
  const keys = [...(settled?.keys ?? []), ...recent.map(({ key }) => key)].slice(-thresholds.settledKept);
  return { ...noFailures, settled: { at, keys } };
}

/** Adds the failures of one report. Null where the report brings nothing new. */
export function withFailures(
  failures: AuthFailures,
  reported: { failedAttempts: number; windowSeconds?: number },
  stamp: Stamp,
  waits: Waits,
): AuthFailures | null {
  if (reported.failedAttempts === 0) return null;
  const failure: AuthFailure = {
    key: keyOf(stamp),
    at: stamp.receivedAt,
    count: newFailures(reported, stamp.receivedAt, failures.settled),
    windowSeconds: reported.windowSeconds ?? null,
  };
  if (failure.count === 0 || failures.settled?.keys.includes(failure.key)) return null;
  const known = failures.recent.find(({ key }) => key === failure.key);
  if (known && known.at <= failure.at) return null;
  const others = failures.recent.filter(({ key }) => key !== failure.key);
  const isForgotten = failures.before.lastAt !== null && failure.at < failures.before.lastAt;
  if (isForgotten) return null;
  const recent = [...others, failure].toSorted((a, b) => (a.at + a.key < b.at + b.key ? -1 : 1));
  if (recent.length <= thresholds.failuresKept) return { ...failures, recent };
  const [oldest, ...kept] = recent;
  if (!oldest) return failures;
  const before = prolonged(failures.before, oldest.at, isMany([oldest], oldest.at, waits), waits.authQuiet);
  return { ...failures, before, recent: kept };
}

/** Where failures were counted over a time that began before the last alert was settled: the share that falls after it. */
function newFailures(
  { failedAttempts, windowSeconds = 0 }: { failedAttempts: number; windowSeconds?: number },
  at: Instant,
  settled: AuthFailures['settled'],
): number {
  if (settled === null || windowSeconds === 0) return failedAttempts;
  const share = msBetween(settled.at, at) / (windowSeconds * 1000);
  return Math.floor(failedAttempts * Math.min(1, Math.max(0, share)));
}

/** When the failures have been quiet for long enough. Null where there were never enough for an alert. */
export function failuresEndAt({ before, recent }: AuthFailures, waits: Waits): Instant | null {
  const chain = recent.reduce(
    (state, { at }, index) => prolonged(state, at, isMany(recent.slice(0, index + 1), at, waits), waits.authQuiet),
    before,
  );
  return chainEndsAt(chain, waits.authQuiet);
}

/** How many authentications failed in the window that ends at `at`. */
export function failuresAt(recent: readonly AuthFailure[], at: Instant, waits: Waits): number {
  const inWindow = recent.filter((failure) => failure.at <= at && msBetween(failure.at, at) < waits.authWindow);
  let total = 0;
  let coveredFrom: number | null = null;
  // From the newest to the oldest: where the window of a report covers an earlier report, it has counted that one's failures already.
  for (const failure of inWindow.toReversed()) {
    if (coveredFrom !== null && Date.parse(failure.at) > coveredFrom) continue;
    total += inside(failure);
    coveredFrom = Date.parse(failure.at) - (failure.windowSeconds ?? 0) * 1000;
  }
  return Math.max(total, ...inWindow.map((failure) => inside(failure)));
}

/** Of failures counted over longer than our window, only the proportional share counts, because no more is proven. */
function inside({ count, windowSeconds }: AuthFailure): number {
  return windowSeconds === null ? count : Math.floor(count * Math.min(1, thresholds.authWindowSeconds / windowSeconds));
}

function isMany(recent: readonly AuthFailure[], at: Instant, waits: Waits): boolean {
  return failuresAt(recent, at, waits) >= thresholds.failedAuthentications;
}
