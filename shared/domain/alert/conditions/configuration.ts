import { conflictEndsAt, healedEndsAt, latestFact, unhealedFields } from '../../guardian/facts.ts';
import type { Condition } from './condition.ts';

export const configurationConditions: readonly Condition[] = [
  {
    code: 'CFG_001',
    fact: 'drift',
    holds: ({ guardian }) => {
      const fields = unhealedFields(guardian);
      if (fields.length === 0) return null;
      return {
        message: `Critical configuration drift: ${named(fields)}`,
        context: { fields, maxSeverity: 'CRITICAL' },
      };
    },
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

/** At most five by name: a message is read by a person. */
function named(fields: readonly string[]): string {
  const shown = fields.slice(0, 5).join(', ');
  return fields.length > 5 ? `${shown} and ${fields.length - 5} more` : shown;
}
