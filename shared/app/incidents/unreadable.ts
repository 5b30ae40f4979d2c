import { isNearlyNone, withMembers } from '../../domain/incident/gathered.ts';
import { isCommon, readableAgain, unreadableIncident } from '../../domain/incident/unreadable.ts';
import { allShards } from '../../domain/shards.ts';
import { type Instant, plus } from '../../domain/time.ts';
import type { Filter, Stored, World } from '../ports.ts';
import type { Gathering } from './gathered.ts';

/** Cameras per sweep that are read because they reported a fault again, and faults that are counted. */
const mostPerPage = 400;
const mostKeys = 50;

/** Sections of reports that cannot be read, for the same reason, from cameras of one model and firmware. */
export const unreadable: Gathering = {
  kind: 'unreadable',

  async begun({ store }, { from, until }) {
    const found = await store.find({
      in: 'devices',
      where: [
        { field: 'shard', is: 'in', value: allShards },
        { field: 'unreadableAt', is: '>', value: from },
        { field: 'unreadableAt', is: '<=', value: until },
      ],
      orderBy: [['unreadableAt', 'asc']],
      limit: mostPerPage,
    });
    const last = found.length < mostPerPage ? null : (found.at(-1)?.data.unreadableAt ?? null);
    const counts = Map.groupBy(
      found.flatMap(({ data }) => data.faultKeys),
      (key) => key,
    );
    // One camera may report any number of faults, so faults that several cameras report come first.
    const keys = [...counts].toSorted(([, one], [, other]) => other.length - one.length).map(([key]) => key);
    return { keys: keys.slice(0, mostKeys), upTo: last ?? until };
  },

  async opened(world, key, horizon) {
    const from = plus(horizon, -world.waits.unreadableWindow);
    const now = await countOf(world, key, from);
    if (!isCommon({ now, byGroup: {} })) return null;
    const members = await membersOf(world, key, from);
    const [shown] = members;
    const groups = members.map(({ data }) => data.groupId);
    const byGroup = await byGroupOf(world, key, groups, from);
    return shown ? unreadableIncident(key, shown.data, { now, byGroup }, world.now(), world.waits) : null;
  },

  async looked(world, key, incident, { from, until }) {
    const heldFrom = plus(until, -world.waits.unreadableHeld);
    const now = await countOf(world, key, heldFrom);
    const newest = await membersOf(world, key, from);
    const groups = [...Object.keys(incident.byGroup), ...newest.map(({ data }) => data.groupId)];
    const isEverybodys = Object.keys(incident.byGroup).length === 0;
    const byGroup = isEverybodys ? {} : await byGroupOf(world, key, groups, heldFrom);
    const seen = withMembers(incident, { now, byGroup });
    const isOver = isNearlyNone(seen.members);
    return { incident: isOver ? readableAgain(seen, world.now()) : seen, isOver };
  },
};

/**
 * Cameras that reported a fault since a time. There is no upper limit, because a camera's latest record of a lasting fault may be after the horizon.
 */
function keyReported(key: string, from: Instant): Filter<'devices'>[] {
  return [
    { field: 'faultKeys', is: 'array-contains', value: key },
    { field: 'unreadableAt', is: '>', value: from },
  ];
}

function countOf({ store }: World, key: string, from: Instant): Promise<number> {
  return store.count({ in: 'devices', where: keyReported(key, from) });
}

async function byGroupOf(
  { store }: World,
  key: string,
  groups: readonly string[],
  from: Instant,
): Promise<Record<string, number>> {
  const counts = [...new Set(groups)].map(async (groupId): Promise<[string, number]> => {
    const where: Filter<'devices'>[] = [{ field: 'groupId', is: '==', value: groupId }, ...keyReported(key, from)];
    return [groupId, await store.count({ in: 'devices', where })];
  });
  return Object.fromEntries(await Promise.all(counts));
}

function membersOf({ store }: World, key: string, from: Instant): Promise<Stored<'devices'>[]> {
  const where = keyReported(key, from);
  return store.find({ in: 'devices', where, orderBy: [['unreadableAt', 'asc']], limit: mostPerPage });
}
