import type { World } from '../../../shared/app/ports.ts';
import { seedIncident } from '../../../shared/domain/incident/incident.ts';
import { channels } from '../../../shared/schema/vocabulary.ts';

/** An open incident of one group. */
export async function giveIncident(
  world: Pick<World, 'store' | 'now'>,
  incidentId: string,
  groupId: string,
  text: string,
): Promise<string> {
  const scope = { kind: 'site', id: 'x', name: text };
  const members = { now: 0, peak: 0, back: 0 };
  const seed = {
    incidentId,
    kind: 'blind' as const,
    groups: [groupId],
    scope,
    title: text,
    message: text,
    members,
    evidence: [text],
  };
  const data = { ...seedIncident(seed, 'ERROR', world.now()), announcedAt: world.now(), channels: [...channels] };
  await world.store.commit([{ kind: 'create', in: 'incidents', id: incidentId, data }]);
  return incidentId;
}
