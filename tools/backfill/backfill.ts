import { FieldPath, type Firestore } from '@google-cloud/firestore';
import { sliceField, sliceOf } from '../../shared/adapters/slices.ts';
import type { Kind } from '../../shared/app/ports.ts';
import type { AlertRecord } from '../../shared/domain/alert/alert.ts';
import { urgencyOf } from '../../shared/schema/alert/urgency.ts';

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
 * Adds missing members to older records. Idempotent, and can be interrupted.
 * @returns the number of such records by collection
 */
export async function backfill(db: Firestore, isDry: boolean): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [collection, members] of Object.entries(added))
    counts[collection] = await fill(db, collection, members, isDry);
  return counts;
}

async function fill(db: Firestore, collection: string, members: Members, isDry: boolean): Promise<number> {
  const sorted = db.collection(collection).orderBy(FieldPath.documentId()).limit(pageSize);
  let count = 0;
  for (let last: string | null = null; ; ) {
    const { docs } = await (last === null ? sorted : sorted.startAfter(last)).get();
    for (const doc of docs) {
      const set = lackingOf(doc.id, doc.data(), members);
      if (Object.keys(set).length === 0) continue;
      count += 1;
      if (!isDry) await doc.ref.update(set, { lastUpdateTime: doc.updateTime }).catch(unlessOvertaken);
    }
    last = docs.at(-1)?.id ?? null;
    if (last === null || docs.length < pageSize) return count;
  }
}

function lackingOf(id: string, data: Data, members: Members): Data {
  const lacking = Object.entries(members).filter(([name]) => data[name] === undefined);
  return Object.fromEntries(lacking.map(([name, value]) => [name, value(id, data)]));
}

function unlessOvertaken(error: { code?: number }): void {
  if (!overtaken.has(error.code ?? 0)) throw error;
}
