import type { Device } from '../device/device.ts';
import type { Waits } from '../limits.ts';
import { closeMs, periodMs, type Sightings, seenBefore, type ToldLoss } from '../sight/sightings.ts';
import { earlier, type Instant, later, msBetween, plus } from '../time.ts';

/** Two instants between which something happened: the first is the earliest at which it can have, the second the latest. */
export type Bounds = [earliest: Instant, latest: Instant];

/** Why a device was not seen. */
export type Cause = 'lost' | 'silent' | 'platform' | 'unknown' | 'not-registered';

/**
 * A time in which a device was not seen. Between the latest beginning and the earliest end it was `blind` for certain; an `uncertain` one
 * may have been seen all the time. `isOpen`: it had not ended when this was recorded. `planned`: the parts of it in maintenance windows.
 */
export type Interval = {
  state: 'blind' | 'uncertain';
  cause: Cause;
  begin: Bounds;
  end: Bounds;
  isOpen: boolean;
  planned: [from: Instant, to: Instant][];
};

/** What is recorded of a device: all of the time from `from` to `to` that is in none of the intervals was seen. */
export type Recorded = { from: Instant; to: Instant; intervals: Interval[] };

/** What the derivation looks at. */
type Watched = Pick<Device, 'patience' | 'registeredAt'> & { sightings: Sightings };

/** How sharply a broker reports that a connection was closed or made. */
const sharpMs = 10_000;
/** How much later than its period a report may come. */
const slackSeconds = 30;

/**
 * What is known of a device from `from` on.
 * @param horizon no report that was published before it is missing
 * @returns null: nothing new is known yet
 */
export function derive(device: Watched, from: Instant, horizon: Instant, waits: Waits): Recorded | null {
  const dark = [...unregistered(device, from), ...darkOf(device, horizon, waits)];
  const lastSeen = device.sightings.runs.at(-1)?.to ?? null;
  const isOpen = dark.some((interval) => interval.isOpen);
  // Seen is only what lies between two sightings.
  const to = isOpen || (lastSeen !== null && lastSeen > horizon) ? horizon : lastSeen;
  if (to === null || to <= from) return null;
  return { from, to, intervals: dark.filter(({ begin, end }) => begin[0] < to && end[1] > from) };
}

/** The first instant of which anything is remembered. */
function rememberedFrom({ registeredAt, sightings: { since, runs } }: Watched): Instant {
  return since ?? earlier(registeredAt, runs[0]?.from ?? registeredAt);
}

/** The time before the device was known, and that of which nothing is remembered any more. */
function unregistered(device: Watched, from: Instant): Interval[] {
  const since = rememberedFrom(device);
  const known = earlier(device.registeredAt, since);
  const begin = later(from, known);
  return [
    ...(from < known ? [certain('not-registered', 'blind', from, known)] : []),
    ...(begin < since ? [certain('unknown', 'uncertain', begin, since)] : []),
  ];
}

function certain(cause: Cause, state: Interval['state'], from: Instant, to: Instant): Interval {
  return { state, cause, begin: [from, from], end: [to, to], isOpen: false, planned: [] };
}

function darkOf(device: Watched, horizon: Instant, waits: Waits): Interval[] {
  const all = [...gapsOf(device, horizon, waits), ...lossesOf(device, horizon, waits)];
  const sorted = all.toSorted((a, b) => (a.begin[0] < b.begin[0] ? -1 : 1));
  const united: Interval[] = [];
  for (const next of sorted) {
    const last = united.at(-1);
    if (last && next.begin[0] < last.end[1]) united[united.length - 1] = union(last, next);
    else united.push(next);
  }
  return united;
}

/** Times between two sightings that are too far apart, and since the last one. */
function gapsOf(device: Watched, horizon: Instant, waits: Waits): Interval[] {
  const { runs } = device.sightings;
  const since = rememberedFrom(device);
  const close = closeMs(device, waits);
  const last = runs.at(-1)?.to ?? since;
  const gaps = runs.flatMap(({ from }, index): Interval[] => {
    const before = runs[index - 1]?.to ?? since;
    return msBetween(before, from) > close ? [gap(device, before, from, horizon, waits)] : [];
  });
  return msBetween(last, horizon) > close ? [...gaps, gap(device, last, null, horizon, waits)] : gaps;
}

/** @param until the next sighting; null: there was none up to the horizon */
function gap(device: Watched, from: Instant, until: Instant | null, horizon: Instant, waits: Waits): Interval {
  const end = until ?? horizon;
  const report = reportMs(device, waits);
  // Reports up to the resolution of what is written may have come after the last sighting that is known.
  const begin: Bounds = [from, earlier(plus(from, waits.lastSeenCoarse + report), end)];
  const ended: Bounds = [later(from, plus(end, -report)), end];
  const isSure = device.patience.silenceSeconds !== null && begin[1] < ended[0];
  const state = isSure ? 'blind' : 'uncertain';
  return { state, cause: 'silent', begin, end: ended, isOpen: until === null, planned: [] };
}

function lossesOf(device: Watched, horizon: Instant, waits: Waits): Interval[] {
  const report = reportMs(device, waits);
  return device.sightings.losses.flatMap((loss): Interval[] => {
    const end = loss.backAt ?? horizon;
    if (end < loss.at) return [];
    const begin = beginOf(device, loss, waits);
    // Later than it began, but perhaps earlier than it was told.
    const earliest = later(begin[0], plus(end, loss.isBackSharp ? -sharpMs : -report));
    return [
      {
        state: 'blind',
        cause: 'lost',
        begin,
        end: [earliest, end],
        isOpen: loss.backAt === null,
        planned: [],
      },
    ];
  });
}

/** A connection that broke without being closed is reported lost only after its keepalive; no report came from then on. */
function beginOf(device: Watched, { at, isSharp }: ToldLoss, waits: Waits): Bounds {
  const { losses } = device.sightings;
  const since = rememberedFrom(device);
  const backs = losses.flatMap(({ backAt }) => (backAt !== null && backAt <= at ? [backAt] : []));
  const seen = seenBefore(device.sightings, at, closeMs(device, waits));
  const earliest = backs.reduce(later, seen?.at ?? since);
  if (isSharp) return [later(earliest, plus(at, -sharpMs)), at];
  const missed = seen?.isLast ? plus(earliest, waits.lastSeenCoarse + reportMs(device, waits)) : at;
  return [earliest, earlier(missed, at)];
}

/** How long the next report may take, milliseconds. */
function reportMs(device: Watched, waits: Waits): number {
  return periodMs(device, waits) + slackSeconds * waits.settingsSecond;
}

/** One time in which the device was not seen, of which both tell. Each is true, so what both allow is true. */
function union(a: Interval, b: Interval): Interval {
  const isBlind = a.state === 'blind' || b.state === 'blind';
  return {
    state: isBlind ? 'blind' : 'uncertain',
    cause: a.cause === 'lost' || b.cause === 'lost' ? 'lost' : a.cause,
    begin: both(a.begin, b.begin) ?? (a.begin[1] < b.begin[1] ? a.begin : b.begin),
    end: both(a.end, b.end) ?? (a.end[1] > b.end[1] ? a.end : b.end),
    isOpen: a.isOpen || b.isOpen,
    planned: [],
  };
}

function both(a: Bounds, b: Bounds): Bounds | null {
  const common: Bounds = [later(a[0], b[0]), earlier(a[1], b[1])];
  return common[0] <= common[1] ? common : null;
}
