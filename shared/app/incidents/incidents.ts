import { everybody } from '../../domain/event/event.ts';
import { concerns, isPartly, isPartOver, toWireIncident } from '../../domain/incident/incident.ts';
import { notFound } from '../../errors.ts';
import type { AlertsQuery } from '../../schema/alert/alert.ts';
import type {
  Incident,
  IncidentExplanation,
  IncidentHistory,
  IncidentNotes,
  IncidentsQuery,
} from '../../schema/incident/incident.ts';
import { explained, newestOf } from '../alerts/explain.ts';
import { listAlerts, statusChoice } from '../alerts/list.ts';
import type { Bearer } from '../bearer.ts';
import { filtersOfChoices, listKey, type Page, type Paged, type PageTokens, pageOfQuery } from '../paging/paging.ts';

import type { Filter, Stored, World } from '../ports.ts';

/** An incident as the API returns it, with the version that `If-Match` refers to. */
export type VersionedIncident = { incident: Incident; version: number };

/**
 * Lists incidents, newest first.
 * @throws AppError `invalid-request` for the page token of another list
 */
export async function listIncidents(
  world: World,
  bearer: Bearer,
  query: IncidentsQuery,
  tokens: PageTokens,
): Promise<{ incidents: Incident[]; nextPageToken?: string }> {
  const key = listKey('incidents', query, bearer.groups);
  const where = filtersOfChoices<'incidents'>(statusChoice(query.status ?? ['open']));
  if (bearer.groups) where.push({ field: 'groups', is: 'array-contains-any', value: [everybody, ...bearer.groups] });
  const { items, next } = await pageOfQuery(
    world,
    { tokens, key, page: query },
    { in: 'incidents', where, orderBy: [['timestamp', 'desc']] },
  );
  const isOpenOnly = (query.status ?? ['open']).every((status) => status !== 'all' && status !== 'resolved');
  const shown = items.filter(({ data }) => !isOpenOnly || !isPartOver(data, bearer.groups));
  return { incidents: shown.map(({ data }) => toWireIncident(data, bearer.groups)), ...next };
}

/** Reads one incident. @throws AppError `not-found`, also where the bearer has none of its groups */
export async function getIncident(world: World, bearer: Bearer, incidentId: string): Promise<VersionedIncident> {
  const { data } = await loadIncident(world, bearer, incidentId);
  return { incident: toWireIncident(data, bearer.groups), version: data.version };
}

export async function loadIncident(world: World, bearer: Bearer, incidentId: string): Promise<Stored<'incidents'>> {
  const [stored = null] = await world.store.get('incidents', [incidentId]);
  if (!stored || !concerns(stored.data, bearer.groups)) throw notFound(`incident ${incidentId}`);
  return stored;
}

/** Lists the alerts that belong to an incident, of the bearer's groups. @throws AppError `not-found` */
export async function listIncidentAlerts(
  world: World,
  bearer: Bearer,
  incidentId: string,
  query: AlertsQuery,
  tokens: PageTokens,
): ReturnType<typeof listAlerts> {
  await loadIncident(world, bearer, incidentId);
  return listAlerts(world, bearer, { status: ['all'], ...query, incidentId: [incidentId] }, tokens);
}

/** Explains who was notified of an incident and who was not, to a bearer who may see all of it. @throws AppError `not-found` */
export async function explainIncident(world: World, bearer: Bearer, incidentId: string): Promise<IncidentExplanation> {
  const { data } = await loadIncident(world, bearer, incidentId);
  const isHidden = isPartly(data, bearer.groups);
  const found = isHidden
    ? []
    : await world.store.find({
        in: 'incidentAudit',
        where: [{ field: 'incidentId', is: '==', value: incidentId }],
        ...newestOf(incidentId, data),
      });
  const entries = found.map((entry) => entry.data);
  return { incidentId, ...(await explained(world, bearer, data, entries)) };
}

/** Lists an incident's trail, oldest first. Who acted and why (a person's note, or evidence) is shown only to a bearer who may see all of it. */
export async function listIncidentHistory(
  world: World,
  bearer: Bearer,
  incidentId: string,
  page: Page,
  tokens: PageTokens,
): Promise<IncidentHistory> {
  const { items, next, isHidden } = await trailPage(world, bearer, incidentId, [], { page, tokens });
  const entries = items.map(({ data: { entryId, at, who, action, from, to, why } }) => {
    const said = isHidden ? { who: 'hidden', why: null } : { who, why };
    return { entryId, incidentId, at, action, from, to, ...said };
  });
  return { entries, ...next };
}

/** Lists the notes of an incident, oldest first. */
export async function listIncidentNotes(
  world: World,
  bearer: Bearer,
  incidentId: string,
  page: Page,
  tokens: PageTokens,
): Promise<IncidentNotes> {
  const isNote: Filter<'incidentAudit'> = { field: 'action', is: '==', value: 'add-note' };
  const { items, next, isHidden } = await trailPage(world, bearer, incidentId, [isNote], { page, tokens });
  if (isHidden) return { notes: [] };
  const notes = items.map(({ data: { entryId, at, who, why } }) => {
    return { noteId: entryId, incidentId, at, author: who, text: why ?? '' };
  });
  return { notes, ...next };
}

async function trailPage(
  world: World,
  bearer: Bearer,
  incidentId: string,
  filters: Filter<'incidentAudit'>[],
  { page, tokens }: { page: Page; tokens: PageTokens },
): Promise<Paged<Stored<'incidentAudit'>> & { isHidden: boolean }> {
  const { data } = await loadIncident(world, bearer, incidentId);
  const key = listKey(`audit of ${incidentId} ${filters.length}`, {}, bearer.groups);
  const where: Filter<'incidentAudit'>[] = [{ field: 'incidentId', is: '==', value: incidentId }, ...filters];
  const paged = await pageOfQuery(world, { tokens, key, page }, { in: 'incidentAudit', where });
  return { ...paged, isHidden: isPartly(data, bearer.groups) };
}
