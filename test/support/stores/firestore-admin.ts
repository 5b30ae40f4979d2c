import { v1 } from '@google-cloud/firestore';
import { credentials, type handleUnaryCall, Server, status } from '@grpc/grpc-js';
import { bindServer, loadService } from '../../../local/cloud/grpc-services.ts';
import type { Admin } from '../../../tools/indexes/database.ts';
import type { CopyClient } from '../../../tools/installation/copies.ts';

type Index = { name: string; queryScope: string; state: string; fields: { fieldPath: string }[]; looks: number };
type Field = {
  name: string;
  indexConfig: { indexes: Index[]; usesAncestorConfig: boolean } | null;
  ttlConfig: object | null;
};
/** A database, and how often it must still be looked at until it is ready. */
type Database = { name: string; sourceInfo: object | null; looks: number };
type Backup = { name: string; database: string; snapshotTime: { seconds: number; nanos: number }; state: string };

class Refusal extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const nameOfDatabase = /^[a-z][a-z0-9-]{2,61}[a-z0-9]$/;

/**
 * A stand-in of Firestore's Admin API that the official client speaks with: it refuses every other parent, an index that exists, an unknown mask, a field
 * outside its database, a copy of what is not ready or under a name that is taken, and every call to a database that is not ready. What is made becomes
 * ready when it was looked at twice.
 * @param database the database that there is from the start
 */
export async function startFirestoreAdmin(database: string) {
  const indexes: Index[] = [];
  const fields = new Map<string, Field>();
  const schedules: { name: string }[] = [];
  const calls: string[] = [];
  const databases = new Map<string, Database>([[database, { name: database, sourceInfo: null, looks: 0 }]]);
  const backups: Backup[] = [];
  const ready = (name: string) => {
    const found = databases.get(name);
    if (!found) throw new Refusal(status.INVALID_ARGUMENT, `wrong parent ${name}`);
    if (found.looks > 0) throw new Refusal(status.FAILED_PRECONDITION, `${name} is not ready`);
    return name;
  };
  /** @returns the database of a parent */
  const within = (parent: string) => {
    const [name = '', group] = parent.split('/collectionGroups/');
    if (!group) throw new Refusal(status.INVALID_ARGUMENT, `wrong parent ${parent}`);
    return ready(name);
  };
  const aged = (index: Index): Index => {
    index.looks += 1;
    if (index.looks > 2) index.state = 'READY';
    return index;
  };
  const operation = (name: string) => ({ name: `${database}/operations/${name}`, done: false });
  const copied = (parent: string, databaseId: string, of: string, sourceInfo: object | null) => {
    const name = `${parent}/databases/${databaseId}`;
    if (!nameOfDatabase.test(databaseId)) throw new Refusal(status.INVALID_ARGUMENT, `wrong id ${databaseId}`);
    if (databases.has(name)) throw new Refusal(status.ALREADY_EXISTS, `${name} exists`);
    databases.set(name, { name, sourceInfo, looks: 2 });
    const moved = (own: string) => own.replace(`${of}/`, `${name}/`);
    // A copy has the indexes, and no expiry policies (firebase.google.com/docs/firestore/backups).
    for (const each of indexes.filter((own) => own.name.startsWith(`${of}/`)))
      indexes.push({ ...each, name: moved(each.name) });
    for (const each of [...fields.values()].filter((own) => own.name.startsWith(`${of}/`)))
      fields.set(moved(each.name), { ...each, name: moved(each.name), ttlConfig: null });
    return operation('copy');
  };
  // biome-ignore lint/suspicious/noExplicitAny: the messages are described at run time only
  const handlers: Record<string, (request: any) => object> = {
    listIndexes({ parent }) {
      const own = within(parent);
      return { indexes: indexes.filter(({ name }) => name.startsWith(`${own}/`)).map(aged) };
    },
    createIndex({ parent, index }) {
      within(parent);
      const key = (each: { queryScope: string; fields: object[] }) =>
        JSON.stringify([each.queryScope, each.fields.map((field) => ({ ...field }))]);
      const isKnown = indexes.some((each) => each.name.startsWith(`${parent}/`) && key(each) === key(index));
      if (isKnown) throw new Refusal(status.ALREADY_EXISTS, 'index already exists');
      indexes.push({ ...index, name: `${parent}/indexes/i${indexes.length}`, state: 'CREATING', looks: 0 });
      return operation(`i${indexes.length}`);
    },
    listFields: ({ parent }) => {
      const own = within(parent);
      return {
        fields: [...fields.values()]
          .filter(({ name }) => name.startsWith(`${own}/`))
          .map(({ indexConfig, ...field }) => ({
            ...field,
            indexConfig: indexConfig && { ...indexConfig, indexes: indexConfig.indexes.map(aged) },
          })),
      };
    },
    updateField({ field, updateMask }) {
      within(field.name);
      const paths: string[] = updateMask?.paths ?? [];
      const unknown = paths.filter((path) => path !== 'index_config' && path !== 'ttl_config');
      if (unknown.length > 0) throw new Refusal(status.INVALID_ARGUMENT, `unknown paths ${unknown}`);
      const before = fields.get(field.name) ?? { name: field.name, indexConfig: null, ttlConfig: null };
      const own = field.indexConfig && {
        usesAncestorConfig: false,
        indexes: field.indexConfig.indexes.map((each: Index) => ({ ...each, state: 'CREATING', looks: 0 })),
      };
      fields.set(field.name, {
        name: field.name,
        indexConfig: paths.includes('index_config') ? own : before.indexConfig,
        ttlConfig: paths.includes('ttl_config') ? field.ttlConfig && { state: 'ACTIVE' } : before.ttlConfig,
      });
      return operation('f');
    },
    listBackupSchedules: ({ parent }) => {
      ready(parent);
      return { backupSchedules: schedules.filter(({ name }) => name.startsWith(`${parent}/`)) };
    },
    createBackupSchedule({ parent, backupSchedule }) {
      ready(parent);
      schedules.push({ ...backupSchedule, name: `${parent}/backupSchedules/b${schedules.length}` });
      return schedules.at(-1) ?? {};
    },
    listBackups({ parent }) {
      if (!/^projects\/[^/]+\/locations\/[^/]+$/.test(parent))
        throw new Refusal(status.INVALID_ARGUMENT, `wrong parent ${parent}`);
      return { backups: backups.filter(({ name }) => name.startsWith(`${parent}/`)) };
    },
    getDatabase({ name }) {
      const found = databases.get(name);
      if (!found) throw new Refusal(status.NOT_FOUND, `no ${name}`);
      return { name, sourceInfo: found.sourceInfo };
    },
    restoreDatabase({ parent, databaseId, backup }) {
      const found = backups.find(({ name }) => name === backup);
      if (!found) throw new Refusal(status.NOT_FOUND, `no ${backup}`);
      if (found.state !== 'READY') throw new Refusal(status.FAILED_PRECONDITION, `${backup} is not ready`);
      return copied(parent, databaseId, found.database, { backup: { backup } });
    },
    cloneDatabase({ parent, databaseId, pitrSnapshot }) {
      if (Number(pitrSnapshot?.snapshotTime?.seconds) % 60 !== 0)
        throw new Refusal(status.INVALID_ARGUMENT, 'a snapshot is of a whole minute');
      return copied(parent, databaseId, ready(pitrSnapshot.database), null);
    },
    deleteDatabase({ name }) {
      if (!databases.delete(name)) throw new Refusal(status.NOT_FOUND, `no ${name}`);
      return operation('d');
    },
  };
  const server = new Server();
  const unary =
    (name: string): handleUnaryCall<unknown, object> =>
    (call, answer) => {
      calls.push(name);
      try {
        answer(null, handlers[name]?.(call.request) ?? {});
      } catch (error) {
        answer({ code: error instanceof Refusal ? error.code : status.INTERNAL, details: String(error) });
      }
    };
  server.addService(
    loadService('@google-cloud/firestore', '../../protos', 'google.firestore.admin.v1.FirestoreAdmin', 'admin_v1.json'),
    Object.fromEntries(Object.keys(handlers).map((name) => [name, unary(name)])),
  );
  const port = await bindServer(server, 0);
  const client = new v1.FirestoreAdminClient({
    projectId: 'p',
    servicePath: '127.0.0.1',
    port,
    sslCreds: credentials.createInsecure(),
  });
  return {
    admin: client as unknown as Admin & CopyClient,
    calls,
    indexes,
    fields,
    schedules,
    databases,
    backups,
    /** Looks whether a database can be read. */
    isReady(name: string): boolean {
      const found = databases.get(name);
      if (!found) return false;
      if (found.looks > 0) found.looks -= 1;
      return found.looks === 0;
    },
    async stop() {
      await client.close();
      server.forceShutdown();
    },
  };
}
