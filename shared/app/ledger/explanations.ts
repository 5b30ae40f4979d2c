import type { PlatformBlind } from '../../domain/ledger/planned.ts';
import type { WindowRecord } from '../../domain/maintenance/window.ts';
import { earlier, type Instant, plus } from '../../domain/time.ts';
import type { Stored, World } from '../ports.ts';
import { recentConfiguration } from '../settings/configuration.ts';

/** Reasons for times in which devices were not seen. */
export type Explanations = { windows: WindowRecord[]; timeZone: string; blind: PlatformBlind[] };

const mostWindows = 500;
const mostBlind = 50;

/** How long it takes at most to notice that the platform is blind. */
export function noticedAfterMs({ waits }: Pick<World, 'waits'>): number {
  return waits.canaryBlind + waits.canaryLags;
}

/** The maintenance windows and the times of blindness since the earliest of the chains' last entries. */
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
  // Missing messages are noticed only after some time.
  const noticedAfter = noticedAfterMs(world);
  const blind = incidents.flatMap(({ data: { timestamp, endedAt } }) =>
    endedAt === null || endedAt > since
      ? [
          {
            from: plus(timestamp, -noticedAfter),
            noticedAt: timestamp,
            to: endedAt ?? horizon,
            isOpen: endedAt === null,
          },
        ]
      : [],
  );
  return { windows: windows.map(({ data }) => data), timeZone: settings.timeZone, blind };
}
