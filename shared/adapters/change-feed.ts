import type { ChangeFeed, Entries } from '../app/fleet/change-stream.ts';
import type { Config } from '../config.ts';
import { plus } from '../domain/time.ts';
import type { MemoryStore } from './memory/store.ts';

type FeedConfig = Config<'store' | 'projectId' | 'firestoreDatabase'>;

/** A listening query keeps everything that it has ever matched in memory, so it is restarted this often, milliseconds … */
const renewEveryMs = 10 * 60_000;
/** … a little before the point that it reached. Activity has the time of its report, which is earlier than the commit. */
const overlapMs = 30_000;
const activityOverlapMs = 2 * 60_000;

const none: Entries = { audit: [], incidentAudit: [], activity: [] };

/** The feed of changes for the store that the settings name. */
export function createChangeFeed(config: FeedConfig): ChangeFeed {
  return {
    watch(since, take) {
      let end: (() => void) | null = null;
      let isEnded = false;
      const begin = async () => {
        const feed = config.store === 'memory' ? await twinFeed() : await firestoreFeed(config);
        if (!isEnded) end = feed.watch(since, take);
      };
      void begin();
      return () => {
        isEnded = true;
        end?.();
      };
    },
  };
}

/** Changes of an in-process store, delivered as they are committed. */
export function memoryFeed(store: Pick<MemoryStore, 'onCommit'>): ChangeFeed {
  return {
    watch: (_since, take) =>
      store.onCommit((writes) => {
        const entries: Entries = { audit: [], incidentAudit: [], activity: [] };
        for (const write of writes) {
          if (write.kind !== 'create') continue;
          if (write.in === 'audit') entries.audit.push(write.data);
          else if (write.in === 'incidentAudit') entries.incidentAudit.push(write.data);
          else if (write.in === 'activity') entries.activity.push(write.data);
        }
        if (Object.values(entries).flat().length > 0) take(entries);
      }),
  };
}

async function twinFeed(): Promise<ChangeFeed> {
  return memoryFeed((await import('./memory/store.ts')).memoryStore);
}

async function firestoreFeed({ projectId, firestoreDatabase: databaseId }: FeedConfig): Promise<ChangeFeed> {
  const { Firestore } = await import('@google-cloud/firestore');
  const db = new Firestore({ projectId, databaseId });
  return {
    watch(since, take) {
      let ends: (() => void)[] = [];
      const listen = (from: string) => {
        const before = ends;
        const on = (collection: string, field: string, at: string, tell: (docs: never[]) => void) =>
          db
            .collection(collection)
            .where(field, '>=', at)
            .orderBy(field)
            .onSnapshot(
              (snapshot) => {
                const added = snapshot.docChanges().flatMap(({ type, doc }) => (type === 'added' ? [doc.data()] : []));
                if (added.length > 0) tell(added as never[]);
              },
              () => setTimeout(renew, 1000).unref(),
            );
        ends = [
          on('audit', 'recordedAt', from, (docs) => take({ ...none, audit: docs })),
          on('incidentAudit', 'recordedAt', from, (docs) => take({ ...none, incidentAudit: docs })),
          on('activity', 'at', plus(from, overlapMs - activityOverlapMs), (docs) => take({ ...none, activity: docs })),
        ];
        for (const end of before) end();
      };
      const renew = () => listen(new Date(Date.now() - overlapMs).toISOString());
      listen(since);
      const timer = setInterval(renew, renewEveryMs).unref();
      return () => {
        clearInterval(timer);
        for (const end of ends) end();
      };
    },
  };
}
