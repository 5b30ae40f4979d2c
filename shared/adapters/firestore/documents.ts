import type { DocumentSnapshot, Query as FirestoreQuery, Timestamp } from '@google-cloud/firestore';
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
  if (!data) return null;
  const { expireAt } = data as { expireAt?: Timestamp | null };
  if (expireAt) data['expireAt'] = expireAt.toDate().toISOString();
  for (const member of orderMembers) delete data[member];
  return { id: snapshot.id, data: data as never, revision: snapshot.updateTime as unknown as Revision };
}
