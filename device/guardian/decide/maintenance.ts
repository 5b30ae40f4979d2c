/** What to do about drift. A maintenance window tells and does not heal, until an instant (ISO 8601). */
export type Policy = { mode: 'HEAL' } | { mode: 'ALERT_ONLY'; untilAt: string };

/** No maintenance lasts longer, whatever its end says. */
const longestWindowMs = 7 * 24 * 3_600_000;

/** An instant in both clocks of the device: milliseconds since 1970 as its calendar has it, and of its monotonic clock. */
export type Instant = { calendarMs: number; monotonicMs: number };

/**
 * Whether drift may be healed now. A window ends by the calendar or, should somebody set the calendar back, by the monotonic clock:
 * it never lasts longer than it was to last at the start of the guardian.
 */
export function isHealingAllowed(policy: Policy, startedAt: Instant, now: Instant): boolean {
  if (policy.mode === 'HEAL') return true;
  const untilMs = Date.parse(policy.untilAt);
  const lengthMs = Math.min(longestWindowMs, untilMs - startedAt.calendarMs);
  return now.calendarMs >= untilMs || now.monotonicMs - startedAt.monotonicMs >= lengthMs;
}
