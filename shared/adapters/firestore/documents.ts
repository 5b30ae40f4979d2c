import {
  type DocumentSnapshot,
  FieldValue,
  type Query as FirestoreQuery,
  type Timestamp,
} from '@google-cloud/firestore';
import type { Filter, Kind, Revision, Stored } from '../../app/ports.ts';

/** Members that the store adds to a record, to order it by its commit. Readers never get them. */
export const orderMembers = ['committedAt', 'commitShard'] as const;

export function filtered<K extends Kind>(query: FirestoreQuery, where: Filter<K>[]): FirestoreQuery {
  return where.reduce((built, { field, is, value }) => built.where(field, is, value), query);
}

/** `expireAt` is a native timestamp, because Firestore's TTL policy requires that type. */
export function toDocument(data: object): Record<string, unknown> {
  const { expireAt, ...rest } = data as { expireAt?: string | null };
  return typeof expireAt === 'string' ? { ...rest, expireAt: new Date(expireAt) } : { ...data };
}

export function toStored<K extends Kind>(snapshot: DocumentSnapshot): Stored<K> | null {
  const data = snapshot.data();
  if (!data || !snapshot.updateTime) return null;
  const { expireAt } = data as { expireAt?: Timestamp | null };
  if (expireAt) data['expireAt'] = expireAt.toDate().toISOString();
  for (const member of orderMembers) delete data[member];
  return { id: snapshot.id, data: data as never, revision: revisionOf(snapshot.updateTime, data) };
}

/** What a revision is here: the time of the write, and the names of the top-level members that readers got after it. */
type DocumentState = { updateTime: Timestamp; members: readonly string[] };

export function revisionOf(updateTime: Timestamp, data: object): Revision {
  // Firestore may return the members in any order, but two reads of one revision must be equal.
  return { updateTime, members: Object.keys(data).sort() } satisfies DocumentState as unknown as Revision;
}

/** The precondition that a record is as it was at a revision. */
export function unchangedSince(revision: Revision): { lastUpdateTime: Timestamp } {
  return { lastUpdateTime: (revision as unknown as DocumentState).updateTime };
}

/**
 * An update that replaces a whole record. The client's `set` takes no precondition, and its `update` keeps members that it does not name, so
 * those that the record loses are deleted by name.
 */
export function toReplacement(data: object, revision: Revision): Record<string, unknown> {
  const document = toDocument(data);
  const lost = (revision as unknown as DocumentState).members.filter((name) => !(name in document));
  return { ...document, ...Object.fromEntries(lost.map((name) => [name, FieldValue.delete()])) };
}
