import { priorities, type Severity, severities } from '../vocabulary.ts';

type UrgencyBasis = { severity: Severity; timestamp: string };

/** A text by which the most urgent alert sorts first: by severity, then P1 to P5, other priorities and none, then by age. */
export function urgencyOf({ severity, timestamp }: UrgencyBasis, priority: string | null): string {
  const known: readonly string[] = priorities;
  const rank = priority === null ? known.length + 1 : known.indexOf(priority);
  return `${severities.indexOf(severity)}${rank < 0 ? known.length : rank} ${timestamp}`;
}
