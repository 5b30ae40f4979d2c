import { v5 as uuidv5 } from 'uuid';
import type { GuardianAlert } from '../../schema/guardian/guardian-alert.ts';
import { type Chain, chainEndsAt, closedChain, prolonged } from '../chain.ts';
import { thresholds, type Waits } from '../limits.ts';
import { earlier, type Instant, toInstant } from '../time.ts';

/**
 * What a guardian reports by events: `RESTORED`: the configuration is correct again although the guardian did not heal it; `HEAL_FAILED`: a
 * heal did not succeed.
 */
type GuardianEventCode = 'RESTORED' | 'HEAL_FAILED';

/** The part of one guardian alert that conditions depend on. */
export type GuardianFact = {
  guardianAlertId: string;
  alertCode: GuardianAlert['alertCode'] | GuardianEventCode;
  /** Time of the guardian's clock. It orders the guardian's own alerts. */
  madeAt: Instant;
  /** Cloud time of publication. */
  at: Instant;
  /** Fields that drifted, were restored, or are in conflict. */
  fields: string[];
  /** The guardian signed it. */
  isSigned?: boolean;
  maxSeverity: string | null;
  conflict: { driftCount: number; window: string; recommendation: string } | null;
};

/** Fields of severe drifts that nothing has restored: since when, how severe, and how often a heal has failed meanwhile. */
export type DriftState = { fields: UnhealedField[]; failures: number };
/** `isSigned`: the guardian signed that the field drifted, so only a heal that it signed counts. */
type UnhealedField = { name: string; isCritical: boolean; since: Instant; isSigned?: boolean };
const allWell: DriftState = { fields: [], failures: 0 };

/** The last guardian alerts of a device in the order of cloud time, and the state that follows from those before them. */
export type GuardianFacts = {
  before: { unhealed: DriftState; healed: Chain; conflict: Chain };
  recent: GuardianFact[];
};

export const noGuardianFacts: GuardianFacts = {
  before: { unhealed: allWell, healed: closedChain, conflict: closedChain },
  recent: [],
};

/** Namespace of guardian alert ids. */
const guardianNamespace = '0b8a2f3e-6c1d-5e47-9f20-7d3c1a5b9e64';

/** Identifies a guardian alert by its content, so that one that is sent again is the same record. */
export function guardianAlertIdOf(deviceId: string, alert: GuardianAlert): string {
  return uuidv5(JSON.stringify([deviceId, alert.timestamp, alert.alertCode, alert]), guardianNamespace);
}

/** Adds a guardian alert. Null where it is known already, or older than all that are kept. */
export function withGuardianAlert(
  facts: GuardianFacts,
  alert: GuardianAlert,
  {
    guardianAlertId,
    receivedAt,
    isSigned = false,
  }: { guardianAlertId: string; receivedAt: Instant; isSigned?: boolean },
  waits: Waits,
): GuardianFacts | null {
  const fact = factOf(alert, guardianAlertId, receivedAt);
  return withFact(facts, isSigned ? { ...fact, isSigned } : fact, waits);
}

const eventCodes: Record<string, GuardianEventCode> = {
  configuration_restored: 'RESTORED',
  guardian_heal_failed: 'HEAL_FAILED',
};

/** Adds an event of the guardian. Null where it is not about a drift, or adds nothing. */
export function withGuardianEvent(
  facts: GuardianFacts,
  { type, timestamp }: { type: string; timestamp: string },
  eventId: string,
  receivedAt: Instant,
  waits: Waits,
): GuardianFacts | null {
  const alertCode = Object.hasOwn(eventCodes, type) ? eventCodes[type] : undefined;
  if (alertCode === undefined) return null;
  const made = { guardianAlertId: eventId, alertCode, madeAt: toInstant(timestamp), at: receivedAt };
  return withFact(facts, { ...made, fields: [], maxSeverity: null, conflict: null }, waits);
}

function withFact(facts: GuardianFacts, fact: GuardianFact, waits: Waits): GuardianFacts | null {
  const known = facts.recent.find(({ guardianAlertId }) => guardianAlertId === fact.guardianAlertId);
  if (known && known.at <= fact.at) return null;
  const { lastAt } = facts.before.healed;
  if (lastAt !== null && fact.at < lastAt) return null;
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

/** The severe drifts that nothing has restored. */
export function unhealedOf({ before, recent }: GuardianFacts): DriftState {
  return recent.toSorted(byGuardianTime).reduce(afterFact, before.unhealed);
}

/** When it has been quiet for long enough since the last heal. Null where there was no heal. */
export function healedEndsAt({ before, recent }: GuardianFacts, waits: Waits): Instant | null {
  const chain = recent.reduce((state, fact) => healedAfter(state, fact, waits), before.healed);
  return chainEndsAt(chain, waits.healedQuiet);
}

/** When it has been quiet for long enough since the last conflict. Null where there was no conflict. */
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

function afterFact(unhealed: DriftState, fact: GuardianFact): DriftState {
  const { fields, isSigned = false } = fact;
  const isProven = (field: UnhealedField) => isSigned || !field.isSigned;
  switch (fact.alertCode) {
    case 'RESTORED':
      return withoutFields(unhealed, isProven);
    case 'HEAL_FAILED':
      return unhealed.fields.length === 0 ? unhealed : { ...unhealed, failures: unhealed.failures + 1 };
    case 'CONFIG_HEALED':
      return withoutFields(unhealed, (field) => fields.includes(field.name) && isProven(field));
    case 'CONFIG_DRIFT':
      return withDrift(unhealed, fact);
    default:
      return unhealed;
  }
}

function withoutFields(unhealed: DriftState, isHealed: (field: UnhealedField) => boolean): DriftState {
  const left = unhealed.fields.filter((field) => !isHealed(field));
  return left.length === 0 ? allWell : { ...unhealed, fields: left };
}

/** Only severe drifts must be healed. An unknown severity counts as HIGH. */
function withDrift(unhealed: DriftState, { maxSeverity, fields, at, isSigned }: GuardianFact): DriftState {
  if (maxSeverity === 'MEDIUM' || maxSeverity === 'LOW') return unhealed;
  const isCritical = maxSeverity === 'CRITICAL';
  const drifts = new Map(unhealed.fields.map((field) => [field.name, field]));
  for (const name of fields) {
    const known = drifts.get(name);
    const since = known ? earlier(known.since, at) : at;
    const signed = isSigned || known?.isSigned ? { isSigned: true } : {};
    drifts.set(name, { name, isCritical: isCritical || known?.isCritical === true, since, ...signed });
  }
  return { ...unhealed, fields: [...drifts.values()] };
}

function healedAfter(chain: Chain, { alertCode, at }: GuardianFact, waits: Waits): Chain {
  if (isEvent(alertCode)) return chain;
  return prolonged(chain, at, alertCode === 'CONFIG_HEALED', waits.healedQuiet);
}

function conflictAfter(chain: Chain, { alertCode, at }: GuardianFact, waits: Waits): Chain {
  // A heal ends a drift and is not a further one.
  return alertCode === 'CONFIG_HEALED' || isEvent(alertCode)
    ? chain
    : prolonged(chain, at, alertCode === 'CONFIG_CONFLICT', waits.conflictQuiet);
}

function isEvent(alertCode: GuardianFact['alertCode']): boolean {
  return alertCode === 'RESTORED' || alertCode === 'HEAL_FAILED';
}

function byCloudTime(a: GuardianFact, b: GuardianFact): number {
  return compareText(a.at + a.guardianAlertId, b.at + b.guardianAlertId);
}

/** Order of alerts with the same time. A drift and its heal can have the same time, and the drift came first. */
const rank = { CONFIG_DRIFT: 0, HEAL_FAILED: 1, CONFIG_CONFLICT: 1, CONFIG_HEALED: 2, RESTORED: 3 };

function byGuardianTime(a: GuardianFact, b: GuardianFact): number {
  const key = (fact: GuardianFact) => `${fact.madeAt} ${rank[fact.alertCode]} ${fact.guardianAlertId}`;
  return compareText(key(a), key(b));
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
