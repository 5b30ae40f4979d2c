import { holdOn } from '../../domain/change/alert-steps.ts';
import type { Hold } from '../../domain/maintenance/window.ts';
import type { Configuration } from '../../domain/notify/configuration.ts';
import type { Instant } from '../../domain/time.ts';
import type { Stored, World } from '../ports.ts';

/** Members that are read at once. The first one for whom no window holds ends the search: mostly that is the first of all. */
const membersAtOnce = 200;

/** The maintenance window that keeps an incident quiet: all its open members are under one, and this ends first. Null: somebody must hear of it. */
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
    const members: Stored<'alerts'>[] = await store.find({
      in: 'alerts',
      where: [
        { field: 'incidentId', is: '==', value: incidentId },
        { field: 'isOpen', is: '==', value: true },
      ],
      limit: membersAtOnce,
      ...(after === null ? {} : { after: [after] }),
    });
    for (const { data } of members) {
      const hold = holdOn(data, configuration, now);
      if (hold === null) return null;
      if (first === null || hold.until < first.until) first = hold;
    }
    after = members.at(-1)?.id ?? null;
    if (members.length < membersAtOnce) return first;
  }
}
