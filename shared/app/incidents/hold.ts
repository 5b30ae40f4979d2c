import { holdOn } from '../../domain/change/steps.ts';
import type { Hold } from '../../domain/maintenance/window.ts';
import type { Configuration } from '../../domain/notify/configuration.ts';
import type { Instant } from '../../domain/time.ts';
import type { Stored, World } from '../ports.ts';

/** Members read per query. The search ends at the first member that no window silences, usually the very first. */
const membersAtOnce = 200;

/**
 * The maintenance window that silences an incident: every open member is in a window, and this one ends first. Null: at least one member is in none,
 * so somebody must be notified.
 */
export async function holdOfMembers(
  { store }: Pick<World, 'store'>,
  incidentId: string,
  configuration: Configuration,
  now: Instant,
): Promise<Hold | null> {
  if (configuration.windows.length === 0) return null;
  let first: Hold | null = null;
  let after: string | null = null;
  for (;;) {
    const members = await membersAfter(store, incidentId, after);
    const holds = members.map(({ data }) => holdOn(data, configuration, now)).filter((hold) => hold !== null);
    if (holds.length < members.length) return null;
    first = holds.reduce(sooner, first);
    after = members.at(-1)?.id ?? null;
    if (members.length < membersAtOnce) return first;
  }
}

function membersAfter(store: World['store'], incidentId: string, after: string | null): Promise<Stored<'alerts'>[]> {
  return store.find({
    in: 'alerts',
    where: [
      { field: 'incidentId', is: '==', value: incidentId },
      { field: 'isOpen', is: '==', value: true },
    ],
    limit: membersAtOnce,
    ...(after === null ? {} : { after: [after] }),
  });
}

function sooner(first: Hold | null, hold: Hold): Hold {
  return first === null || hold.until < first.until ? hold : first;
}
