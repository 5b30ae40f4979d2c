import { thresholds } from '../limits.ts';
import { compareStamps, firstCopy, isSameReport, type Stamp, withoutDeviceTime } from './stamp.ts';

export const measureNames = ['memory', 'storage', 'latency'] as const;
export type MeasureName = (typeof measureNames)[number];
export type Level = 'normal' | 'high' | 'critical';
export type Reading = Stamp & { value: number };

/**
 * The last readings of one measure in the order in which they were made, and the level before the oldest of them. The present level is
 * computed from both, so a late reading gives the same level as one in time.
 */
export type Measure = { baseLevel: Level; recent: Reading[] };

const nextLevel: Record<MeasureName, (level: Level, value: number) => Level> = {
  memory: (level, value) => {
    const { memoryCritical, memoryHigh } = thresholds;
    if (value > memoryCritical.above) return 'critical';
    if (level === 'critical' && value > memoryCritical.endsAt) return 'critical';
    if (value > memoryHigh.above) return 'high';
    return level === 'high' && value > memoryHigh.endsAt ? 'high' : 'normal';
  },
  storage: (level, value) => {
    if (value < thresholds.storageLow.under) return 'high';
    return level === 'high' && value < thresholds.storageLow.endsAt ? 'high' : 'normal';
  },
  latency: (level, value) => {
    if (value > thresholds.latencyHigh.above) return 'high';
    return level === 'high' && value >= thresholds.latencyHigh.endsUnder ? 'high' : 'normal';
  },
};

export function levelOf(name: MeasureName, measure: Measure | undefined): Level {
  if (!measure) return 'normal';
  return measure.recent.reduce((level, { value }) => nextLevel[name](level, value), measure.baseLevel);
}

export function latestReading(measure: Measure | undefined): Reading | null {
  return measure?.recent.at(-1) ?? null;
}

/**
 * Inserts a reading at its place.
 * @returns the measure with it, or null where it adds nothing: it is a copy, or older than all readings that are kept
 */
export function withReading(name: MeasureName, measure: Measure | undefined, reading: Reading): Measure | null {
  const { baseLevel, recent } = measure ?? { baseLevel: 'normal', recent: [] };
  const known = recent.find((other) => isSameReading(other, reading));
  if (known && firstCopy(known, reading) === known) return null;
  if (known) return { baseLevel, recent: recent.map((other) => (other === known ? reading : other)) };
  const place = recent.findLastIndex((known) => compareStamps(known, reading) <= 0) + 1;
  if (place === 0 && recent.length >= thresholds.readingsKept) return null;
  const next = recent.toSpliced(place, 0, reading);
  const dropped = next.length > thresholds.readingsKept ? next.shift() : undefined;
  return { baseLevel: dropped ? nextLevel[name](baseLevel, dropped.value) : baseLevel, recent: next };
}

/**
 * After the device's clock was set back, older device times can no longer be compared: the level and the last value stay, ordered by cloud
 * time alone.
 */
export function rebased(name: MeasureName, measure: Measure): Measure {
  const last = latestReading(measure);
  return {
    baseLevel: levelOf(name, measure),
    recent: last ? [{ ...withoutDeviceTime(last), value: last.value }] : [],
  };
}

/** A device without sequence numbers that sends a report again is recognized by the same time and value. */
function isSameReading(a: Reading, b: Reading): boolean {
  return (
    isSameReport(a, b) || (a.deviceAt !== null && a.deviceAt === b.deviceAt && a.value === b.value && a.seq === b.seq)
  );
}
