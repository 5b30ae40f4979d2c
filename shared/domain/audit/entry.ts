import type { AuditEntry as WireEntry } from '../../schema/audit/audit.ts';
import { retention } from '../limits.ts';
import { type Instant, plus } from '../time.ts';

/** An entry of the audit stream as it is stored. `before` and `after` are JSON text because they can hold the members of any record. */
export type AuditRecord = {
  entryId: string;
  at: Instant;
  subject: string | null;
  issuer: string | null;
  address: string | null;
  requestId: string | null;
  action: string;
  resourceKind: string | null;
  resourceId: string | null;
  outcome: 'done' | 'refused';
  reason: string | null;
  count: number | null;
  before: string | null;
  after: string | null;
  expireAt: Instant;
};

/** The facts of one entry. A member that is absent is unknown or does not apply. */
export type AuditFacts = Pick<AuditRecord, 'entryId' | 'action' | 'outcome'> &
  Partial<Omit<AuditRecord, 'at' | 'expireAt' | 'before' | 'after'>> & { change?: RecordChange | null };

/** Members that changed, before and after. Null: the record did not exist before, or no longer exists. */
export type RecordChange = { before: object | null; after: object | null };

/** Maximum length of `before` and of `after`, characters. */
const mostText = 32_000;

export function auditRecord({ change = null, ...facts }: AuditFacts, at: Instant): AuditRecord {
  return {
    subject: null,
    issuer: null,
    address: null,
    requestId: null,
    resourceKind: null,
    resourceId: null,
    reason: null,
    count: null,
    ...facts,
    at,
    before: textOf(change?.before ?? null),
    after: textOf(change?.after ?? null),
    expireAt: plus(at, retention.audit),
  };
}

function textOf(members: object | null): string | null {
  if (members === null) return null;
  const text = JSON.stringify(members);
  return text.length > mostText ? JSON.stringify({ omitted: `${text.length} characters` }) : text;
}

/** The difference between two states of a record, member by member. */
export function changeOf(before: object | null, after: object | null): RecordChange {
  if (before === null || after === null) return { before, after };
  const was = new Map(Object.entries(before));
  const is = new Map(Object.entries(after));
  const names = [...new Set([...was.keys(), ...is.keys()])].filter(
    (name) => JSON.stringify(was.get(name)) !== JSON.stringify(is.get(name)),
  );
  const only = (members: Map<string, unknown>) => Object.fromEntries(names.map((name) => [name, members.get(name)]));
  return { before: only(was), after: only(is) };
}

export function toWireEntry(record: AuditRecord): WireEntry {
  const { entryId, at, subject, issuer, address, requestId, action, resourceKind, resourceId, outcome } = record;
  const { reason, count, before, after } = record;
  return {
    entryId,
    at,
    subject,
    issuer,
    address,
    requestId,
    action,
    resource: resourceKind === null ? null : { kind: resourceKind, id: resourceId },
    outcome,
    ...(reason === null ? {} : { reason }),
    ...(count === null ? {} : { count }),
    ...(before === null ? {} : { before: JSON.parse(before) }),
    ...(after === null ? {} : { after: JSON.parse(after) }),
  };
}
