import { dueChange } from '../../domain/alert/due.ts';
import { decideOneAlert } from '../../domain/change/decide.ts';
import type { Instant } from '../../domain/time.ts';
import { decided, nothingRead } from '../change/written.ts';
import type { Decided } from '../commit/commit.ts';
import type { Stored, World } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';

/** The change that an alert is due for: a snooze ends, a response time has passed, a reminder goes out. */
export async function decideAlertDue(world: World, stored: Stored<'alerts'>, now: Instant): Promise<Decided<boolean>> {
  const nothing = { writes: [], wakes: [], answer: false };
  const configuration = await loadConfiguration(world);
  const alert = stored.data;
  const change = dueChange(alert, now, configuration.settings, world.waits);
  if (!change || change.kind === 'open') return nothing;
  const read = { ...nothingRead, configuration, alerts: new Map([[stored.id, stored]]) };
  const outcome = await decided(world, read, now, (known, given) =>
    decideOneAlert(alert, change, 'system', known, given),
  );
  return outcome.kind === 'change' ? { writes: outcome.writes, wakes: outcome.wakes, answer: true } : nothing;
}
