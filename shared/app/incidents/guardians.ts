import { withMembers } from '../../domain/incident/gathered.ts';
import {
  guardedAgain,
  guardiansIncident,
  isGrave,
  isGuardedAgain,
  type Unguarded,
} from '../../domain/incident/guardians.ts';
import { allShards } from '../../domain/shards.ts';
import { earliest, type Instant, plus } from '../../domain/time.ts';
import type { Filter, Stored, World } from '../ports.ts';
import type { Gathering, Span } from './gathered.ts';

/** Cameras that one sweep reads whose guardians have come to be of no effect, or have been so for long. */
const mostBegun = 400;
/** Cameras that the evidence names. */
const mostNamed = 5;

/** Guardians of a group that are silent, cannot read their camera, or refuse its golden configuration. */
export const guardians: Gathering = {
  kind: 'guardians',

  async begun(world, { from, until }) {
    const { guardianLasting } = world.waits;
    const before = { from: plus(from, -guardianLasting), until: plus(until, -guardianLasting) };
    const [begun, lasting] = await Promise.all([unguardedIn(world, { from, until }), unguardedIn(world, before)]);
    const upTo = earliest([lastOf(begun), plus(lastOf(lasting) ?? before.until, guardianLasting), until]) ?? until;
    return { keys: [...new Set([...lasting, ...begun].map(({ data }) => data.groupId))], upTo };
  },

  async opened(world, groupId, horizon) {
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

  async looked(world, groupId, incident, { until }) {
    const unguarded = await countOf(world, groupId, until);
    const { now } = unguarded;
    const seen = withMembers(incident, { now, byGroup: { [groupId]: now } });
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

/** Where a list was cut; null: it is whole. */
function lastOf(found: readonly Stored<'devices'>[]): Instant | null {
  return found.length < mostBegun ? null : (found.at(-1)?.data.unguardedAt ?? null);
}

function unguardedOf(groupId: string, at: Instant): Filter<'devices'>[] {
  return [
    { field: 'shard', is: 'in', value: allShards },
    { field: 'groupId', is: '==', value: groupId },
    { field: 'unguardedAt', is: '<=', value: at },
  ];
}

async function countOf({ store, waits }: World, groupId: string, horizon: Instant): Promise<Unguarded> {
  const upTo = (at: Instant) => store.count({ in: 'devices', where: unguardedOf(groupId, at) });
  const [now, lasting] = await Promise.all([upTo(horizon), upTo(plus(horizon, -waits.guardianLasting))]);
  return { now, lasting };
}
