import type { AlertRecord } from '../alert/alert.ts';
import { canBeMember, type OpenIncident } from '../incident/standing.ts';
import type { Change, DecisionContext, KnownRecords, Needs } from './change.ts';
import { consequencesOf } from './consequences.ts';
import { changedSteps, joinedSteps } from './steps.ts';

/**
 * Everything that follows when an incident takes a loss as its member (`incident`) or releases it (null). Returns null if that is already the case.
 */
export function decideMembership(
  alert: AlertRecord,
  incident: OpenIncident | null,
  why: string,
  known: KnownRecords,
  given: DecisionContext,
): Change | Needs | { kind: 'unchanged' } {
  if (known.configuration === null) return { kind: 'needs', alerts: [], targets: [] };
  if (!alert.isOpen || !canBeMember(alert)) return { kind: 'unchanged' };
  const all = { ...known, configuration: known.configuration };
  if (incident) {
    const steps = joinedSteps(alert, incident, why, all.configuration, given);
    return steps ? consequencesOf([steps], all, given) : { kind: 'unchanged' };
  }
  if (!alert.isMember) return { kind: 'unchanged' };
  const left = changedSteps(alert, { kind: 'leave', why }, 'system', all.configuration, given);
  return left.kind === 'steps' ? consequencesOf([left.steps], all, given) : { kind: 'unchanged' };
}
