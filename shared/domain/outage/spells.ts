import type { Spell } from '../incident/incident.ts';
import { thresholds, type Waits } from '../limits.ts';
import { earlier, type Instant, later, msBetween, plus, spell as spellOf } from '../time.ts';

/** The times in which a place was dark, with one more that began at `darkAt`. */
export function withSpell(spells: readonly Spell[], darkAt: Instant, lastReportBy: Instant | null = null): Spell[] {
  return [...spells, { darkAt, litAt: null, lastReportBy }].slice(-thresholds.spellsKept);
}

/** The times in which a place was dark, of which the last ended at `litAt`. */
export function withEnd(spells: readonly Spell[], litAt: Instant): Spell[] {
  return spells.map((each, index) => (index === spells.length - 1 && each.litAt === null ? { ...each, litAt } : each));
}

/** Whether a place, or a camera, comes and goes: it was dark too often lately. */
export function isFlapping(darkAts: readonly Instant[], now: Instant, waits: Waits): boolean {
  return darkAts.filter((at) => msBetween(at, now) <= waits.spellsWindow).length >= thresholds.flappingSpells;
}

/** How long of which time it was dark, in the window that counts: `dark 21 of the last 42 min`. */
export function darkShare(spells: readonly Spell[], now: Instant, waits: Waits): string {
  const from = plus(now, -waits.spellsWindow);
  const counted = spells.filter(({ darkAt, litAt }) => darkAt >= from || (litAt ?? now) > from);
  const began = counted.reduce((first, { darkAt }) => earlier(darkAt, first), now);
  const since = later(began, from);
  const darkMs = counted.reduce((sum, { darkAt, litAt }) => sum + msBetween(later(darkAt, since), litAt ?? now), 0);
  return `dark ${spellOf(darkMs)} of the last ${spellOf(msBetween(since, now))}`;
}
