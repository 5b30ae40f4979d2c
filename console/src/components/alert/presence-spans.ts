import type { ActivityItem } from '../../../../shared/schema/device/activity.ts';

/**
 * A part of a period, and whether the camera was connected then (null: not known). `fromPart` and `part` are fractions
 * of the period, 0 to 1.
 */
export type PresenceSpan = { isOnline: boolean | null; fromPart: number; part: number };

/**
 * When a camera was connected, derived from its activity. Before the first entry the state is the opposite of what that entry reports; before the
 * camera was registered nothing is known.
 */
export function presenceSpans(
  entries: readonly ActivityItem[],
  fromMs: number,
  toMs: number,
  registeredMs = fromMs,
): PresenceSpan[] {
  const turns = entries
    .flatMap(({ kind, at, detail }) =>
      kind === 'presence' ? [{ at: Date.parse(at), isOnline: detail['status'] === 'online' }] : [],
    )
    .toSorted((a, b) => a.at - b.at);
  const before = turns.findLast(({ at }) => at <= fromMs);
  const inside = turns.filter(({ at }) => at > fromMs && at < toMs);
  const first = before?.isOnline ?? (inside[0] ? !inside[0].isOnline : null);
  const isNew = registeredMs > fromMs;
  const begun = isNew ? [{ at: registeredMs, isOnline: first }] : [];
  const points = [{ at: fromMs, isOnline: isNew ? null : first }, ...begun, ...inside].filter(
    ({ at }) => at >= registeredMs || at === fromMs,
  );
  const whole = Math.max(1, toMs - fromMs);
  const spans = points.map(({ at, isOnline }, index) => {
    const end = points[index + 1]?.at ?? toMs;
    return { isOnline, fromPart: (at - fromMs) / whole, part: (end - at) / whole };
  });
  return spans.filter(({ part }) => part > 0);
}

type Spell = { darkAt: string; litAt: string | null };

/** When a place was dark within a period, as spans of a strip. */
export function darkSpans(spells: readonly Spell[], fromMs: number, toMs: number): PresenceSpan[] {
  const partOf = (instant: string | null) => {
    const ms = instant === null ? toMs : Date.parse(instant);
    return Math.min(1, Math.max(0, (ms - fromMs) / (toMs - fromMs)));
  };
  return spells.flatMap(({ darkAt, litAt }) => {
    const [from, to] = [partOf(darkAt), partOf(litAt)];
    return litAt !== null && to === 0 ? [] : [{ isOnline: false, fromPart: from, part: to - from }];
  });
}
