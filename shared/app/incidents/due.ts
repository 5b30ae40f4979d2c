import { dueChange } from '../../domain/alert/due.ts';
import type { Instant } from '../../domain/time.ts';
import type { Decided } from '../commit/commit.ts';
import { incidentFact } from '../outages/incident-written.ts';
import type { Stored, World } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';

/** The change for which an incident is due, as for an alert: a snooze ends, a response time has passed, or a reminder is sent. */
export async function decideIncidentDue(
  world: World,
  stored: Stored<'incidents'>,
  now: Instant,
): Promise<Decided<boolean>> {
  const configuration = await loadConfiguration(world);
  const change = dueChange(stored.data, now, configuration.settings, world.waits);
  if (!change) return { writes: [], wakes: [], answer: false };
  const { writes, wakes } = incidentFact(world, stored.data, stored, change, configuration, now);
  return { writes, wakes, answer: writes.length > 0 };
}
