import {
  type DocumentSnapshot,
  FieldPath,
  FieldValue,
  type Firestore,
  type QuerySnapshot,
  Timestamp,
} from '@google-cloud/firestore';
import { type OrderedKind, orderedKinds, type Position, timeOf } from '../../app/commit-order.ts';
import type { Filter, Kind, PositionedRecord, Tail, TailPage, Write } from '../../app/ports.ts';
import { compare } from '../order.ts';
import { allSlices, sliceOf } from '../slices.ts';
import { withinLimit } from './disjunctions.ts';
import { filtered, type orderMembers, toStored } from './documents.ts';

/**
 * The members that order a new record: the time at which the store handled its commit, by the store's own clock, and a
 * slice number, because an index that begins with a rising time takes only about 500 writes a second. Empty for kinds
 * without order.
 */
export function orderOf({ in: kind, id }: Write): Partial<Record<(typeof orderMembers)[number], unknown>> {
  return isOrdered(kind) ? { committedAt: FieldValue.serverTimestamp(), commitShard: sliceOf(id) } : {};
}

function isOrdered(kind: Kind): kind is OrderedKind {
  return (orderedKinds as readonly Kind[]).includes(kind);
}

/**
 * Reads all slices after a position. The store sets the time of a commit when it begins to handle it, and the commit becomes visible when
 * it ends: a record is settled once `holdBackMs` have passed since its time. Both times are the store's, so our own clock does not matter.
 */
export async function readTail<K extends OrderedKind>(
  db: Firestore,
  { in: kind, where = [], after, limit }: Tail<K>,
  holdBackMs: number,
): Promise<TailPage<K>> {
  const sharded = [...where, { field: 'commitShard' as never, is: 'in', value: allSlices } satisfies Filter<K>];
  if (after === null) {
    const { readTime } = await db.collection(kind).limit(1).get();
    return { found: [], ahead: [], end: settledUntil([readTime], holdBackMs) };
  }
  const snapshots = await Promise.all(withinLimit(sharded).map((part) => readPart(db, kind, part, after, limit)));
  const until = settledUntil(
    snapshots.map(({ readTime }) => readTime),
    holdBackMs,
  );
  // A record can match several parts of a query, so duplicates are removed.
  const once = new Map(snapshots.flatMap(({ docs }) => docs).map((doc) => [positionOf(doc), doc]));
  const inOrder = [...once].toSorted(([a], [b]) => compare(a, b)).slice(0, limit);
  const stored = ([position, doc]: [Position, DocumentSnapshot]): PositionedRecord<K>[] => {
    const each = toStored<K>(doc);
    return each ? [{ ...each, position }] : [];
  };
  const found = inOrder.filter(([position]) => position < until).flatMap(stored);
  const ahead = inOrder.filter(([position]) => position >= until).flatMap(stored);
  const last = found.at(-1)?.position ?? after;
  return { found, ahead, end: found.length === limit || last > until ? last : until };
}

function readPart<K extends OrderedKind>(
  db: Firestore,
  kind: K,
  where: Filter<K>[],
  after: Position,
  limit: number,
): Promise<QuerySnapshot> {
  const [at, id] = [timestampOf(timeOf(after)), after.slice(28)];
  const query = filtered(db.collection(kind), where)
    .orderBy('committedAt')
    .orderBy(FieldPath.documentId())
    .limit(limit);
  return (id === '' ? query.startAt(at) : query.startAfter(at, id)).get();
}

function positionOf(doc: DocumentSnapshot): Position {
  return `${inMicroseconds(doc.get('committedAt') as Timestamp)}~${doc.id}`;
}

/** The position before which no commit can appear any more. */
function settledUntil(readTimes: readonly Timestamp[], holdBackMs: number): Position {
  const first = Math.min(...readTimes.map((time) => time.toMillis()));
  return `${inMicroseconds(Timestamp.fromMillis(first - holdBackMs))}~`;
}

function inMicroseconds({ seconds, nanoseconds }: Timestamp): string {
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19);
  return `${whole}.${String(Math.floor(nanoseconds / 1000)).padStart(6, '0')}Z`;
}

function timestampOf(text: string): Timestamp {
  const seconds = Date.parse(`${text.slice(0, 19)}Z`) / 1000;
  return new Timestamp(seconds, Number(text.slice(20, 26)) * 1000);
}
