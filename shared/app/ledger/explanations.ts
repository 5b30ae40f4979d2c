import type { PlatformBlind } from '../../domain/ledger/planned.ts';
import type { WindowRecord } from '../../domain/maintenance/window.ts';
import { earlier, type Instant, plus } from '../../domain/time.ts';
import type { Stored, World } from '../ports.ts';
import { recentConfiguration } from '../settings/configuration.ts';

/** What explains why devices were not seen. */
export type Explanations = { windows: WindowRecord[]; timeZone: string; blind: PlatformBlind[] };

const mostWindows = 500;
const mostBlind = 50;

/** The maintenance windows and the platform's own blindness since the first of the chains goes on. */
export async function loadExplanations(
  world: World,
  heads: readonly Stored<'ledgerHeads'>[],
  horizon: Instant,
): Promise<Explanations> {
  const since = heads.reduce<Instant>((first, { data }) => earlier(data.to, first), horizon);
  const [windows, incidents, { settings }] = await Promise.all([
    world.store.find({
      in: 'windows',
      where: [{ field: 'lastsTo', is: '>', value: since }],
      orderBy: [['lastsTo', 'asc']],
      limit: mostWindows,
    }),
    world.store.find({
      in: 'incidents',
      where: [{ field: 'kind', is: '==', value: 'blind' }],
      orderBy: [['timestamp', 'desc']],
      limit: mostBlind,
    }),
    recentConfiguration(world),
  ]);
  // It is noticed only after some time that nothing comes any more.
  const noticedAfter = world.waits.canaryBlind + world.waits.canaryLags;
  const blind = incidents.flatMap(({ data: { timestamp, endedAt } }) =>
    endedAt === null || endedAt > since ? [{ from: plus(timestamp, -noticedAfter), to: endedAt ?? horizon }] : [],
  );
  return { windows: windows.map(({ data }) => data), timeZone: settings.timeZone, blind };
}
