import {
  addTask,
  closeQueue,
  deleteTask,
  findTask,
  openQueue,
  pauseQueue,
  purgeQueue,
  type Queue,
  type QueueWorld,
  resumeQueue,
  runTask,
  updateQueue,
} from './queue.ts';
import { defaultQueueSettings } from './settings.ts';
import { grpcCode, TasksError } from './task.ts';
import { readQueueSettings, type WireQueue, writeQueue } from './wire-queue.ts';
import { readTask, type WireTask, writeTask } from './wire-task.ts';

type Named = { name: string };
type Page = { parent: string; pageSize: number; pageToken: string };
type View = { responseView: string };

/** One function per method of the service; each answers a message or throws a `TasksError`. `freshId` names unnamed tasks. */
export function createHandlers(queues: Map<string, Queue>, world: QueueWorld, freshId: () => string) {
  const find = (name: string): Queue => {
    const queue = queues.get(name);
    if (!queue) throw new TasksError(grpcCode.notFound, 'Requested entity was not found.');
    return queue;
  };
  const queueOfTask = (name: string) => find(name.split('/tasks/')[0] ?? '');
  const changed = (name: string, change: (queue: Queue) => void) => {
    const queue = find(name);
    change(queue);
    return writeQueue(queue);
  };
  return {
    CreateTask({ parent, task, responseView }: { parent: string; task: WireTask } & View) {
      const queue = queues.get(parent);
      if (!queue) throw new TasksError(grpcCode.failedPrecondition, 'Queue does not exist.');
      const created = readTask(parent, task, world.now(), freshId);
      addTask(queue, created);
      return writeTask(created, responseView);
    },
    GetTask: ({ name, responseView }: Named & View) => writeTask(findTask(queueOfTask(name), name), responseView),
    DeleteTask({ name }: Named) {
      deleteTask(queueOfTask(name), name);
      return {};
    },
    RunTask: ({ name, responseView }: Named & View) => writeTask(runTask(queueOfTask(name), name), responseView),
    ListTasks({ parent, responseView, ...page }: Page & View) {
      const [tasks, nextPageToken] = slice([...find(parent).tasks.values()], page);
      return { tasks: tasks.map((task) => writeTask(task, responseView)), nextPageToken };
    },
    GetQueue: ({ name }: Named) => writeQueue(find(name)),
    ListQueues({ parent, ...page }: Page) {
      const inParent = [...queues.values()].filter((queue) => queue.name.startsWith(`${parent}/queues/`));
      const [found, nextPageToken] = slice(inParent, page);
      return { queues: found.map(writeQueue), nextPageToken };
    },
    CreateQueue({ parent, queue: wire }: { parent: string; queue: WireQueue }) {
      if (!wire.name.startsWith(`${parent}/queues/`)) {
        throw new TasksError(grpcCode.invalidArgument, `Queue.name must begin with "${parent}/queues/".`);
      }
      if (queues.has(wire.name)) throw new TasksError(grpcCode.alreadyExists, 'Queue already exists.');
      const queue = openQueue(wire.name, readQueueSettings(wire, defaultQueueSettings), world);
      queues.set(wire.name, queue);
      return writeQueue(queue);
    },
    UpdateQueue: ({ queue: wire }: { queue: WireQueue }) =>
      changed(wire.name, (queue) => updateQueue(queue, readQueueSettings(wire, queue.settings))),
    DeleteQueue({ name }: Named) {
      const queue = find(name);
      purgeQueue(queue);
      closeQueue(queue);
      queues.delete(name);
      return {};
    },
    PauseQueue: ({ name }: Named) => changed(name, pauseQueue),
    ResumeQueue: ({ name }: Named) => changed(name, resumeQueue),
    PurgeQueue: ({ name }: Named) => changed(name, purgeQueue),
  };
}

/** A page of at most 1000; the token is the index of the next one. */
function slice<T>(all: T[], page: { pageSize: number; pageToken: string }): [T[], string] {
  const from = Number(page.pageToken || 0);
  const to = from + Math.min(page.pageSize || 1000, 1000);
  return [all.slice(from, to), to < all.length ? String(to) : ''];
}
