import { conflictEndsAt, healedEndsAt, latestFact, type Unhealed, unhealedOf } from '../../guardian/facts.ts';
import { thresholds, type Waits } from '../../limits.ts';
import { earliest, type Instant, plus } from '../../time.ts';
import type { Condition } from './condition.ts';

export const configurationConditions: readonly Condition[] = [
  {
    code: 'CFG_001',
    fact: 'drift',
    holds: ({ guardian }, now, waits) => {
      const unhealed = unhealedOf(guardian);
      const isCritical = unhealed.fields.some((field) => field.isCritical);
      const reason = lastingReason(unhealed, now, waits);
      if (!isCritical && reason === null) return null;
      const fields = unhealed.fields.flatMap(({ name, ...field }) =>
        reason !== null || field.isCritical ? [name] : [],
      );
      const why = reason === null ? '' : `, ${reason}`;
      return {
        message: `Critical configuration drift: ${named(fields)}${why}`,
        context: { fields, maxSeverity: isCritical ? 'CRITICAL' : 'HIGH', ...(reason === null ? {} : { reason }) },
      };
    },
    changesAt: ({ guardian }, waits) => [unhealedTooLongAt(unhealedOf(guardian), waits)],
  },
  {
    code: 'CFG_002',
    fact: 'heal',
    holds: ({ guardian }, now, waits) => {
      const endsAt = healedEndsAt(guardian, waits);
      if (endsAt === null || now >= endsAt) return null;
      const fieldsRestored = latestFact(guardian, 'CONFIG_HEALED')?.fields ?? [];
      const what = fieldsRestored.length > 0 ? `: ${named(fieldsRestored)} restored` : '';
      return { message: `Configuration healed automatically${what}`, context: { fieldsRestored } };
    },
    changesAt: ({ guardian }, waits) => [healedEndsAt(guardian, waits)],
  },
  {
    code: 'CFG_003',
    fact: 'conflict',
    holds: ({ guardian }, now, waits) => {
      const endsAt = conflictEndsAt(guardian, waits);
      if (endsAt === null || now >= endsAt) return null;
      const fact = latestFact(guardian, 'CONFIG_CONFLICT');
      const message = 'Configuration conflict: repeated drift';
      if (!fact?.conflict) return { message, context: {} };
      const { driftCount, window, recommendation } = fact.conflict;
      return {
        message: `${message} of ${named(fact.fields)}, ${driftCount} times within ${window}`,
        context: { fields: fact.fields, driftCount, window, recommendation },
      };
    },
    changesAt: ({ guardian }, waits) => [conflictEndsAt(guardian, waits)],
  },
];

/** Why a drift that should be healed by now is critical, whatever the severity of its fields. Null: it may still heal. */
function lastingReason(unhealed: Unhealed, now: Instant, waits: Waits): string | null {
  if (unhealed.failures >= thresholds.healFailures) return `the guardian failed ${unhealed.failures} times to heal it`;
  const tooLongAt = unhealedTooLongAt(unhealed, waits);
  return tooLongAt !== null && now >= tooLongAt ? 'not healed within 10 minutes' : null;
}

function unhealedTooLongAt({ fields }: Unhealed, waits: Waits): Instant | null {
  const since = earliest(fields.map((field) => field.since));
  return since && plus(since, waits.healPatience);
}

/** Names at most five fields, because a person reads the message. */
function named(fields: readonly string[]): string {
  const shown = fields.slice(0, 5).join(', ');
  return fields.length > 5 ? `${shown} and ${fields.length - 5} more` : shown;
}
