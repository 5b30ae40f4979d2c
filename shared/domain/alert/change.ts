import type { Taken } from '../settings/ladder.ts';
import type { Plan } from '../settings/rules.ts';
import type { Instant } from '../time.ts';

/** Who changed something: a token's subject, `device`, `system`, `rule:<id>`, `incident:<id>` or `link:<masked address>`. */
export type Actor = string;

/**
 * What happens to an alert. Commands come from people and can be refused. Facts come from devices, clocks and incidents, and are ignored in states
 * where they do not apply.
 */
export type AlertChange =
  | { kind: 'open'; plan: Plan; responseMs: number | null }
  | { kind: 'acknowledge'; comment?: string }
  | { kind: 'resolve'; comment?: string }
  | { kind: 'reopen'; comment?: string }
  | { kind: 'snooze'; until: Instant; comment?: string }
  | { kind: 'unacknowledge' | 'unsnooze'; comment?: string }
  | { kind: 'add-note'; text: string }
  | { kind: 'end'; resolution: 'automatic' | 'superseded'; why: string }
  /** A sighting that the trail records. */
  | { kind: 'see'; why: string }
  | { kind: 'worsen'; why: string }
  | { kind: 'return'; why: string; flapping: boolean; notifyAfter: Instant | null }
  | { kind: 'announce'; why: string }
  /** The acknowledgement can no longer be undone, so everybody who knows of the alert is notified of it. */
  | { kind: 'announce-taken'; why: string }
  /** From now on an incident notifies people instead of the alert (`join`), or no longer does (`leave`). */
  | { kind: 'join'; why: string }
  | { kind: 'leave'; why: string }
  /** The text of an incident has changed. */
  | { kind: 'update'; why: string }
  /** An incident covers more than the last notification said. */
  | { kind: 'widen'; why: string }
  /** Quiet hours that held a message about it have ended. */
  | { kind: 'quiet-end'; why: string; escalated: Taken | null }
  | { kind: 'snooze-end'; why: string }
  /** A maintenance window silences it from now on, or for longer than before. */
  | { kind: 'maintain'; why: string }
  | { kind: 'maintenance-end'; why: string; escalated: Taken | null }
  /** A step of its escalation is taken. */
  | ({ kind: 'escalate'; why: string } & Taken)
  /** The last step is repeated. */
  | ({ kind: 'remind'; why: string } & Taken);
