import type { AlertAction, AlertStatus } from '../../schema/vocabulary.ts';
import type { RestoredRecord } from '../restored/restored.ts';
import type { EscalationMove } from '../settings/escalation.ts';
import type { Plan } from '../settings/rules.ts';
import type { Instant } from '../time.ts';

/** Who changed something: a token's subject, `device`, `system`, `rule:<id>`, `incident:<id>` or `link:<masked address>`. */
export type Actor = string;

/** Who it was in messages: a person's name from the token, or the masked address that their link was sent to. */
export function actorName(who: Actor): string {
  return who === 'device' ? 'its own report' : who.replace(/^(?:user|link):/, '');
}

/**
 * What happens to an alert. Commands come from people, who are told of a refusal. Facts come from devices, clocks and incidents: where one is refused,
 * nothing happens.
 */
export type AlertChange =
  | { kind: 'open'; plan: Plan; responseMs: number | null }
  /** `since`: who has a part of it, or what it was part of, goes on with it. Whoever is told of it reads that, so that nobody is told again. */
  | { kind: 'acknowledge'; comment?: string; since?: Instant }
  | { kind: 'resolve'; comment?: string }
  | { kind: 'reopen'; comment?: string }
  | { kind: 'snooze'; until: Instant; comment?: string }
  | { kind: 'unacknowledge' | 'unsnooze'; comment?: string }
  | { kind: 'add-note'; text: string }
  | { kind: 'end'; resolution: 'automatic' | 'superseded'; why: string }
  /** Its camera was moved to another group or deleted while it was open. */
  | { kind: 'end'; resolution: 'moved' | 'deleted'; why: string; leftBy?: Actor }
  /** A sighting that the trail records. */
  | { kind: 'see'; why: string }
  | { kind: 'worsen'; why: string }
  /** `awaitsLook`: the next look decides whether it stands alone. */
  | { kind: 'return'; why: string; flapping: boolean; notifyAfter: Instant | null; awaitsLook?: boolean }
  /** `loneOf`: the number of cameras at its place, where it is the only one that is lost. */
  | { kind: 'announce'; why: string; loneOf?: number | null }
  /** The acknowledgement can no longer be undone, so everybody who knows of the alert is notified of it. */
  | { kind: 'announce-taken'; why: string }
  /** From now on an incident notifies people instead of the alert (`join`), or no longer does (`leave`). */
  | { kind: 'join'; why: string }
  | { kind: 'leave'; why: string; loneOf?: number | null }
  /** The text of an incident has changed. */
  | { kind: 'update'; why: string }
  /** An incident covers more than the last notification said. */
  | { kind: 'widen'; why: string }
  /** Part of an outage is back. */
  | { kind: 'recover'; why: string }
  /** Quiet hours that held a message about it have ended. */
  | { kind: 'quiet-end'; why: string; escalated: EscalationMove | null }
  | { kind: 'snooze-end'; why: string }
  /** A maintenance window silences it from now on, or for longer than before. */
  | { kind: 'maintain'; why: string }
  | { kind: 'maintenance-end'; why: string; escalated: EscalationMove | null }
  /** The database was restored: its clocks stood still in the time that is lost. */
  | { kind: 'stand-still'; why: string; lost: Pick<RestoredRecord, 'asOf' | 'quietUntil'> }
  /** A step of its escalation is taken. */
  | ({ kind: 'escalate'; why: string } & EscalationMove)
  /** The last step is repeated. */
  | ({ kind: 'remind'; why: string } & EscalationMove);

/** The contract's table: what a person may do in each state. Viewing the history is possible in every state. */
const actions: Record<AlertStatus, AlertAction[]> = {
  active: ['acknowledge', 'resolve', 'snooze', 'view-history'],
  acknowledged: ['resolve', 'add-note', 'view-history'],
  escalated: ['acknowledge', 'resolve', 'view-history'],
  resolved: ['view-history', 'reopen'],
};

export function availableActions(status: AlertStatus): AlertAction[] {
  return actions[status];
}

/**
 * The state to which each change leads from each state. `same` means that the alert is in that state already. Where a cell is missing, the
 * change is refused.
 */
export const transitions: Record<
  Exclude<AlertChange['kind'], 'open'>,
  Partial<Record<AlertStatus, AlertStatus | 'same'>>
> = {
  acknowledge: { active: 'acknowledged', escalated: 'acknowledged', acknowledged: 'same' },
  resolve: { active: 'resolved', acknowledged: 'resolved', escalated: 'resolved', resolved: 'same' },
  reopen: { resolved: 'active', active: 'same' },
  snooze: { active: 'active' },
  unacknowledge: { acknowledged: 'active', active: 'same', escalated: 'same' },
  unsnooze: { active: 'active' },
  'add-note': { acknowledged: 'acknowledged' },
  end: { active: 'resolved', acknowledged: 'resolved', escalated: 'resolved' },
  // `goneOn` replaces this by the state that the alert had when its condition ended.
  return: { resolved: 'active' },
  see: { active: 'active', acknowledged: 'acknowledged', escalated: 'escalated' },
  worsen: { active: 'active', acknowledged: 'acknowledged', escalated: 'escalated', resolved: 'active' },
  // An acknowledged alert whose condition returns can wait for a possible heal too. Its `announce` then goes to endpoints, not to people.
  announce: { active: 'active', acknowledged: 'acknowledged', escalated: 'escalated' },
  'announce-taken': { acknowledged: 'acknowledged' },
  join: { active: 'active', acknowledged: 'acknowledged', escalated: 'escalated' },
  // `left` replaces this by `active`, unless a person acknowledged this alert itself and not its incident.
  leave: { active: 'active', acknowledged: 'acknowledged', escalated: 'active' },
  update: { active: 'active', acknowledged: 'acknowledged', escalated: 'escalated', resolved: 'resolved' },
  widen: { active: 'active', acknowledged: 'acknowledged', escalated: 'escalated', resolved: 'resolved' },
  recover: { active: 'active', acknowledged: 'acknowledged', escalated: 'escalated', resolved: 'resolved' },
  'snooze-end': { active: 'active' },
  'quiet-end': { active: 'active', escalated: 'escalated' },
  maintain: { active: 'active', acknowledged: 'acknowledged', escalated: 'escalated' },
  'maintenance-end': { active: 'active', acknowledged: 'acknowledged', escalated: 'escalated' },
  'stand-still': { active: 'active', acknowledged: 'acknowledged', escalated: 'escalated' },
  escalate: { active: 'escalated', escalated: 'escalated' },
  remind: { escalated: 'escalated' },
};
