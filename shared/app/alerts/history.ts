import type { AuditEntry } from '../../domain/alert/lifecycle.ts';
import type { HistoryEntry, Note } from '../../schema/alert/life.ts';
import type { Bearer } from '../bearer.ts';
import { cut, defaultPageSize, listKey, type Page, type PageTokens } from '../paging/paging.ts';
import type { Filter, Stored, World } from '../ports.ts';
import { loadAlert } from './actions.ts';

/** An alert's audit trail, oldest first. @throws AppError `not-found`; `invalid-request` for a foreign page token */
export async function listHistory(
  world: World,
  bearer: Bearer,
  alertId: string,
  page: Page,
  tokens: PageTokens,
): Promise<{ entries: HistoryEntry[]; nextPageToken?: string }> {
  const { items, token } = await trailPage(world, bearer, alertId, [], page, tokens);
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
  return token ? { entries, nextPageToken: token } : { entries };
}

/** The notes of an alert, oldest first: the entries of its trail that say something. */
export async function listNotes(
  world: World,
  bearer: Bearer,
  alertId: string,
  page: Page,
  tokens: PageTokens,
): Promise<{ notes: Note[]; nextPageToken?: string }> {
  const isNote: Filter<'audit'> = { field: 'action', is: '==', value: 'add-note' };
  const { items, token } = await trailPage(world, bearer, alertId, [isNote], page, tokens);
  const notes = items.map(({ data }) => noteOf(data));
  return token ? { notes, nextPageToken: token } : { notes };
}

function noteOf({ entryId, alertId, at, who, why }: AuditEntry): Note {
  return { noteId: entryId, alertId, at, author: who, text: why ?? '' };
}

async function trailPage(
  world: World,
  bearer: Bearer,
  alertId: string,
  filters: Filter<'audit'>[],
  page: Page,
  tokens: PageTokens,
): Promise<{ items: Stored<'audit'>[]; token: string | null }> {
  await loadAlert(world, bearer, alertId);
  const key = listKey(`audit of ${alertId} ${filters.length}`, {}, bearer.groups);
  const after = page.pageToken === undefined ? undefined : tokens.open(key, page.pageToken);
  const pageSize = page.pageSize ?? defaultPageSize;
  const found = await world.store.find({
    in: 'audit',
    // The id of an entry ends in the alert's version, so the order of ids is the order of the trail.
    where: [{ field: 'alertId', is: '==', value: alertId }, ...filters],
    limit: pageSize + 1,
    ...(after ? { after } : {}),
  });
  const { items, next } = cut(found, pageSize, ({ id }) => [id]);
  return { items, token: next ? tokens.seal(key, next) : null };
}
