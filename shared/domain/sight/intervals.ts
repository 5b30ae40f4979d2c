import type { Waits } from '../limits.ts';
import { earlier, earliest, type Instant, later, msBetween, plus } from '../time.ts';
import { closeMs, periodMs, type ReportedLoss, type Sightings, seenBefore } from './sightings.ts';

/** The earliest and the latest instant at which something can have happened. */
export type Bounds = [earliest: Instant, latest: Instant];

/** Why a device was not seen. */
export type BlindnessCause = 'lost' | 'silent' | 'platform' | 'unknown' | 'not-registered';

/**
 * A period in which a device was not seen. From the latest beginning to the earliest end it was certainly `blind`. In an `uncertain` one the device
 * may have been seen all the time. `isOpen`: it had not ended when it was recorded. `planned`: the parts in maintenance windows.
 */
export type Interval = {
  state: 'blind' | 'uncertain';
  cause: BlindnessCause;
  begin: Bounds;
  end: Bounds;
  isOpen: boolean;
  planned: [from: Instant, to: Instant][];
};

/** The record of a device from `from` to `to`. Time outside the intervals was seen. */
export type RecordedSpan = { from: Instant; to: Instant; intervals: Interval[] };

/** The members of a device that the derivation reads. */
type LedgerSubject = {
  /** Absent or false: its own sightings alone show that it was ever there. */
  wasHeard?: boolean;
  patience: { silenceSeconds: number | null; periodSeconds: number };
  registeredAt: Instant;
  sightings: Sightings;
};

/** The precision with which a broker reports that a connection was closed or opened. */
const sharpMs = 10_000;
/** How much later than its period a report may come. */
const slackSeconds = 30;

/**
 * Derives the record of a device from `from` on.
 * @param horizon no report that was published before it is missing
 * @returns null: nothing new is known
 */
export function derive(device: LedgerSubject, from: Instant, horizon: Instant, waits: Waits): RecordedSpan | null {
  const dark = [...unheard(device, from, horizon), ...darkOf(device, horizon, waits)];
  const lastSeen = device.sightings.runs.at(-1)?.to ?? null;
  const isOpen = heardFrom(device) === null || dark.some((interval) => interval.isOpen);
  // Only time between two sightings counts as seen.
  const to = isOpen || (lastSeen !== null && lastSeen > horizon) ? horizon : lastSeen;
  if (to === null || to <= from) return null;
  return { from, to, intervals: dark.filter(({ begin, end }) => begin[0] < to && end[1] > from) };
}

/**
 * Since when a device is dark that was not seen again. `since`: the loss as it was told, or the last known sign of life. `lastReportBy`: sightings are
 * coarse, and its last report may have come up to then; null where the loss was told.
 */
export type Darkness = { since: Instant; lastReportBy: Instant | null };

/**
 * The darkness that lasts at the horizon. Null: there is none. What alerts, incidents and messages say of it lies within the bounds of the ledger, unless
 * a device said nothing before its connection was lost: until then people take it for connected.
 */
export function darknessOf(device: LedgerSubject, horizon: Instant, waits: Waits): Darkness | null {
  const told = device.sightings.losses.find(({ backAt }) => backAt === null);
  if (told) return { since: told.at, lastReportBy: null };
  const silence = gapsOf(device, horizon, waits).findLast(({ isOpen }) => isOpen);
  if (!silence) return null;
  const [since, last] = silence.begin;
  return { since, lastReportBy: earlier(plus(since, waits.lastSeenCoarse), last) };
}

/** Since when it is known that a device was there. Null: it was registered, and never heard of. */
function heardFrom({ registeredAt, wasHeard, sightings: { since, runs, losses } }: LedgerSubject): Instant | null {
  return since ?? earliest([runs[0]?.from, losses[0]?.at]) ?? (wasHeard ? registeredAt : null);
}

/**
 * The time before the device was heard of for the first time (none where that ended before `from`), and the time that is no longer remembered. Who
 * imports cameras before they hang is not told that they failed.
 */
function unheard(device: LedgerSubject, from: Instant, horizon: Instant): Interval[] {
  const heard = heardFrom(device) ?? horizon;
  const { since } = device.sightings;
  if (since === null) return [certain('not-registered', 'blind', from, heard)];
  const known = earlier(device.registeredAt, since);
  const begin = later(from, known);
  return [
    certain('not-registered', 'blind', from, known),
    ...(begin < since ? [certain('unknown', 'uncertain', begin, since)] : []),
  ];
}

function certain(cause: BlindnessCause, state: Interval['state'], from: Instant, to: Instant): Interval {
  return { state, cause, begin: [from, from], end: [to, to], isOpen: false, planned: [] };
}

function darkOf(device: LedgerSubject, horizon: Instant, waits: Waits): Interval[] {
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

/** Periods between two sightings that are too far apart, and since the last sighting. */
function gapsOf(device: LedgerSubject, horizon: Instant, waits: Waits): Interval[] {
  const { runs } = device.sightings;
  const since = heardFrom(device);
  if (since === null) return [];
  const close = closeMs(device, waits);
  const last = runs.at(-1)?.to ?? since;
  const gaps = runs.flatMap(({ from }, index): Interval[] => {
    const before = runs[index - 1]?.to ?? since;
    return msBetween(before, from) > close ? [gap(device, before, from, horizon, waits)] : [];
  });
  return msBetween(last, horizon) > close ? [...gaps, gap(device, last, null, horizon, waits)] : gaps;
}

/** @param until the next sighting; null: there was none up to the horizon */
function gap(device: LedgerSubject, from: Instant, until: Instant | null, horizon: Instant, waits: Waits): Interval {
  const end = until ?? horizon;
  const report = reportMs(device, waits);
  // After the last stored sighting, further reports may have come within the resolution of `lastSeenAt`.
  const begin: Bounds = [from, earlier(plus(from, waits.lastSeenCoarse + report), end)];
  const ended: Bounds = [later(from, plus(end, -report)), end];
  const isSure = device.patience.silenceSeconds !== null && begin[1] < ended[0];
  const state = isSure ? 'blind' : 'uncertain';
  return { state, cause: 'silent', begin, end: ended, isOpen: until === null, planned: [] };
}

function lossesOf(device: LedgerSubject, horizon: Instant, waits: Waits): Interval[] {
  const report = reportMs(device, waits);
  return device.sightings.losses.flatMap((loss): Interval[] => {
    const end = loss.backAt ?? horizon;
    if (end < loss.at) return [];
    const begin = beginOf(device, loss, waits);
    // It ended after it began, but perhaps before the return was reported.
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

/** A broker reports an unclosed connection as lost only after its keepalive. No report came in that time. */
function beginOf(device: LedgerSubject, { at, isSharp }: ReportedLoss, waits: Waits): Bounds {
  const { losses } = device.sightings;
  const since = heardFrom(device) ?? at;
  const backs = losses.flatMap(({ backAt }) => (backAt !== null && backAt <= at ? [backAt] : []));
  const seen = seenBefore(device.sightings, at, closeMs(device, waits));
  const earliest = backs.reduce(later, seen?.at ?? since);
  if (isSharp) return [later(earliest, plus(at, -sharpMs)), at];
  const missed = seen?.isLast ? plus(earliest, waits.lastSeenCoarse + reportMs(device, waits)) : at;
  return [earliest, earlier(missed, at)];
}

/** The longest time until the next report, milliseconds. */
function reportMs(device: LedgerSubject, waits: Waits): number {
  return periodMs(device, waits) + slackSeconds * waits.settingsSecond;
}

/**
 * Merges two descriptions of one period, of which `a` begins first. Both are true, so the bounds that satisfy both hold. Silences never overlap each
 * other, so at least one of the two is a loss that the broker reported.
 */
function union(a: Interval, b: Interval): Interval {
  return {
    state: 'blind',
    cause: 'lost',
    begin: both(a.begin, b.begin) ?? a.begin,
    end: both(a.end, b.end) ?? (a.end[1] > b.end[1] ? a.end : b.end),
    isOpen: a.isOpen || b.isOpen,
    planned: [],
  };
}

function both(a: Bounds, b: Bounds): Bounds | null {
  const common: Bounds = [later(a[0], b[0]), earlier(a[1], b[1])];
  return common[0] <= common[1] ? common : null;
}
