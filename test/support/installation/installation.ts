import { readFileSync } from 'node:fs';
import type { Store } from '../../../shared/app/ports.ts';
import { loadRestored } from '../../../shared/app/restored/restore.ts';
import type { Wanted } from '../../../tools/indexes/database.ts';
import type { Journal, ProcedureRecord } from '../../../tools/installation/journal.ts';
import type { Recovery } from '../../../tools/installation/standstill.ts';
import type { Terraform, Variables } from '../../../tools/installation/terraform.ts';
import type { Installation } from '../../../tools/restore/steps.ts';
import { startFirestoreAdmin } from '../stores/firestore-admin.ts';
import { savedStore } from '../stores/saved-store.ts';
import type { TestWorld } from '../world/world.ts';
import { startPlatform } from './platform.ts';

export const recovery: Recovery = {
  project: 'p-1',
  region: 'europe-west1',
  database: '(default)',
  serving_database: '(default)',
  subscriptions: {
    ingest: { endpoint: 'https://ingest.example.com', account: 'push@p-1.example.com', audience: 'https://ingest' },
    dead: { endpoint: 'https://ingest.example.com/dead', account: 'push@p-1.example.com', audience: 'https://ingest' },
  },
  queues: ['deadlines-0', 'deliveries-0'],
  sweep: 'sweep',
  longest_call_seconds: 180,
  base_url: 'https://watch.example.com',
};

const all = JSON.parse(readFileSync('firestore.indexes.json', 'utf8')) as Wanted;
const expiring = all.fieldOverrides.filter(({ ttl }) => ttl);
/** Some of each kind, because every one of them is made by a call of its own. */
export const wanted: Wanted = {
  indexes: all.indexes.slice(0, 2),
  fieldOverrides: [...expiring.slice(0, 2), ...all.fieldOverrides.slice(0, 1)],
};

/** What is done with an installation that must not be. */
export type Wrongs = string[];

/**
 * An installation with stand-ins for all of Google that a restore calls, which a world lives in.
 * @param live passes time in that world, as far as the platform hands work to it
 */
export async function startInstallation(world: TestWorld, live: (seconds: number) => Promise<void>) {
  const inProject = `projects/${recovery.project}`;
  const serving = `${inProject}/databases/${recovery.serving_database}`;
  const google = await startFirestoreAdmin(serving);
  const platform = await startPlatform(recovery);
  const stores = new Map<string, Store>([[recovery.serving_database, world.store]]);
  const saved = new Map<string, Store>();
  const wrongs: Wrongs = [];
  const state = { isReadOnly: false, serves: recovery.serving_database, variables: {} as Variables };
  const storeOf = async (database: string) => {
    const name = `${inProject}/databases/${database}`;
    const known = stores.get(database);
    if (known) return known;
    if (!google.isReady(name)) throw Object.assign(new Error(`${database} is not ready`), { code: 9 });
    const of = google.databases.get(name)?.sourceInfo as { backup?: { backup: string } } | null;
    const copy = saved.get(of?.backup?.backup ?? 'clone');
    if (!copy) throw new Error(`nothing was saved for ${database}`);
    const own = await savedStore(copy, () => Date.parse(world.now()));
    stores.set(database, own);
    return own;
  };
  const terraform: Terraform = {
    async apply(change) {
      state.variables = { ...state.variables, ...change };
      const { standstill = false, serving_database = null } = state.variables;
      if (serving_database && serving_database !== state.serves) {
        if (await platform.dispatches()) wrongs.push('the functions change their database while queues dispatch');
        world.store = await storeOf(serving_database);
        state.serves = serving_database;
      }
      if (!standstill && state.isReadOnly && !(await loadRestored(world)))
        wrongs.push('all resumes before the database says what it lost');
      state.isReadOnly = standstill ?? false;
      // What Terraform changes of the rest is left to the calls of the APIs, as if it changed nothing.
      await live(60);
    },
    takenAway: async () => [],
    output: async () => recovery,
  };
  const installation: Installation = {
    ...{ recovery, wanted, terraform },
    admin: google.admin,
    clients: platform.clients,
    site: { refusesWrites: async () => state.isReadOnly, fault: async () => null },
    within: async (database, act) => act({ ...world, store: await storeOf(database), now: world.now }),
    countsOf: async (database) => ({ devices: await (await storeOf(database)).count({ in: 'devices' }) }),
    pause: (ms) => live(ms / 1000),
    say: () => {},
  };
  return {
    installation,
    platform,
    google,
    state,
    wrongs,
    /** Keeps the state of the database, as a backup and for a point in time. */
    async save(name: string): Promise<{ backup: string; asOf: string }> {
      const backup = `${inProject}/locations/${recovery.region}/backups/${name}`;
      const asOf = world.now();
      const copy = await savedStore(world.store, () => Date.parse(world.now()));
      saved.set(backup, copy);
      saved.set('clone', copy);
      const ms = Date.parse(asOf);
      google.backups.push({
        ...{ name: backup, database: serving, state: 'READY' },
        snapshotTime: { seconds: Math.floor(ms / 1000), nanos: (ms % 1000) * 1e6 },
      });
      return { backup, asOf };
    },
    async stop() {
      await Promise.all([google.stop(), platform.stop()]);
    },
  };
}

/** A journal that outlives a process, as a file does. */
export function keptJournal<About extends object>(): Journal<About> {
  let kept: string | null = null;
  return {
    load: () => (kept === null ? null : (JSON.parse(kept) as ProcedureRecord<About>)),
    save: (record) => {
      kept = JSON.stringify(record);
    },
  };
}

export class Killed extends Error {}

/** Kills at call number `at` of all calls, before it takes effect or after. `calls`: how many there were. */
export function deathAt(at: number, when: 'before' | 'after') {
  let calls = 0;
  let isDead = false;
  const around = async <T>(call: () => Promise<T>): Promise<T> => {
    calls += 1;
    if (isDead || (calls === at && when === 'before')) {
      isDead = true;
      throw new Killed(`at call ${at}`);
    }
    const answer = await call();
    if (calls >= at && !isDead && at > 0 && calls === at) {
      isDead = true;
      throw new Killed(`after call ${at}`);
    }
    return answer;
  };
  /** The same object, each of whose methods may be the last. */
  const mortal = <T extends object>(given: T): T =>
    new Proxy(given, {
      get(target, name) {
        const member = Reflect.get(target, name) as unknown;
        return typeof member === 'function'
          ? (...args: unknown[]) => around(async () => (member as (...of: unknown[]) => unknown).apply(target, args))
          : member;
      },
    });
  return { mortal, around, calls: () => calls };
}

/** The installation whose calls a process makes that may die. */
export function mortalInstallation(
  installation: Installation,
  { mortal, around }: ReturnType<typeof deathAt>,
): Installation {
  const { admin, clients, terraform, site, within, pause } = installation;
  return {
    ...installation,
    admin: mortal(admin),
    clients: {
      queues: mortal(clients.queues),
      subscriptions: mortal(clients.subscriptions),
      scheduler: mortal(clients.scheduler),
    },
    terraform: mortal(terraform),
    site: mortal(site),
    within: (database, act) =>
      within(database, (world) =>
        act({ ...world, store: { ...world.store, commit: (writes) => around(() => world.store.commit(writes)) } }),
      ),
    pause: (ms) => around(() => pause(ms)),
  };
}
