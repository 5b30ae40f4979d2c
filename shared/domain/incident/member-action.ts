import type { AlertChange } from '../alert/change.ts';
import { type Instant, plus } from '../time.ts';
import type { IncidentRecord } from './incident.ts';

/**
 * What an action on an incident, or its end, does to its members, applied in steps after the action. `release`: each member continues by
 * itself.
 */
export type MemberAction = {
  actionId: string;
  incidentId: string;
  change: MemberChange;
  /** The last member that was changed. The next step continues after it. */
  after: string | null;
  steps: number;
  dueAt: Instant;
  version: number;
  expireAt: Instant;
};

export type MemberChange =
  | { kind: 'acknowledge' | 'resolve' | 'reopen' }
  | { kind: 'unacknowledge' | 'unsnooze' }
  | { kind: 'release' }
  /** Losses at its places that no look has judged become members. `places` null: all of the groups. */
  | { kind: 'join'; groups: readonly string[]; places: readonly string[] | null }
  | { kind: 'snooze'; until: Instant };

/** Members that one step changes. */
export const membersOfStep = 100;
const dayMs = 24 * 60 * 60_000;

/** What a change of an incident does to its members. Null: nothing. */
export function memberChangeOf(change: AlertChange): MemberChange | null {
  switch (change.kind) {
    case 'acknowledge':
    case 'resolve':
    case 'reopen':
      return { kind: change.kind };
    case 'unacknowledge':
    case 'unsnooze':
      return { kind: change.kind };
    case 'snooze':
      return { kind: 'snooze', until: change.until };
    case 'end':
      return { kind: 'release' };
    default:
      return null;
  }
}

export function memberAction(
  { incidentId, version }: Pick<IncidentRecord, 'incidentId' | 'version'>,
  change: MemberChange,
  now: Instant,
): MemberAction {
  return {
    actionId: `${incidentId}-${version}-${change.kind}`,
    incidentId,
    change,
    after: null,
    steps: 0,
    dueAt: now,
    version: 1,
    expireAt: plus(now, dayMs),
  };
}

/** Why a loss becomes a member. */
export function joinWords({ title }: Pick<IncidentRecord, 'title'>): string {
  return `It is part of: ${title}`;
}

/** Whether the incident is still as the action left it. A later action has its own step for the members. */
export function stillHolds({ status, snoozedUntil, endedAt }: IncidentRecord, change: MemberChange): boolean {
  switch (change.kind) {
    case 'acknowledge':
      return status === 'acknowledged';
    case 'resolve':
      return status === 'resolved';
    case 'snooze':
      return snoozedUntil === change.until;
    case 'release':
      return endedAt !== null;
    case 'join':
      return endedAt === null;
    case 'unacknowledge':
    case 'unsnooze':
    case 'reopen':
      return status !== 'resolved' && status !== 'acknowledged';
    default:
      return change satisfies never;
  }
}
