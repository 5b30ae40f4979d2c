/** What to do about drift. During a maintenance window the guardian reports and does not heal, until an instant (ISO 8601). */
export type Policy = { mode: 'HEAL' } | { mode: 'ALERT_ONLY'; untilAt: string };

/** Maximum length of maintenance, counted from the start of the guardian, whatever its end says. */
const longestWindowMs = 7 * 24 * 3_600_000;

/** An instant on both clocks of the device: milliseconds since 1970 on its calendar clock, and on its monotonic clock. */
export type Instant = { calendarMs: number; monotonicMs: number };

/**
 * Whether drift may be healed now. A window ends by the calendar clock, or by the monotonic clock if somebody sets the calendar back: it
 * never lasts longer than planned at the start of the guardian.
 */
export function isHealingAllowed(policy: Policy, startedAt: Instant, now: Instant): boolean {
  if (policy.mode === 'HEAL') return true;
  const untilMs = Date.parse(policy.untilAt);
  const lengthMs = Math.min(longestWindowMs, untilMs - startedAt.calendarMs);
  return now.calendarMs >= untilMs || now.monotonicMs - startedAt.monotonicMs >= lengthMs;
}
