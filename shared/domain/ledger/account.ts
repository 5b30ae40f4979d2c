import type { Interval } from '../sight/intervals.ts';
import { earlier, type Instant, later, msBetween } from '../time.ts';

/** Every moment belongs to exactly one of these kinds. */
export const kindsOfTime = [
  'seen',
  'lost',
  'silent',
  'uncertain',
  'planned',
  'platform',
  'notRegistered',
  'notRecorded',
] as const;
type KindOfTime = (typeof kindsOfTime)[number];

/** Milliseconds per kind. */
export type Account = Record<KindOfTime, number>;

export function emptyAccount(): Account {
  return { seen: 0, lost: 0, silent: 0, uncertain: 0, planned: 0, platform: 0, notRegistered: 0, notRecorded: 0 };
}

const kindOfCause: Record<Interval['cause'], KindOfTime> = {
  lost: 'lost',
  silent: 'silent',
  platform: 'platform',
  unknown: 'uncertain',
  'not-registered': 'notRegistered',
};

/** Adds the part of an entry that lies between two instants. */
export function addEntry(
  account: Account,
  entry: { from: Instant; to: Instant; intervals: readonly Interval[] },
  from: Instant,
  to: Instant,
): void {
  const begin = later(entry.from, from);
  const end = earlier(entry.to, to);
  if (begin >= end) return;
  const within = (a: Instant, b: Instant) => Math.max(0, msBetween(later(a, begin), earlier(b, end)));
  let dark = 0;
  for (const { state, cause, begin: first, end: last, planned } of entry.intervals) {
    const whole = within(first[0], last[1]);
    const sure = state === 'blind' ? within(first[1], last[0]) : 0;
    const inWindows =
      sure === 0 ? 0 : planned.reduce((sum, [a, b]) => sum + within(later(a, first[1]), earlier(b, last[0])), 0);
    account[kindOfCause[cause]] += sure - inWindows;
    account.planned += inWindows;
    account.uncertain += whole - sure;
    dark += whole;
  }
  account.seen += msBetween(begin, end) - dark;
}

/** The share of counted time in which the camera was seen, percent, rounded down to three decimals. Null: no time counts. */
export type Availability = { uncertainIsDown: number | null; uncertainIsUp: number | null };

/** Counted time is seen, lost, silent and uncertain time; the uncertain time counts once as seen and once as not. The rest is excused. */
export function availabilityOf({ seen, lost, silent, uncertain }: Account): Availability {
  const all = seen + lost + silent + uncertain;
  const share = (part: number) => (all === 0 ? null : Math.floor((part / all) * 100_000) / 1000);
  return { uncertainIsDown: share(seen), uncertainIsUp: share(seen + uncertain) };
}

export function sumOf(accounts: Iterable<Account>): Account {
  const sum = emptyAccount();
  for (const account of accounts) for (const kind of kindsOfTime) sum[kind] += account[kind];
  return sum;
}
