import { everybody } from '../../domain/event/event.ts';
import { withMembers } from '../../domain/incident/gathered.ts';
import {
  guardedAgain,
  guardiansIncident,
  isGrave,
  isGuardedAgain,
  type Unguarded,
} from '../../domain/incident/guardians.ts';
import { thresholds } from '../../domain/limits.ts';
import { allShards } from '../../domain/shards.ts';
import { earliest, type Instant, plus } from '../../domain/time.ts';
import type { Filter, Stored, World } from '../ports.ts';
import type { Gathering, Span } from './gathered.ts';

/** Cameras per sweep that are read because their guardians lost their effect, or have had none for a long time. */
const mostBegun = 400;
/** Cameras that the evidence names. */
const mostNamed = 5;

/** The key of the incident of the whole fleet. No group can have this name. */
const fleet = everybody;

/** Guardians of one or many groups that are silent, cannot read their camera, or refuse its golden configuration. */
export const guardians: Gathering = {
  kind: 'guardians',
  together: { key: fleet, above: thresholds.unguardedGroups },

  async begun(world, { from, until }) {
    const { guardianLasting } = world.waits;
    const before = { from: plus(from, -guardianLasting), until: plus(until, -guardianLasting) };
    const [begun, lasting] = await Promise.all([unguardedIn(world, { from, until }), unguardedIn(world, before)]);
    const upTo = earliest([lastOf(begun), plus(lastOf(lasting) ?? before.until, guardianLasting), until]) ?? until;
    return { keys: [...new Set([...lasting, ...begun].map(({ data }) => data.groupId))], upTo };
  },

  async opened(world, key, horizon) {
    const groupId = key === fleet ? null : key;
    const unguarded = await countOf(world, groupId, horizon);
    if (!isGrave(unguarded)) return null;
    const worst = await world.store.find({
      in: 'devices',
      where: unguardedOf(groupId, horizon),
      orderBy: [['unguardedAt', 'asc']],
      limit: mostNamed,
    });
    const shown = worst.map(({ data }) => data);
    return guardiansIncident(groupId, unguarded, shown, world.now(), world.waits);
  },

  async looked(world, key, incident, { until }) {
    const groupId = key === fleet ? null : key;
    const unguarded = await countOf(world, groupId, until);
    const { now } = unguarded;
    const seen = withMembers(incident, { now, byGroup: groupId === null ? {} : { [groupId]: now } });
    const isOver = isGuardedAgain(seen, unguarded);
    return { incident: isOver ? guardedAgain(seen, world.now()) : seen, isOver };
  },
};

function unguardedIn({ store }: World, { from, until }: Span): Promise<Stored<'devices'>[]> {
  return store.find({
    in: 'devices',
    where: [
      { field: 'shard', is: 'in', value: allShards },
      { field: 'unguardedAt', is: '>', value: from },
      { field: 'unguardedAt', is: '<=', value: until },
    ],
    orderBy: [['unguardedAt', 'asc']],
    limit: mostBegun,
  });
}

/** The time of the last record if a list was cut. Null: it is complete. */
function lastOf(found: readonly Stored<'devices'>[]): Instant | null {
  return found.length < mostBegun ? null : (found.at(-1)?.data.unguardedAt ?? null);
}

/** @param groupId null: the whole fleet */
function unguardedOf(groupId: string | null, at: Instant): Filter<'devices'>[] {
  const inGroup: Filter<'devices'>[] = groupId === null ? [] : [{ field: 'groupId', is: '==', value: groupId }];
  return [{ field: 'shard', is: 'in', value: allShards }, ...inGroup, { field: 'unguardedAt', is: '<=', value: at }];
}

async function countOf({ store, waits }: World, groupId: string | null, horizon: Instant): Promise<Unguarded> {
  const upTo = (at: Instant) => store.count({ in: 'devices', where: unguardedOf(groupId, at) });
  const [now, lasting] = await Promise.all([upTo(horizon), upTo(plus(horizon, -waits.guardianLasting))]);
  return { now, lasting };
}
