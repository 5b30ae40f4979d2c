import { createHash } from 'node:crypto';
import type { CloudTasksClient } from '@google-cloud/tasks';
import type { Wake, Waker } from '../../app/ports.ts';
import type { Config } from '../../config.ts';
import { clock } from '../clock.ts';
import { traceHeader } from '../trace.ts';

type TasksConfig = Config<
  | 'projectId'
  | 'tasksLocation'
  | 'tasksEndpoint'
  | 'deadlineQueues'
  | 'deadlineUrl'
  | 'deliveryQueues'
  | 'deliverUrl'
  | 'tasksAccount'
>;

/** gRPC status ALREADY_EXISTS: a wake of the same record and version exists already. */
const alreadyExists = 6;

/** Longest time that setting a wake may take, milliseconds. The sweep finds what was not woken. */
const wakeLimitMs = 2000;
/** Cloud Tasks schedules at most 30 days ahead. The sweep finds what is due later. */
const furthestMs = 29 * 24 * 60 * 60_000;

/** Sets wakes as Cloud Tasks, each named after its record and version, so that setting one twice creates one. */
export function createTasksWaker(config: TasksConfig): Waker {
  let client: Promise<CloudTasksClient> | null = null;
  /**
   * The slot of the fleet summary whose wake this process has set last. All changes within a slot request the same
   * wake.
   */
  let summarySlot: number | null = null;
  const isSet = (wake: Wake) => wake.in === 'fleetCounters' && wake.version === summarySlot;
  const loadClient = () => {
    client ??= connect(config);
    return client;
  };
  return {
    async wake(wakes) {
      const wanted = wakes.filter((wake) => !isSet(wake));
      if (wanted.length === 0) return;
      const tasks = await loadClient();
      await Promise.all(wanted.map((wake) => createTask(tasks, config, wake)));
      for (const wake of wanted) if (wake.in === 'fleetCounters') summarySlot = wake.version;
    },
  };
}

async function connect({ tasksEndpoint, projectId }: TasksConfig): Promise<CloudTasksClient> {
  const { CloudTasksClient } = await import('@google-cloud/tasks');
  if (!tasksEndpoint) return new CloudTasksClient({ projectId });
  const { credentials } = await import('@grpc/grpc-js');
  const [apiEndpoint = '127.0.0.1', port] = tasksEndpoint.split(':');
  return new CloudTasksClient({ projectId, apiEndpoint, port: Number(port), sslCreds: credentials.createInsecure() });
}

/**
 * Tasks are spread over several queues, because a queue dispatches at most 500 a second. The deliveries of a target share a queue, so that a slow
 * target delays only the targets of its queue.
 */
export function queueOf(
  wake: Wake,
  { deadlineQueues, deliveryQueues }: Pick<TasksConfig, 'deadlineQueues' | 'deliveryQueues'>,
): string {
  const spread = (key: string, queues: number) => createHash('sha256').update(key).digest().readUInt32BE() % queues;
  return wake.in === 'deliveries'
    ? `deliveries-${spread(wake.target, deliveryQueues)}`
    : `deadlines-${spread(wake.id, deadlineQueues)}`;
}

async function createTask(client: CloudTasksClient, config: TasksConfig, wake: Wake): Promise<void> {
  const parent = client.queuePath(config.projectId, config.tasksLocation, queueOf(wake, config));
  const url = wake.in === 'deliveries' ? config.deliverUrl : config.deadlineUrl;
  const endpoint = wake.in === 'deliveries' && wake.webhookId !== null ? { webhookId: wake.webhookId } : {};
  const body = Buffer.from(JSON.stringify({ in: wake.in, id: wake.id, version: wake.version, ...endpoint }));
  const name = createHash('sha256').update(`${wake.in}/${wake.id}/${wake.version}`).digest('hex').slice(0, 40);
  const dueMs = Date.parse(wake.dueAt);
  const waitMs = dueMs - clock.ms();
  if (waitMs > furthestMs) return;
  // Without a time a task runs at once, also where the queue's clock is behind.
  const scheduled =
    waitMs > 0 ? { scheduleTime: { seconds: Math.floor(dueMs / 1000), nanos: (dueMs % 1000) * 1e6 } } : {};
  try {
    await client.createTask(
      {
        parent,
        task: {
          name: `${parent}/tasks/${name}`,
          ...scheduled,
          httpRequest: {
            httpMethod: 'POST',
            url,
            headers: { 'Content-Type': 'application/json', ...traceHeader() },
            body,
            oidcToken: { serviceAccountEmail: config.tasksAccount, audience: url },
          },
        },
      },
      { timeout: wakeLimitMs },
    );
  } catch (error) {
    if ((error as { code?: number }).code !== alreadyExists) throw error;
  }
}
