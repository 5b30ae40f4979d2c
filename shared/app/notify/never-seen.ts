import { teamsOfUnheard, unheardText } from '../../domain/notify/never-seen.ts';
import { dateText, localDateAt, localTimeAt } from '../../domain/settings/local-time.ts';
import { inOrder } from '../../domain/settings/rules.ts';
import { type Instant, plus } from '../../domain/time.ts';
import { decideAndCommit } from '../commit/commit.ts';
import { noticeOf } from '../commit/notice.ts';
import { withSiteNames } from '../messages/site-names.ts';
import type { World } from '../ports.ts';
import { recentConfiguration } from '../settings/configuration.ts';

/** How long after its registration a camera is missed. Never scaled: people mount cameras by the calendar. */
const missedAfterMs = 24 * 60 * 60_000;
/** The local hour from which digests are sent. */
const fromHour = 8;
/** A busy sweep comes to this late. */
const lookedMinutes = 5;
const mostDevices = 400;

/**
 * Tells each team, once a day in the morning, of its cameras that were registered more than a day ago and were never heard of. Looks in the first minutes
 * of each hour, so that a day is told although the sweep stood still in the morning.
 * @returns how many teams it told
 */
export async function tellOfUnheard(world: World): Promise<number> {
  const now = world.now();
  if (new Date(now).getUTCMinutes() >= lookedMinutes) return 0;
  const { settings, rules } = await recentConfiguration(world);
  const { timeZone } = settings;
  if (localTimeAt(now, timeZone).minuteOfDay < fromHour * 60) return 0;
  const { devices, isMore } = await unheardAt(world, now);
  const teams = teamsOfUnheard(devices, inOrder(rules), settings, now);
  const day = dateText(localDateAt(now, timeZone));
  let told = 0;
  for (const [team, own] of teams) {
    const noticeId = `never-seen-${day}-${team}`;
    const isNew = await decideAndCommit(world, async () => {
      const [known = null] = await world.store.get('notices', [noticeId]);
      if (known) return { writes: [], wakes: [], answer: false };
      const text = unheardText(await withSiteNames(world, own), isMore);
      const { write, wake } = noticeOf({ noticeId, kind: 'never-seen', team, text }, now);
      return { writes: [write], wakes: [wake], answer: true };
    });
    if (isNew) told += 1;
  }
  return told;
}

async function unheardAt({ store }: World, now: Instant) {
  const found = await store.find({
    in: 'devices',
    where: [
      { field: 'wasHeard', is: '==', value: false },
      { field: 'registeredAt', is: '<=', value: plus(now, -missedAfterMs) },
    ],
    orderBy: [['registeredAt', 'asc']],
    limit: mostDevices + 1,
  });
  return { devices: found.slice(0, mostDevices).map(({ data }) => data), isMore: found.length > mostDevices };
}
