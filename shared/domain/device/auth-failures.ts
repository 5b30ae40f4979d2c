import { type Chain, chainEndsAt, closedChain, prolonged } from '../chain.ts';
import { thresholds, type Waits } from '../limits.ts';
import { type Instant, msBetween } from '../time.ts';
import { keyOf, type Stamp } from './stamp.ts';

/** Failed authentications that one report told of. `windowSeconds`: over how long the device counted them; null: since its last report. */
export type AuthFailure = { key: string; at: Instant; count: number; windowSeconds: number | null };

/** The last reports of failed authentications in the order of cloud time, and what became of those before them. */
export type AuthFailures = { before: Chain; recent: AuthFailure[] };

export const noFailures: AuthFailures = { before: closedChain, recent: [] };

/** Puts one report's failures to the others. Null where it says nothing new. */
export function withFailures(
  failures: AuthFailures,
  told: { failedAttempts: number; windowSeconds?: number },
  stamp: Stamp,
  waits: Waits,
): AuthFailures | null {
  if (told.failedAttempts === 0) return null;
  const failure: AuthFailure = {
    key: keyOf(stamp),
    at: stamp.receivedAt,
    count: told.failedAttempts,
    windowSeconds: told.windowSeconds ?? null,
  };
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
  return { before, recent: kept };
}

/** When the failures will have been quiet for long enough; null where they were never many. */
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
  // From the newest backwards: a report whose own window reaches back over another has counted that one's failures already.
  for (const failure of inWindow.toReversed()) {
    if (coveredFrom !== null && Date.parse(failure.at) > coveredFrom) continue;
    total += inside(failure);
    coveredFrom = Date.parse(failure.at) - (failure.windowSeconds ?? 0) * 1000;
  }
  return Math.max(total, ...inWindow.map((failure) => inside(failure)));
}

/** Of failures counted over longer than our window only their share: more is not proven. */
function inside({ count, windowSeconds }: AuthFailure): number {
  return windowSeconds === null ? count : Math.floor(count * Math.min(1, thresholds.authWindowSeconds / windowSeconds));
}

function isMany(recent: readonly AuthFailure[], at: Instant, waits: Waits): boolean {
  return failuresAt(recent, at, waits) >= thresholds.failedAuthentications;
}
