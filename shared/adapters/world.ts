import { randomBytes } from 'node:crypto';
import type { Log, Store, Timer, World } from '../app/ports.ts';
import type { Config, SettingName } from '../config.ts';
import { waitsAt } from '../domain/limits.ts';
import { clock } from './clock.ts';
import { type WaitLimits, withPatience } from './firestore/patience.ts';
import { createTasksWaker } from './tasks/tasks.ts';

/** The settings that each function with access to state needs. */
export const worldSettings = [
  'projectId',
  'timeScale',
  'store',
  'firestoreDatabase',
  'feedDelayMs',
  'tasksLocation',
  'tasksEndpoint',
  'deadlineQueues',
  'deadlineUrl',
  'deliveryQueues',
  'deliverUrl',
  'tasksAccount',
  'consoleUrl',
  'reportedGroups',
  'unsignedHeals',
] as const satisfies SettingName[];

/**
 * The world of the use cases, made from the settings. Client libraries are loaded with their first use.
 * @param patience absent: a call to the database lasts as long as its client tries
 */
export function createWorld(
  config: Config<(typeof worldSettings)[number]>,
  log: Log,
  patience: WaitLimits | null = null,
): World {
  const store = lazyStore(() => openStore(config, patience));
  // Any record will do, also one that does not exist: each answer has the store's time.
  clock.attach(() => store.get('settings', ['clock']), log);
  return {
    store,
    waker: createTasksWaker(config),
    log,
    now: clock.now,
    random: Math.random,
    newToken,
    after: startTimer,
    waits: waitsAt(config.timeScale),
    consoleUrl: config.consoleUrl.replace(/\/$/, ''),
    reportedGroups: config.reportedGroups,
    unsignedHeals: config.unsignedHeals,
  };
}

/** Milliseconds between two polls of the store for new commits while somebody waits for them: at most a second. */
export function feedEveryMs({ feedDelayMs }: Config<'feedDelayMs'>): number {
  return Math.min(1000, feedDelayMs);
}

/** The part of a world for functions that take part in the standing drill. */
export function drillOf({ drillTargets }: Config<'drillTargets'>): Pick<World, 'drill'> {
  return drillTargets ? { drill: drillTargets } : {};
}

/** 22 characters with 128 random bits. */
export function newToken(): string {
  return randomBytes(16).toString('base64url');
}

export function startTimer(ms: number, call: () => void): Timer {
  const timer = setTimeout(call, ms);
  return { stop: () => clearTimeout(timer) };
}

/** A store whose client library is loaded with the first call, so that a request that is refused earlier does not pay for it. */
function lazyStore(open: () => Promise<Store>): Store {
  let opened: Promise<Store> | null = null;
  const store = () => {
    opened ??= open();
    return opened;
  };
  return {
    get: async (kind, ids) => (await store()).get(kind, ids),
    getMany: async (ids) => (await store()).getMany(ids),
    commit: async (writes) => (await store()).commit(writes),
    find: async (query) => (await store()).find(query),
    count: async (query) => (await store()).count(query),
    tail: async (tail) => (await store()).tail(tail),
  };
}

type StoreConfig = Config<'store' | 'projectId' | 'firestoreDatabase' | 'feedDelayMs'>;

async function openStore(config: StoreConfig, patience: WaitLimits | null): Promise<Store> {
  if (config.store === 'memory') return (await import('./memory/store.ts')).memoryStore;
  const [{ Firestore }, { createFirestoreStore }] = await Promise.all([
    import('@google-cloud/firestore'),
    import('./firestore/store.ts'),
  ]);
  const db = new Firestore({ projectId: config.projectId, databaseId: config.firestoreDatabase });
  const store = createFirestoreStore(db, config.feedDelayMs);
  return patience ? withPatience(store, patience, startTimer) : store;
}
