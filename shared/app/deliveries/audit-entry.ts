import { type AuditFacts, auditRecord, toWireEntry } from '../../domain/audit/entry.ts';
import { publicationOf } from '../../domain/delivery/webhook-events.ts';
import type { Configuration } from '../../domain/notify/configuration.ts';
import type { Wake, World, Write } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';
import { deliveryWakes, publicationWrites } from './wakes.ts';

/** An entry of the audit stream, and its deliveries to the endpoints that subscribe to it. */
export async function entryWrites(
  world: World,
  facts: AuditFacts,
  known?: Configuration | null,
): Promise<{ writes: Write[]; wakes: Wake[] }> {
  const now = world.now();
  const entry = auditRecord(facts, now);
  const configuration = known ?? (await loadConfiguration(world));
  const published = publicationOf({ kind: 'audit', at: now, entry: toWireEntry(entry) }, configuration, now);
  return {
    writes: [{ kind: 'create', in: 'auditStream', id: entry.entryId, data: entry }, ...publicationWrites(published)],
    wakes: deliveryWakes(published.deliveries),
  };
}
