import type { AuditEntry } from '../../domain/alert/lifecycle.ts';
import type { HistoryEntry, Note } from '../../schema/alert/life.ts';
import type { Bearer } from '../bearer.ts';
import { listKey, type Page, type Paged, type PageTokens, pageOfQuery } from '../paging/paging.ts';
import type { Filter, Reads, Stored } from '../ports.ts';
import { loadAlert } from './actions.ts';

/** Lists an alert's audit trail, oldest first. @throws AppError `not-found`; `invalid-request` for the page token of another list */
export async function listHistory(
  world: Reads<'alerts' | 'audit'>,
  bearer: Bearer,
  alertId: string,
  page: Page,
  tokens: PageTokens,
): Promise<{ entries: HistoryEntry[]; nextPageToken?: string }> {
  const { items, next } = await trailPage(world, bearer, alertId, [], { page, tokens });
  const entries = items.map(({ data: { entryId, at, who, action, from, to, why } }) => ({
    entryId,
    alertId,
    at,
    who,
    action,
    from,
    to,
    why,
  }));
  return { entries, ...next };
}

/** Lists the notes of an alert, oldest first: the entries of its trail that have a note. */
export async function listNotes(
  world: Reads<'alerts' | 'audit'>,
  bearer: Bearer,
  alertId: string,
  page: Page,
  tokens: PageTokens,
): Promise<{ notes: Note[]; nextPageToken?: string }> {
  const isNote: Filter<'audit'> = { field: 'action', is: '==', value: 'add-note' };
  const { items, next } = await trailPage(world, bearer, alertId, [isNote], { page, tokens });
  return { notes: items.map(({ data }) => noteOf(data)), ...next };
}

function noteOf({ entryId, alertId, at, who, why }: AuditEntry): Note {
  return { noteId: entryId, alertId, at, author: who, text: why ?? '' };
}

async function trailPage(
  world: Reads<'alerts' | 'audit'>,
  bearer: Bearer,
  alertId: string,
  filters: Filter<'audit'>[],
  { page, tokens }: { page: Page; tokens: PageTokens },
): Promise<Paged<Stored<'audit'>>> {
  await loadAlert(world, bearer, alertId);
  const key = listKey(`audit of ${alertId} ${filters.length}`, {}, bearer.groups);
  // The id of an entry ends in the alert's version, so entries sort in the order of the trail.
  const where: Filter<'audit'>[] = [{ field: 'alertId', is: '==', value: alertId }, ...filters];
  return pageOfQuery(world, { tokens, key, page }, { in: 'audit', where });
}
