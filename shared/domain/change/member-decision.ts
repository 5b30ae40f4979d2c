import type { AlertRecord } from '../alert/alert.ts';
import { type Change, type DecisionContext, type KnownRecords, type Needs, noChange } from './change.ts';
import { consequencesOf } from './consequences.ts';
import { changedSteps, joinedSteps, type OpenIncident, type Steps } from './steps.ts';

/**
 * Everything that follows when a look finds that losses belong to an incident (`incident`), or that each stands alone (null). What is over, or is so
 * already, does not change.
 */
export function decideMembership(
  alerts: readonly AlertRecord[],
  incident: OpenIncident | null,
  why: string,
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
    const alone = changedSteps(alert, { kind, why }, 'system', configuration, given);
    return alone.kind === 'steps' ? alone.steps : null;
  };
  const lives = alerts.flatMap((alert) => {
    const steps = stepsOf(alert);
    return steps ? [steps] : [];
  });
  return lives.length === 0 ? noChange() : consequencesOf(lives, { ...known, configuration }, given);
}
