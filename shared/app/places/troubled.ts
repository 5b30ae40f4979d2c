import { toWireAlert } from '../../domain/alert/alert.ts';
import type { SitesQuery, TroubledSite } from '../../schema/place/place.ts';
import type { Severity } from '../../schema/vocabulary.ts';
import { type Bearer, visibleGroups } from '../bearer.ts';
import { listKey, type PageTokens } from '../paging/paging.ts';
import type { Filter, World } from '../ports.ts';
import { describedSites, pageOfSpots, type SiteReads, type Spot } from './sites.ts';

/** Alerts that need somebody: open, and not silenced by a maintenance window. */
const troubling: Filter<'alerts'>[] = [
  { field: 'isOpen', is: '==', value: true },
  { field: 'isMaintained', is: '==', value: false },
];

/**
 * Lists the places with open alerts, by group. Places without alerts cost nothing; each listed place costs at most four reads and five counts.
 * @throws AppError `invalid-request` for the page token of another list
 */
export async function listTroubledSites(
  world: SiteReads,
  bearer: Bearer,
  query: SitesQuery,
  tokens: PageTokens,
): Promise<{ sites: TroubledSite[]; nextPageToken?: string }> {
  const groups = visibleGroups(query.groupId, bearer.groups);
  const asked = { tokens, key: listKey('troubled-sites', query, bearer.groups), page: query };
  const { items, next } = await pageOfSpots(world, asked, groups, { in: 'alerts', where: troubling });
  const [described, troubles] = await Promise.all([
    describedSites(world, items),
    Promise.all(items.map((spot) => troubleOf(world, spot))),
  ]);
  return { sites: described.flatMap((site, index) => ({ ...site, ...(troubles[index] as Trouble) })), ...next };
}

type Trouble = Pick<TroubledSite, 'alerts' | 'oldestUnanswered' | 'respondBy' | 'takenBy'>;

async function troubleOf({ store }: Pick<World, 'store'>, { groupId, site }: Spot): Promise<Trouble> {
  const here: Filter<'alerts'>[] = [
    ...troubling,
    { field: 'groupId', is: '==', value: groupId },
    { field: 'site', is: '==', value: site },
  ];
  const count = (severity: Severity) =>
    store.count({ in: 'alerts', where: [...here, { field: 'severity', is: '==', value: severity }] });
  const first = async (filter: Filter<'alerts'>, [field, direction]: ['timestamp' | 'respondBy', 'asc' | 'desc']) => {
    const found = await store.find({ in: 'alerts', where: [...here, filter], orderBy: [[field, direction]], limit: 1 });
    return found[0]?.data ?? null;
  };
  const [CRITICAL, ERROR, WARNING, unanswered, next, taken] = await Promise.all([
    count('CRITICAL'),
    count('ERROR'),
    count('WARNING'),
    first({ field: 'status', is: 'in', value: ['active', 'escalated'] }, ['timestamp', 'asc']),
    first({ field: 'respondBy', is: '>', value: '' }, ['respondBy', 'asc']),
    first({ field: 'status', is: '==', value: 'acknowledged' }, ['timestamp', 'desc']),
  ]);
  return {
    alerts: { CRITICAL, ERROR, WARNING, INFO: 0 },
    oldestUnanswered: unanswered && toWireAlert(unanswered),
    respondBy: next?.respondBy ?? null,
    takenBy: taken?.acknowledgedBy ?? null,
  };
}
