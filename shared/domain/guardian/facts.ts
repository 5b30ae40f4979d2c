import { v5 as uuidv5 } from 'uuid';
import type { GuardianAlert } from '../../schema/guardian/guardian-alert.ts';
import { type Chain, chainEndsAt, closedChain, prolonged } from '../chain.ts';
import { thresholds, type Waits } from '../limits.ts';
import { type Instant, toInstant } from '../time.ts';

/** What one guardian alert told, as far as conditions depend on it. */
export type GuardianFact = {
  guardianAlertId: string;
  alertCode: GuardianAlert['alertCode'];
  /** Time of the guardian: orders its own alerts. */
  madeAt: Instant;
  /** Cloud time of publication. */
  at: Instant;
  /** Drifted, restored, or in conflict. */
  fields: string[];
  maxSeverity: string | null;
  conflict: { driftCount: number; window: string; recommendation: string } | null;
};

/** The last guardian alerts of a device in the order of cloud time, and what those before them came to. */
export type GuardianFacts = {
  before: { unhealed: string[]; healed: Chain; conflict: Chain };
  recent: GuardianFact[];
};

export const noGuardianFacts: GuardianFacts = {
  before: { unhealed: [], healed: closedChain, conflict: closedChain },
  recent: [],
};

/** Namespace of guardian alert ids. */
const guardianNamespace = '0b8a2f3e-6c1d-5e47-9f20-7d3c1a5b9e64';

/** Names a guardian alert by what it says, so that one that is sent again is the same record. */
export function guardianAlertIdOf(deviceId: string, alert: GuardianAlert): string {
  return uuidv5(JSON.stringify([deviceId, alert.timestamp, alert.alertCode, alert]), guardianNamespace);
}

/** Puts a guardian alert to the others. Null where it is known, or older than all that is remembered. */
export function withGuardianAlert(
  facts: GuardianFacts,
  alert: GuardianAlert,
  guardianAlertId: string,
  receivedAt: Instant,
  waits: Waits,
): GuardianFacts | null {
  const known = facts.recent.find((fact) => fact.guardianAlertId === guardianAlertId);
  if (known && known.at <= receivedAt) return null;
  const { lastAt } = facts.before.healed;
  if (lastAt !== null && receivedAt < lastAt) return null;
  const fact = factOf(alert, guardianAlertId, receivedAt);
  const recent = [...facts.recent.filter((other) => other !== known), fact].toSorted(byCloudTime);
  const [oldest, ...kept] = recent;
  if (recent.length <= thresholds.guardianKept || !oldest) return { ...facts, recent };
  const before = {
    unhealed: afterFact(facts.before.unhealed, oldest),
    healed: healedAfter(facts.before.healed, oldest, waits),
    conflict: conflictAfter(facts.before.conflict, oldest, waits),
  };
  return { before, recent: kept };
}

/** Fields of critical drifts that no heal has restored. */
export function unhealedFields({ before, recent }: GuardianFacts): string[] {
  return recent.toSorted(byGuardianTime).reduce(afterFact, before.unhealed);
}

/** When it will have been quiet for long enough since the last heal; null without one. */
export function healedEndsAt({ before, recent }: GuardianFacts, waits: Waits): Instant | null {
  const chain = recent.reduce((state, fact) => healedAfter(state, fact, waits), before.healed);
  return chainEndsAt(chain, waits.healedQuiet);
}

/** When it will have been quiet for long enough since the last conflict; null without one. */
export function conflictEndsAt({ before, recent }: GuardianFacts, waits: Waits): Instant | null {
  const chain = recent.reduce((state, fact) => conflictAfter(state, fact, waits), before.conflict);
  return chainEndsAt(chain, waits.conflictQuiet);
}

/** The newest of one kind, by the guardian's own time. */
export function latestFact({ recent }: GuardianFacts, alertCode: GuardianFact['alertCode']): GuardianFact | null {
  return recent.toSorted(byGuardianTime).findLast((fact) => fact.alertCode === alertCode) ?? null;
}

function factOf(alert: GuardianAlert, guardianAlertId: string, receivedAt: Instant): GuardianFact {
  const common = { guardianAlertId, alertCode: alert.alertCode, madeAt: toInstant(alert.timestamp), at: receivedAt };
  switch (alert.alertCode) {
    case 'CONFIG_DRIFT':
      return {
        ...common,
        fields: alert.drift.fields.map(({ name }) => name),
        maxSeverity: alert.drift.maxSeverity,
        conflict: null,
      };
    case 'CONFIG_HEALED':
      return { ...common, fields: alert.heal.fieldsRestored, maxSeverity: null, conflict: null };
    case 'CONFIG_CONFLICT': {
      const { driftCount, window, lastDrift } = alert.conflict;
      const recommendation = alert.recommendation.slice(0, 500);
      return {
        ...common,
        fields: [lastDrift.field],
        maxSeverity: null,
        conflict: { driftCount, window, recommendation },
      };
    }
    default:
      return alert satisfies never;
  }
}

function afterFact(unhealed: string[], { alertCode, maxSeverity, fields }: GuardianFact): string[] {
  if (alertCode === 'CONFIG_HEALED') return unhealed.filter((name) => !fields.includes(name));
  if (alertCode === 'CONFIG_DRIFT' && maxSeverity === 'CRITICAL') return [...new Set([...unhealed, ...fields])];
  return unhealed;
}

function healedAfter(chain: Chain, { alertCode, at }: GuardianFact, waits: Waits): Chain {
  return prolonged(chain, at, alertCode === 'CONFIG_HEALED', waits.healedQuiet);
}

function conflictAfter(chain: Chain, { alertCode, at }: GuardianFact, waits: Waits): Chain {
  // A heal is the end of a drift, not a further one.
  return alertCode === 'CONFIG_HEALED'
    ? chain
    : prolonged(chain, at, alertCode === 'CONFIG_CONFLICT', waits.conflictQuiet);
}

function byCloudTime(a: GuardianFact, b: GuardianFact): number {
  return compareText(a.at + a.guardianAlertId, b.at + b.guardianAlertId);
}

/** A drift and its heal may carry the same time: the drift was first. */
const rank = { CONFIG_DRIFT: 0, CONFIG_CONFLICT: 1, CONFIG_HEALED: 2 };

function byGuardianTime(a: GuardianFact, b: GuardianFact): number {
  const key = (fact: GuardianFact) => `${fact.madeAt} ${rank[fact.alertCode]} ${fact.guardianAlertId}`;
  return compareText(key(a), key(b));
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
