import { FieldPath, FieldValue, Firestore, type Timestamp } from '@google-cloud/firestore';
import { CloudTasksClient } from '@google-cloud/tasks';
import { credentials } from '@grpc/grpc-js';
import { Agent } from 'undici';
import type { Sums } from '../../../shared/app/ports.ts';
import type { Step } from '../frame/steps.ts';

/** When each document was last written, as far as it was read or written here: the precondition of a write. */
type Known = Map<string, Timestamp | undefined>;

/** Does steps one after the other with the clients that the service uses, and nothing else: no rule, no check, no log. */
export function createFloor(environment: NodeJS.ProcessEnv): (steps: readonly Step[]) => Promise<void> {
  const projectId = environment['GOOGLE_CLOUD_PROJECT'] ?? '';
  const [apiEndpoint = '', port] = (environment['TASKS_ENDPOINT'] ?? '').split(':');
  const db = new Firestore({ projectId });
  const sslCreds = credentials.createInsecure();
  const tasks = new CloudTasksClient({ projectId, apiEndpoint, port: Number(port), sslCreds });
  const agent = new Agent({ pipelining: 1, allowH2: false });
  const doStep = async (step: Step, knownAt: Known) => {
    switch (step.do) {
      case 'read':
        if (step.paths.length === 0) return;
        for (const { ref, updateTime } of await db.getAll(...step.paths.map((path) => db.doc(path))))
          knownAt.set(ref.path, updateTime);
        return;
      case 'find':
      case 'count': {
        const { where, orderBy = [], after, limit = 1 } = step.query;
        let query: FirebaseFirestore.Query = db.collection(step.query.in);
        for (const { field, is, value } of where) query = query.where(field, is, value);
        if (step.do === 'count') return void (await query.count().get());
        for (const [field, direction] of orderBy) query = query.orderBy(field, direction);
        query = query.orderBy(FieldPath.documentId(), orderBy.at(-1)?.[1] ?? 'asc').limit(limit);
        for (const doc of (await (after ? query.startAfter(...after) : query).get()).docs) doc.data();
        return;
      }
      case 'write': {
        const batch = db.batch();
        for (const { kind, path, set, add } of step.writes) {
          const data = { ...withTimestamp(set), ...increments(add) };
          const at = knownAt.get(path);
          if (kind === 'create') batch.create(db.doc(path), data);
          else if (kind === 'accrue') batch.set(db.doc(path), data, { merge: true });
          else if (kind === 'delete') batch.delete(db.doc(path));
          else batch.update(db.doc(path), data, at ? { lastUpdateTime: at } : {});
        }
        const results = await batch.commit();
        for (const [index, { path }] of step.writes.entries()) knownAt.set(path, results[index]?.writeTime);
        return;
      }
      case 'tasks': {
        const soon = { seconds: Math.floor(Date.now() / 1000) + 86_400 };
        const httpRequest = { httpMethod: 'POST' as const, url: 'http://127.0.0.1:9', body: Buffer.from('{}') };
        const create = (queue: number) =>
          tasks.createTask({
            parent: tasks.queuePath(projectId, 'europe-west1', `deadlines-${queue}`),
            task: { scheduleTime: soon, httpRequest },
          });
        await Promise.all(step.queues.map(create));
        return;
      }
      case 'send': {
        const { origin, pathname: path } = new URL(step.url);
        const headers = { 'Content-Type': 'application/json', ...eightHeaders };
        const { body } = await agent.request({ origin, path, method: 'POST', headers, body: step.body });
        await body.text();
        return;
      }
      default:
        step satisfies never;
    }
  };
  return async (steps) => {
    const knownAt: Known = new Map();
    for (const step of steps) await doStep(step, knownAt);
  };
}

const eightHeaders = Object.fromEntries(
  Array.from({ length: 8 }, (_, index) => [`X-Header-${index}`, '0c6fd2b1-6a3e-4b5f-9d3e-2f5a9d1c7b10']),
);

function withTimestamp(set: object): Record<string, unknown> {
  const { expireAt } = set as { expireAt?: string | null };
  return expireAt ? { ...set, expireAt: new Date(expireAt) } : { ...set };
}

function increments(sums: Sums): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(sums).map(([name, sum]) => [
      name,
      typeof sum === 'number' ? FieldValue.increment(sum) : increments(sum),
    ]),
  );
}
