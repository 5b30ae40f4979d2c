import { keepEntry } from '../audit/trail.ts';
import type { World } from '../ports.ts';

/** What was done to a database by whoever operates the service. `entryId` makes a repetition harmless. */
export type Evidence = { entryId: string; action: 'restoreDatabase' | 'drillRestore'; database: string; facts: object };

/** Keeps in the audit stream that a restore, or a drill of one, was done: when, from what, how long and what was checked. */
export async function keepEvidence(world: World, { entryId, action, database, facts }: Evidence): Promise<void> {
  const [known] = await world.store.get('auditStream', [entryId]);
  if (known) return;
  await keepEntry(world, {
    ...{ entryId, action, outcome: 'done', subject: 'system:operations' },
    ...{ resourceKind: 'databases', resourceId: database, change: { before: null, after: facts } },
  });
}
