import type { QuarantineRecord } from '../../domain/intake/quarantined.ts';
import { retention } from '../../domain/limits.ts';
import { plus } from '../../domain/time.ts';
import type { QuarantinedReport } from '../../schema/quarantine/quarantine.ts';
import type { Bearer } from '../bearer.ts';
import { listKey, type Page, type PageTokens, pageOfQuery } from '../paging/paging.ts';
import { Conflict, type Filter, type Reads, type World } from '../ports.ts';

/** A message that could not become a report, before it is put away. */
export type Unreadable = Omit<QuarantinedReport, 'reportId' | 'status' | 'quarantinedAt' | 'undoUntil'>;

/** The message as the API shows it. */
export function toWireReport({ expireAt: _, undo: __, attributes, ...report }: QuarantineRecord): QuarantinedReport {
  return { ...report, attributes: JSON.parse(attributes) };
}

/** Pub/Sub takes 100 attributes of 1,280 bytes. Escapes can make them six times as long, and a record has 1 MiB for all. */
const maxAttributeBytes = 160 * 1024;

function textOf(attributes: Record<string, string>): string {
  const text = JSON.stringify(attributes);
  if (Buffer.byteLength(text) <= maxAttributeBytes) return text;
  const entries = Object.entries(attributes).slice(0, 100);
  return JSON.stringify(Object.fromEntries(entries.map(([name, value]) => [name.slice(0, 100), value.slice(0, 100)])));
}

/** Puts a message away with its bytes and reasons. The same message comes to the same record. */
export async function quarantine(world: World, message: Unreadable): Promise<void> {
  const quarantinedAt = world.now();
  const reportId = message.messageId;
  const data = {
    ...message,
    attributes: textOf(message.attributes),
    reportId,
    status: 'quarantined' as const,
    quarantinedAt,
    undo: null,
    expireAt: plus(quarantinedAt, retention.quarantine),
  };
  try {
    await world.store.commit([{ kind: 'create', in: 'quarantine', id: reportId, data }]);
  } catch (error) {
    // A conflict may also be one of the store's own: only what is there has been put away.
    const [kept = null] = error instanceof Conflict ? await world.store.get('quarantine', [reportId]) : [];
    if (!kept) throw error;
  }
  const { reason, deviceId, kind } = message;
  world.log.warn('report.quarantined', { reportId, reason, deviceId, kind, errors: message.errors.slice(0, 3) });
}

/**
 * Lists what is in quarantine, newest first. What could not be read is of no group, so a bearer whom groups limit sees none of it.
 * @throws AppError `invalid-request` for a foreign page token
 */
export async function listQuarantine(
  world: Reads<'quarantine'>,
  bearer: Bearer,
  query: Page & { status?: readonly string[] },
  tokens: PageTokens,
): Promise<{ reports: QuarantinedReport[]; nextPageToken?: string }> {
  const key = listKey('quarantine', query, bearer.groups);
  const status = query.status ?? ['quarantined'];
  const where: Filter<'quarantine'>[] = status.includes('all') ? [] : [{ field: 'status', is: 'in', value: status }];
  const { items, next } = await pageOfQuery(
    world,
    { tokens, key, page: query },
    bearer.groups ? null : { in: 'quarantine', where, orderBy: [['quarantinedAt', 'desc']] },
  );
  return { reports: items.map(({ data }) => toWireReport(data)), ...next };
}
