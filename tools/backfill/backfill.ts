import { FieldPath, FieldValue, type Firestore } from '@google-cloud/firestore';
import { sliceField, sliceOf } from '../../shared/adapters/slices.ts';
import type { Kind } from '../../shared/app/ports.ts';
import type { AlertRecord } from '../../shared/domain/alert/alert.ts';
import { urgencyOf } from '../../shared/schema/alert/urgency.ts';
import { renamed, renamedOf } from './renamed.ts';

type Data = Record<string, unknown>;
type Members = Record<string, (id: string, data: Data) => unknown>;

/**
 * Members that were added after records had been written, with their value for an older record. A query does not find records without the member that
 * it filters by.
 */
const added: Partial<Record<Kind, Members>> = {
  alerts: {
    [sliceField]: sliceOf,
    urgency: (_id, data) => {
      const { severity, timestamp, priority = null } = data as unknown as AlertRecord;
      return urgencyOf({ severity, timestamp }, priority);
    },
    isMaintained: (_id, { maintenanceUntil = null }) => maintenanceUntil !== null,
    respondBy: () => null,
  },
  deliveries: { [sliceField]: sliceOf },
  activity: { [sliceField]: sliceOf },
};

const pageSize = 400;
/** gRPC statuses of a record that was changed or deleted meanwhile. The other writer adds the members itself. */
const overtaken = new Set([5, 9, 10]);

/**
 * Adds missing members to older records, and gives members their present names. Idempotent, and can be interrupted.
 * @param isDry writes nothing
 * @returns by collection, the number of records that needed a change
 */
export async function backfill(db: Firestore, isDry: boolean): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const kind of new Set([...Object.keys(added), ...Object.keys(renamed)] as Kind[])) {
    counts[kind] = await fill(db, kind, isDry);
  }
  return counts;
}

async function fill(db: Firestore, collection: Kind, isDry: boolean): Promise<number> {
  const sorted = db.collection(collection).orderBy(FieldPath.documentId()).limit(pageSize);
  let count = 0;
  for (let last: string | null = null; ; ) {
    const { docs } = await (last === null ? sorted : sorted.startAfter(last)).get();
    for (const doc of docs) {
      const set = changesOf(collection, doc.id, doc.data());
      if (Object.keys(set).length === 0) continue;
      count += 1;
      if (!isDry) await doc.ref.update(set, { lastUpdateTime: doc.updateTime }).catch(unlessOvertaken);
    }
    last = docs.at(-1)?.id ?? null;
    if (last === null || docs.length < pageSize) return count;
  }
}

function changesOf(kind: Kind, id: string, data: Data): Data {
  const lacking = Object.entries(added[kind] ?? {}).filter(([name]) => data[name] === undefined);
  const changes = renamedOf(data, renamed[kind] ?? {});
  for (const [name, value] of Object.entries(changes))
    changes[name] = value === undefined ? FieldValue.delete() : value;
  for (const [name, value] of lacking) changes[name] = value(id, data);
  return changes;
}

function unlessOvertaken(error: { code?: number }): void {
  if (!overtaken.has(error.code ?? 0)) throw error;
}
