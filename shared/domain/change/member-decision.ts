import type { AlertRecord } from '../alert/alert.ts';
import { type Change, type DecisionContext, type KnownRecords, type Needs, noChange } from './change.ts';
import { consequencesOf } from './consequences.ts';
import { changedSteps, joinedSteps, type OpenIncident, type Steps } from './steps.ts';

/** What a look found of losses: the incident that they belong to, or null where each stands alone, then with the number of cameras at its place. */
export type LookFinding = { incident: OpenIncident | null; loneOf?: ReadonlyMap<string, number>; why: string };

/** Everything that follows when a look has judged losses. What is over, or is so already, does not change. */
export function decideMembership(
  alerts: readonly AlertRecord[],
  { incident, loneOf, why }: LookFinding,
  known: KnownRecords,
  given: DecisionContext,
): Change | Needs {
  const { configuration } = known;
  if (configuration === null) return { kind: 'needs', alerts: [], targets: [] };
  const stepsOf = (alert: AlertRecord): Steps | null => {
    if (!alert.isOpen) return null;
    if (incident) return joinedSteps(alert, incident, why, configuration, given);
    if (!alert.isMember && !alert.awaitsLook) return null;
    const kind = alert.isMember ? 'leave' : 'announce';
    const change = { kind, why, loneOf: loneOf?.get(alert.alertId) ?? null } as const;
    const alone = changedSteps(alert, change, 'system', configuration, given);
    return alone.kind === 'steps' ? alone.steps : null;
  };
  const lives = alerts.flatMap((alert) => {
    const steps = stepsOf(alert);
    return steps ? [steps] : [];
  });
  return lives.length === 0 ? noChange() : consequencesOf(lives, { ...known, configuration }, given);
}
