import { randomUUID } from 'node:crypto';
import { type handleUnaryCall, Server } from '@grpc/grpc-js';
import type { Service } from '../../machine/http-server.ts';
import { bindServer, loadService } from '../grpc-services.ts';
import { createIdentityTokens } from '../identity-tokens.ts';
import { createDispatch } from './dispatch.ts';
import { createHandlers } from './handlers.ts';
import { openJournal } from './journal.ts';
import { closeQueue, openQueue, type Queue, type QueueWorld, restoreTask } from './queue.ts';
import type { QueueSettings } from './settings.ts';
import { grpcCode, TasksError } from './task.ts';

export type TasksConfig = {
  port: number;
  /** Issuer of the OIDC tokens that tasks carry. */
  issuer: string;
  /** Queues that exist from the start, by full resource name. */
  queues: Record<string, QueueSettings>;
  /** File that keeps the tasks between runs; null keeps nothing. */
  journalFile: string | null;
};

/** Cloud Tasks for the local run: the gRPC service `google.cloud.tasks.v2.CloudTasks`, which the official client speaks. */
export async function startTasks(config: TasksConfig): Promise<Service> {
  const dispatch = createDispatch(createIdentityTokens(config.issuer), Date.now);
  const journal = openJournal(config.journalFile, Date.now());
  const world: QueueWorld = { now: Date.now, dispatch, onCreated: journal.created, onEnded: journal.ended };
  const queues = new Map<string, Queue>();
  for (const [name, settings] of Object.entries(config.queues)) queues.set(name, openQueue(name, settings, world));
  for (const [name, endedAt] of journal.kept.ended) queueOf(queues, name)?.endedNames.add(name, endedAt);
  for (const task of journal.kept.tasks) {
    const queue = queueOf(queues, task.name);
    if (queue) restoreTask(queue, task);
  }

  const server = new Server();
  const handlers = createHandlers(queues, world, randomUUID);
  server.addService(
    loadService('@google-cloud/tasks', '../../../protos', 'google.cloud.tasks.v2.CloudTasks'),
    Object.fromEntries(Object.entries(handlers).map(([k, v]) => [k, unary(v)])),
  );
  const port = await bindServer(server, config.port);
  return {
    port,
    stop: async () => {
      for (const queue of queues.values()) closeQueue(queue);
      server.forceShutdown();
      await dispatch.close();
    },
  };
}

function queueOf(queues: Map<string, Queue>, taskName: string): Queue | undefined {
  return queues.get(taskName.split('/tasks/')[0] ?? '');
}

// biome-ignore lint/suspicious/noExplicitAny: the messages are described at run time only
function unary(handler: (message: any) => unknown): handleUnaryCall<any, any> {
  return (call, answer) => {
    try {
      answer(null, handler(call.request));
    } catch (error) {
      const isRefusal = error instanceof TasksError;
      answer({ code: isRefusal ? error.code : grpcCode.internal, details: (error as Error).message });
      if (!isRefusal) console.error(error);
    }
  };
}
