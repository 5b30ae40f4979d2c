import { dueChange } from '../../domain/alert/due.ts';
import type { Hold } from '../../domain/maintenance/window.ts';
import { ladderOf } from '../../domain/notify/policy.ts';
import type { Instant } from '../../domain/time.ts';
import type { Decided } from '../commit/commit.ts';
import type { Stored, World } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';
import { holdOfMembers } from './hold.ts';
import { incidentFact } from './incident-written.ts';

/** Decides what is due for an incident, as for an alert (`dueChange`). */
export async function decideIncidentDue(
  world: World,
  stored: Stored<'incidents'>,
  now: Instant,
): Promise<Decided<boolean>> {
  const configuration = await loadConfiguration(world);
  const ladder = ladderOf(stored.data, configuration, now, world.waits);
  const decide = (hold: Hold | null) => dueChange(stored.data, now, ladder, world.waits, hold);
  if (!decide(null)) return { writes: [], wakes: [], answer: false };
  const hold = await holdOfMembers(world, stored.id, configuration, now);
  const change = decide(hold);
  if (!change) return { writes: [], wakes: [], answer: false };
  const fact = { incident: stored.data, stored, change, configuration, at: now };
  const { writes, wakes } = incidentFact(world, fact, { hold });
  return { writes, wakes, answer: writes.length > 0 };
}
