import type { Sample } from '../../domain/metrics/exposition.ts';
import { allShards } from '../../domain/shards.ts';
import { type DeviceState, deviceStates } from '../../schema/vocabulary.ts';
import { sideBySide } from '../commit/side-by-side.ts';
import type { Filter, World } from '../ports.ts';
import { viewSight } from '../sight/sight.ts';

/** Groups with series of their own. The rest of the fleet is counted together. */
export const mostGroups = 500;
const otherGroups = 'other';
/** Sorts after every possible device id. */
const lastId = '~';

/** The first groups that have a device, in order. One read per group: each query starts after the previous group. */
export async function groupsOfFleet({ store }: Pick<World, 'store'>): Promise<string[]> {
  const groups: string[] = [];
  while (groups.length < mostGroups) {
    const last = groups.at(-1);
    const [first] = await store.find({
      in: 'devices',
      orderBy: [['groupId', 'asc']],
      limit: 1,
      ...(last === undefined ? {} : { after: [last, lastId] }),
    });
    if (!first) break;
    groups.push(first.data.groupId);
  }
  return groups;
}

type DeviceCounts = Record<DeviceState, number>;

/**
 * Devices by group and state.
 * @param named the groups with series of their own
 * @param isWhole whether these are all groups that the bearer may see
 */
export async function deviceSamples(world: World, named: readonly string[], isWhole: boolean): Promise<Sample[]> {
  // A group with the name of the rest counts as part of it, because two series must not have the same labels.
  const groups = isWhole ? named : named.filter((group) => group !== otherGroups);
  const count = await createCounter(world);
  const counts = new Map<string, DeviceCounts>();
  await sideBySide(groups, async (groupId) => {
    counts.set(groupId, await count([{ field: 'groupId', is: '==', value: groupId }]));
  });
  const samples = groups.flatMap((group) => samplesOf(group, counts.get(group)));
  if (isWhole) return samples;
  const all = await count([]);
  // Devices may change group or state during the count, so the difference could be negative.
  const rest = (state: DeviceState) =>
    Math.max(0, all[state] - [...counts.values()].reduce((sum, each) => sum + each[state], 0));
  const others = Object.fromEntries(deviceStates.map((state) => [state, rest(state)])) as DeviceCounts;
  return [...samples, ...samplesOf(otherGroups, others)];
}

function samplesOf(group: string, counts: DeviceCounts | undefined): Sample[] {
  return counts ? deviceStates.map((state) => ({ labels: { group, state }, value: counts[state] })) : [];
}

/** Counts devices by state. While the platform is blind, overdue devices count as unknown; while no sweep runs, all devices that were online do. */
async function createCounter(world: World): Promise<(where: Filter<'devices'>[]) => Promise<DeviceCounts>> {
  const { store } = world;
  const now = world.now();
  const { state, isSwept } = await viewSight(world);
  return async (where) => {
    const overdue: Filter<'devices'>[] = [
      ...where,
      { field: 'shard', is: 'in', value: allShards },
      { field: 'silentAt', is: '<=', value: now },
    ];
    const [total, marked, unheard, silent] = await Promise.all([
      store.count({ in: 'devices', where }),
      store.count({ in: 'devices', where: [...where, { field: 'isOnline', is: '==', value: true }] }),
      store.count({ in: 'devices', where: [...where, { field: 'wasHeard', is: '==', value: false }] }),
      state === 'blind' && isSwept ? store.count({ in: 'devices', where: overdue }) : 0,
    ]);
    const unknown = isSwept ? Math.min(marked, silent) : marked;
    const offline = Math.max(0, total - marked - unheard);
    return { online: marked - unknown, offline, unknown, 'never-seen': unheard };
  };
}
