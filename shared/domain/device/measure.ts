import type { Device as WireDevice } from '../../schema/device/device.ts';
import type { StatusReport } from '../../schema/device/report.ts';
import { type MeasureName, measures } from '../../schema/vocabulary.ts';
import { type LevelLimits, thresholds } from '../limits.ts';
import type { Instant } from '../time.ts';
import { type AlertLevel, levelLimits, type OwnLimits } from './own-limits.ts';

/** When a report was made and received, and its place in the sequence of its boot where the device reports one. */
export type Stamp = {
  /** Device time, where the report carries it. */
  deviceAt: Instant | null;
  /** Cloud time of publication. */
  receivedAt: Instant;
  messageId: string;
  bootId: string | null;
  seq: number | null;
};

/** A clock that was set back by more than this is distinguished from a late report. */
const clockStepMs = 5 * 60_000;

type StampSource = {
  receivedAt: Instant;
  messageId: string;
  body: { timestamp?: string; bootId?: string; seq?: number };
};

export function stampOf({ receivedAt, messageId, body }: StampSource): Stamp {
  return {
    deviceAt: body.timestamp ? new Date(body.timestamp).toISOString() : null,
    receivedAt,
    messageId,
    bootId: body.bootId ?? null,
    seq: body.seq ?? null,
  };
}

/**
 * Order of two reports: by sequence within one boot, else by device time, else by cloud time, else by message id.
 * @returns a negative number when `a` was made before `b`
 */
export function compareStamps(a: Stamp, b: Stamp): number {
  if (a.bootId !== null && a.bootId === b.bootId && a.seq !== null && b.seq !== null) return a.seq - b.seq;
  if (a.deviceAt !== null && b.deviceAt !== null && a.deviceAt !== b.deviceAt) return a.deviceAt < b.deviceAt ? -1 : 1;
  if (a.receivedAt !== b.receivedAt) return a.receivedAt < b.receivedAt ? -1 : 1;
  return a.messageId < b.messageId ? -1 : a.messageId > b.messageId ? 1 : 0;
}

/** Identifies a report among those of its device. All copies have the same key, however they were made. */
export function keyOf({ bootId, seq, deviceAt, messageId }: Stamp): string {
  if (bootId !== null && seq !== null) return `${bootId} ${seq}`;
  return deviceAt ?? messageId;
}

/** Of two stamps of one report, the one that was received first, so that it does not matter which copy was handled first. */
export function firstCopy(a: Stamp, b: Stamp): Stamp {
  return b.receivedAt < a.receivedAt || (b.receivedAt === a.receivedAt && b.messageId < a.messageId) ? b : a;
}

/** A stamp from before the device's clock was set back. From then on only cloud time is compared. */
export function withoutDeviceTime(stamp: Stamp): Stamp {
  return { ...stamp, deviceAt: null, bootId: null, seq: null };
}

/** Whether two stamps are of one report: delivered again (same message) or sent again (same place in the same boot). */
export function isSameReport(a: Stamp, b: Stamp): boolean {
  return (
    a.messageId === b.messageId || (a.bootId !== null && a.bootId === b.bootId && a.seq !== null && a.seq === b.seq)
  );
}

/**
 * Whether the device's clock was set back: `next` is far older than the newest report by device time, but it and the report before it are
 * as far apart by the device's clock as by ours. One report alone could be an old one that was sent again.
 */
export function isClockStep(newest: Stamp, previous: Stamp, next: Stamp): boolean {
  if (!newest.deviceAt || !previous.deviceAt || !next.deviceAt || next.receivedAt <= newest.receivedAt) return false;
  if (Date.parse(newest.deviceAt) - Date.parse(next.deviceAt) < clockStepMs) return false;
  const byDevice = Date.parse(next.deviceAt) - Date.parse(previous.deviceAt);
  const byCloud = Date.parse(next.receivedAt) - Date.parse(previous.receivedAt);
  return byDevice > 0 && byCloud > 0 && Math.abs(byDevice - byCloud) <= Math.max(1000, byCloud / 10);
}

type WireReadings = WireDevice['readings'];
export type Level = 'normal' | AlertLevel;
/** The most severe one first. */
const alertLevels = ['critical', 'high'] as const satisfies AlertLevel[];
export type Reading = Stamp & { value: number };

/**
 * The last readings of one measure in the order in which they were made, and the level before the oldest of them. The present level is
 * computed from both, so a late reading gives the same level as one in time.
 */
export type Measure = { baseLevel: Level; recent: Reading[] };

function nextLevel(name: MeasureName, level: Level, value: number, own: OwnLimits | undefined): Level {
  const held = alertLevels.find((each) => {
    const limits = levelLimits(name, each, own);
    return limits !== null && isWithin(limits, level === each, value);
  });
  return held ?? 'normal';
}

function isWithin(limits: LevelLimits, isHeld: boolean, value: number): boolean {
  if ('under' in limits) return value < limits.under || (isHeld && value < limits.endsAt);
  const hasEnded = 'endsAt' in limits ? value <= limits.endsAt : value < limits.endsUnder;
  return value > limits.above || (isHeld && !hasEnded);
}

export function levelOf(name: MeasureName, measure: Measure | undefined, own?: OwnLimits): Level {
  if (!measure) return 'normal';
  return measure.recent.reduce((level, { value }) => nextLevel(name, level, value, own), measure.baseLevel);
}

/** The value of a measure in a report. Undefined: the report does not have it. */
export function readingOf(report: StatusReport, name: MeasureName): number | undefined {
  const { section, member } = measures[name];
  const members: Partial<Record<string, unknown>> = report[section] ?? {};
  return members[member] as number | undefined;
}

/** The last value of each measure that the device has reported, by the name of its reading. */
export function latestReadings(
  known: Partial<Record<MeasureName, Measure>>,
  names: readonly MeasureName[],
): WireReadings {
  return Object.fromEntries(
    names.flatMap((name) => {
      const reading = latestReading(known[name]);
      return reading ? [[measures[name].reading, reading.value]] : [];
    }),
  );
}

export function latestReading(measure: Measure | undefined): Reading | null {
  return measure?.recent.at(-1) ?? null;
}

/**
 * Inserts a reading at its place.
 * @returns the measure with it, or null where it adds nothing: it is a copy, or older than all readings that are kept
 */
export function withReading(
  name: MeasureName,
  measure: Measure | undefined,
  reading: Reading,
  own?: OwnLimits,
): Measure | null {
  const { baseLevel, recent } = measure ?? { baseLevel: 'normal', recent: [] };
  const known = recent.find((other) => isSameReading(other, reading));
  if (known && firstCopy(known, reading) === known) return null;
  if (known) return { baseLevel, recent: recent.map((other) => (other === known ? reading : other)) };
  const place = recent.findLastIndex((known) => compareStamps(known, reading) <= 0) + 1;
  if (place === 0 && recent.length >= thresholds.readingsKept) return null;
  const next = recent.toSpliced(place, 0, reading);
  const dropped = next.length > thresholds.readingsKept ? next.shift() : undefined;
  return { baseLevel: dropped ? nextLevel(name, baseLevel, dropped.value, own) : baseLevel, recent: next };
}

/**
 * After the device's clock was set back, older device times can no longer be compared: the level and the last value stay, ordered by cloud
 * time alone.
 */
export function rebased(name: MeasureName, measure: Measure, own?: OwnLimits): Measure {
  const last = latestReading(measure);
  return {
    baseLevel: levelOf(name, measure, own),
    recent: last ? [{ ...withoutDeviceTime(last), value: last.value }] : [],
  };
}

/** A device without sequence numbers that sends a report again is recognized by the same time and value. */
function isSameReading(a: Reading, b: Reading): boolean {
  return (
    isSameReport(a, b) || (a.deviceAt !== null && a.deviceAt === b.deviceAt && a.value === b.value && a.seq === b.seq)
  );
}
