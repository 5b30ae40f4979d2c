import { v1 } from '@google-cloud/firestore';
import { credentials, type handleUnaryCall, Server, status } from '@grpc/grpc-js';
import { bindServer, loadService } from '../../../local/cloud/grpc-services.ts';
import type { Admin } from '../../../tools/indexes/database.ts';

type Index = { name: string; queryScope: string; state: string; fields: { fieldPath: string }[]; looks: number };
type Field = {
  name: string;
  indexConfig: { indexes: Index[]; usesAncestorConfig: boolean } | null;
  ttlConfig: object | null;
};

class Refusal extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * A stand-in of Firestore's Admin API that the official client speaks with: for one database, and refusing every other parent, an index that exists,
 * an unknown mask and a field outside its database. What is made becomes ready when it was looked at twice.
 */
export async function startFirestoreAdmin(database: string) {
  const indexes: Index[] = [];
  const fields = new Map<string, Field>();
  const schedules: object[] = [];
  const calls: string[] = [];
  const within = (parent: string) => {
    if (!parent.startsWith(`${database}/collectionGroups/`))
      throw new Refusal(status.INVALID_ARGUMENT, `wrong parent ${parent}`);
    return parent;
  };
  const aged = (index: Index): Index => {
    index.looks += 1;
    if (index.looks > 2) index.state = 'READY';
    return index;
  };
  const operation = (name: string) => ({ name: `${database}/operations/${name}`, done: false });
  // biome-ignore lint/suspicious/noExplicitAny: the messages are described at run time only
  const handlers: Record<string, (request: any) => object> = {
    listIndexes({ parent }) {
      within(parent);
      return { indexes: indexes.map(aged) };
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
      within(parent);
      return {
        fields: [...fields.values()].map(({ indexConfig, ...field }) => ({
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
      if (parent !== database) throw new Refusal(status.INVALID_ARGUMENT, `wrong parent ${parent}`);
      return { backupSchedules: schedules };
    },
    createBackupSchedule({ parent, backupSchedule }) {
      if (parent !== database) throw new Refusal(status.INVALID_ARGUMENT, `wrong parent ${parent}`);
      schedules.push({ ...backupSchedule, name: `${database}/backupSchedules/b${schedules.length}` });
      return schedules.at(-1) ?? {};
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
    admin: client as unknown as Admin,
    calls,
    indexes,
    fields,
    schedules,
    async stop() {
      await client.close();
      server.forceShutdown();
    },
  };
}
