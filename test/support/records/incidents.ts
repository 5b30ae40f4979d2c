import type { World } from '../../../shared/app/ports.ts';
import { type IncidentRecord, seedIncident } from '../../../shared/domain/incident/incident.ts';
import { channels } from '../../../shared/schema/vocabulary.ts';
import { startOfTests } from '../world/world.ts';

/** An outage of the group `north` that began at `startOfTests`. It is not stored. */
export function incident(given: Partial<IncidentRecord> = {}): IncidentRecord {
  const seed = {
    incidentId: '22222222-2222-4222-8222-222222222222',
    kind: 'outage' as const,
    groups: ['north'],
    scope: { kind: 'site', id: 'central', name: null },
    title: 'Outage at central',
    message: '3 of 4 cameras at central are dark.',
    members: { now: 0, peak: 0, back: 0 },
    evidence: ['3 of 4 cameras at central dark'],
  };
  return { ...seedIncident(seed, 'CRITICAL', startOfTests), ...given };
}

/** Stores an open incident of one group. */
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
  const opened = { version: 1, announcedAt: world.now(), channels: [...channels] };
  const data = { ...seedIncident(seed, 'ERROR', world.now()), ...opened };
  await world.store.commit([{ kind: 'create', in: 'incidents', id: incidentId, data }]);
  return incidentId;
}
