import { everybody } from '../../domain/event/event.ts';
import { type PlaceRecord, placeIdOf } from '../../domain/place/place.ts';
import type { Site, SitesQuery } from '../../schema/place/place.ts';
import { type Bearer, visibleGroups } from '../bearer.ts';
import { listKey, type PageTokens, pageOf } from '../paging/paging.ts';
import type { Filter, World } from '../ports.ts';
import { viewSight } from '../sight/sight.ts';

type SiteReads = Pick<World, 'store' | 'now' | 'waits'>;
/** The site of devices in one group. `site` null: the devices without a site. */
type Spot = { groupId: string; site: string | null };

/** Sorts after every possible id of a device or an alert. */
const lastId = '~';
/** Maximum number of open incidents that are searched, newest first. */
const maxIncidents = 200;

/**
 * Lists sites with their devices, by group. A site that two groups have is two rows with separate counts. Each row costs one read and
 * three counts.
 * @throws AppError `invalid-request` for the page token of another list
 */
export async function listSites(
  world: SiteReads,
  bearer: Bearer,
  query: SitesQuery,
  tokens: PageTokens,
): Promise<{ sites: Site[]; nextPageToken?: string }> {
  const groups = visibleGroups(query.groupId, bearer.groups);
  const asked = { tokens, key: listKey('sites', query, bearer.groups), page: query };
  const read = groups?.length === 0 ? null : spotsOf(world, groups);
  const { items, next } = await pageOf<Spot>(asked, read, ({ groupId, site }) => [groupId, site]);
  return { sites: await describedSites(world, items), ...next };
}

/** Places with their devices and their open incident, in the order of the spots. */
async function describedSites(world: SiteReads, spots: readonly Spot[]): Promise<Site[]> {
  const { state, isSwept } = await viewSight(world);
  const [known, incidents] = await Promise.all([placesOf(world, spots), openIncidents(world)]);
  const isBlind = state === 'blind' || !isSwept;
  const sites = spots.map(async (spot): Promise<Site> => {
    const { groupId } = spot;
    const [kind, id] = placeOf(spot);
    const place = known.get(placeIdOf(kind, id));
    const isOfGroup = place?.groups.includes(groupId) ?? false;
    const incident = incidents.find(
      ({ scope, groups: concerned }) =>
        scope.kind === kind && scope.id === id && (concerned.includes(groupId) || concerned.includes(everybody)),
    );
    return {
      ...{ kind, id, groupId },
      name: isOfGroup ? (place?.name ?? null) : null,
      shared: isOfGroup && (place?.shared ?? false),
      devices: await countsOf(world, spot, isBlind),
      incidentId: incident?.incidentId ?? null,
    };
  });
  return Promise.all(sites);
}

function placeOf({ groupId, site }: Spot): [kind: Site['kind'], id: string] {
  return site === null ? ['group', groupId] : ['site', site];
}

/** Lists sites with one read each: each query starts after the last record of the previous site. */
function spotsOf({ store }: Pick<World, 'store'>, groups: readonly string[] | null) {
  const where: Filter<'devices'>[] = groups ? [{ field: 'groupId', is: 'in', value: groups }] : [];
  return async (limit: number, { after }: { after?: unknown[] }): Promise<Spot[]> => {
    const spots: Spot[] = [];
    let behind = after;
    while (spots.length < limit) {
      const [first] = await store.find({
        in: 'devices',
        where,
        orderBy: [
          ['groupId', 'asc'],
          ['site', 'asc'],
        ],
        limit: 1,
        ...(behind ? { after: [...behind, lastId] } : {}),
      });
      if (!first) break;
      const { groupId, site } = first.data;
      spots.push({ groupId, site });
      behind = [groupId, site];
    }
    return spots;
  };
}

async function placesOf({ store }: Pick<World, 'store'>, spots: readonly Spot[]): Promise<Map<string, PlaceRecord>> {
  const ids = [...new Set(spots.map((spot) => placeIdOf(...placeOf(spot))))];
  const found = ids.length === 0 ? [] : await store.get('places', ids);
  return new Map(found.flatMap((stored) => (stored ? [[stored.id, stored.data]] : [])));
}

async function openIncidents({ store }: Pick<World, 'store'>) {
  const found = await store.find({
    in: 'incidents',
    where: [{ field: 'isOpen', is: '==', value: true }],
    orderBy: [['timestamp', 'desc']],
    limit: maxIncidents,
  });
  return found.map(({ data }) => data);
}

/** While the platform is blind, overdue devices may be online or not, and they are not counted by site. */
async function countsOf({ store }: Pick<World, 'store'>, spot: Spot, isBlind: boolean): Promise<Site['devices']> {
  const where: Filter<'devices'>[] = [
    { field: 'groupId', is: '==', value: spot.groupId },
    { field: 'site', is: '==', value: spot.site },
  ];
  const [total, marked, neverSeen] = await Promise.all([
    store.count({ in: 'devices', where }),
    store.count({ in: 'devices', where: [...where, { field: 'isOnline', is: '==', value: true }] }),
    store.count({ in: 'devices', where: [...where, { field: 'wasHeard', is: '==', value: false }] }),
  ]);
  const offline = Math.max(0, total - marked - neverSeen);
  const [online, unknown] = isBlind ? [null, null] : [marked, 0];
  return { total, online, offline, unknown, neverSeen };
}
