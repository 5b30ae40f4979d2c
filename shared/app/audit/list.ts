import { toWireEntry } from '../../domain/audit/entry.ts';
import { toInstant } from '../../domain/time.ts';
import type { AuditEntry, AuditQuery } from '../../schema/audit/audit.ts';
import { listKey, type PageTokens, pageOfQuery } from '../paging/paging.ts';
import type { Filter, World } from '../ports.ts';

/** Lists the audit stream, newest first. @throws AppError `invalid-request` for the page token of another list */
export async function listAudit(
  world: World,
  query: AuditQuery,
  tokens: PageTokens,
): Promise<{ entries: AuditEntry[]; nextPageToken?: string }> {
  const { subject, action, outcome, since, until } = query;
  const where: Filter<'auditStream'>[] = [
    ...(subject ? [{ field: 'subject', is: '==', value: subject } as const] : []),
    ...(action ? [{ field: 'action', is: '==', value: action } as const] : []),
    ...(outcome ? [{ field: 'outcome', is: '==', value: outcome } as const] : []),
    ...(since ? [{ field: 'at', is: '>=', value: toInstant(since) } as const] : []),
    ...(until ? [{ field: 'at', is: '<', value: toInstant(until) } as const] : []),
  ];
  const asked = { tokens, key: listKey('audit', query, null), page: query };
  const { items, next } = await pageOfQuery(world, asked, { in: 'auditStream', where, orderBy: [['at', 'desc']] });
  return { entries: items.map(({ data }) => toWireEntry(data)), ...next };
}
