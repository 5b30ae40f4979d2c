import type { Device } from '../device/device.ts';
import type { Waits } from '../limits.ts';
import { forgottenGroup, membershipsOf } from '../registry/memberships.ts';
import { type BlindnessCause, type Bounds, derive, type Interval, type RecordedSpan } from '../sight/intervals.ts';
import { earlier, type Instant, later } from '../time.ts';

/** What the record of a device in one group is derived from. */
type GroupSubject = Parameters<typeof derive>[0] & Pick<Device, 'groupId' | 'groupSince' | 'formerGroups'>;
type GroupSpan = { from: Instant; to: Instant };

/** Before everything: the first group of a device also has the time before it was registered. */
const always: Instant = '0000';

/** Since when a device belongs to a group no longer: from the beginning, if it remembers none of its time there. Null: it does. */
export function leftAt(
  device: Pick<GroupSubject, 'groupId' | 'groupSince' | 'formerGroups'>,
  groupId: string,
): Instant | null {
  const own = membershipsOf(device).findLast((each) => each.groupId === groupId);
  return own ? own.to : always;
}

/**
 * The record of a device for one group, from `from` on: only the time in which it belonged to the group shows what was seen of it.
 * @param horizon no report that was published before it is missing
 * @param explain gives the intervals of the group's own time their explanations
 * @returns null: nothing new is known
 */
export function recordedIn(
  device: GroupSubject,
  groupId: string,
  { from, horizon }: { from: Instant; horizon: Instant },
  waits: Waits,
  explain: (intervals: Interval[]) => Interval[],
): RecordedSpan | null {
  const left = leftAt(device, groupId);
  const hasLeft = left !== null && left <= from;
  const whole = hasLeft ? elsewhereTo(from, horizon) : derive(device, from, horizon, waits);
  if (whole === null) return null;
  const { to } = whole;
  const memberships = membershipsOf(device);
  const partsOf = (group: string) =>
    memberships
      .filter((each) => each.groupId === group)
      .map((each): GroupSpan => ({ from: each === memberships[0] ? always : each.from, to: each.to ?? to }));
  const [own, forgotten] = [partsOf(groupId), partsOf(forgottenGroup)];
  const seen = own.flatMap((part) => whole.intervals.flatMap((interval) => within(interval, part) ?? []));
  const elsewhere = complement([...forgotten, ...own], { from, to });
  const intervals = [
    ...explain(seen),
    ...common(forgotten, { from, to }).map((part) => certain('unknown', 'uncertain', part)),
    ...elsewhere.map((part) => certain('not-registered', 'blind', part)),
  ];
  return { from, to, intervals: intervals.toSorted((a, b) => (a.begin[0] < b.begin[0] ? -1 : 1)) };
}

function elsewhereTo(from: Instant, to: Instant): RecordedSpan | null {
  return from < to ? { from, to, intervals: [] } : null;
}

/** The part of an interval in a period. What it says of the time outside must not be seen in it. Null: none. */
function within(interval: Interval, { from, to }: GroupSpan): Interval | null {
  const clip = ([a, b]: Bounds): Bounds => [earlier(later(a, from), to), earlier(later(b, from), to)];
  const [begin, end] = [clip(interval.begin), clip(interval.end)];
  if (begin[0] >= end[1]) return null;
  return { ...interval, begin, end };
}

/** What lies in a period. */
function common(parts: readonly GroupSpan[], { from, to }: GroupSpan): GroupSpan[] {
  return parts
    .map((part) => ({ from: later(part.from, from), to: earlier(part.to, to) }))
    .filter((part) => part.from < part.to);
}

/** The parts of a period that are in none of the others, which are in order. */
function complement(parts: readonly GroupSpan[], { from, to }: GroupSpan): GroupSpan[] {
  const gaps: GroupSpan[] = [];
  let at = from;
  for (const part of parts) {
    if (part.from > at) gaps.push({ from: at, to: earlier(part.from, to) });
    at = later(at, part.to);
  }
  if (at < to) gaps.push({ from: at, to });
  return gaps.filter((gap) => gap.from < gap.to);
}

function certain(cause: BlindnessCause, state: Interval['state'], { from, to }: GroupSpan): Interval {
  return { state, cause, begin: [from, from], end: [to, to], isOpen: false, planned: [] };
}
