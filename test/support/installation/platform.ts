import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { v1 as pubsub } from '@google-cloud/pubsub';
import tasks from '@google-cloud/tasks';
import { credentials, type handleUnaryCall, Server, status } from '@grpc/grpc-js';
import { bindServer, loadService } from '../../../local/cloud/grpc-services.ts';
import { startTasks } from '../../../local/cloud/tasks/server.ts';
import { defaultQueueSettings } from '../../../local/cloud/tasks/settings.ts';
import { createScheduler } from '../../../tools/installation/google.ts';
import type { Clients, Recovery } from '../../../tools/installation/standstill.ts';

type Push = { pushEndpoint: string; oidcToken: object | null };

/** What hands work to the functions, as stand-ins that Google's own clients speak with, and their state. */
export async function startPlatform({ project, region, queues, subscriptions, sweep }: Recovery) {
  const inRegion = `projects/${project}/locations/${region}`;
  const queueNames = queues.map((id) => `${inRegion}/queues/${id}`);
  const queueServer = await startTasks({
    port: 0,
    issuer: 'http://127.0.0.1:1',
    queues: Object.fromEntries(queueNames.map((name) => [name, defaultQueueSettings])),
    journalFile: null,
  });
  const insecure = { sslCreds: credentials.createInsecure(), projectId: project };
  const queueClient = new tasks.CloudTasksClient({ ...insecure, apiEndpoint: '127.0.0.1', port: queueServer.port });
  const pushes = new Map<string, Push | null>(
    Object.entries(subscriptions).map(([id, { endpoint, account, audience }]) => [
      `projects/${project}/subscriptions/${id}`,
      { pushEndpoint: endpoint, oidcToken: { serviceAccountEmail: account, audience } },
    ]),
  );
  const pushServer = await startSubscriber(pushes);
  const pushClient = new pubsub.SubscriberClient({ ...insecure, apiEndpoint: '127.0.0.1', port: pushServer.port });
  const scheduler = await startScheduler(`${inRegion}/jobs/${sweep}`);
  const clients: Clients = {
    queues: queueClient,
    subscriptions: pushClient,
    scheduler: createScheduler(async () => 'token', scheduler.base),
  };
  return {
    clients,
    pushes,
    sweeps: () => scheduler.state() === 'ENABLED',
    hands: () => [...pushes.values()].every((push) => push !== null),
    /** Whether any queue dispatches. */
    async dispatches() {
      for (const name of queueNames) if ((await queueClient.getQueue({ name }))[0].state === 'RUNNING') return true;
      return false;
    },
    async stop() {
      await Promise.all([queueClient.close(), pushClient.close()]);
      await Promise.all([queueServer.stop(), pushServer.stop(), scheduler.stop()]);
    },
  };
}

/** The part of `google.pubsub.v1.Subscriber` that says and changes where a subscription pushes. */
async function startSubscriber(pushes: Map<string, Push | null>) {
  const server = new Server();
  // biome-ignore lint/suspicious/noExplicitAny: the messages are described at run time only
  const unary = (act: (request: any, push: Push | null) => object): handleUnaryCall<any, any> => {
    return (call, answer) => {
      const push = pushes.get(call.request.subscription);
      if (push === undefined) return answer({ code: status.NOT_FOUND, details: `no ${call.request.subscription}` });
      const { pushEndpoint = '' } = call.request.pushConfig ?? {};
      if (pushEndpoint !== '' && !pushEndpoint.startsWith('https://'))
        return answer({ code: status.INVALID_ARGUMENT, details: 'push endpoint must be https' });
      answer(null, act(call.request, push));
    };
  };
  server.addService(loadService('@google-cloud/pubsub', '../../protos', 'google.pubsub.v1.Subscriber'), {
    getSubscription: unary(({ subscription }, push) => ({ name: subscription, pushConfig: push })),
    modifyPushConfig: unary(({ subscription, pushConfig }) => {
      const { pushEndpoint = '', oidcToken = null } = pushConfig ?? {};
      pushes.set(subscription, pushEndpoint === '' ? null : { pushEndpoint, oidcToken });
      return {};
    }),
  });
  return { port: await bindServer(server, 0), stop: async () => server.forceShutdown() };
}

/** Cloud Scheduler's REST API for one job. It refuses to pause what is paused, and to resume what runs. */
async function startScheduler(job: string) {
  let state = 'ENABLED';
  const server = createServer((request, response) => {
    const [path = '', verb] = (request.url ?? '').split(':');
    const wanted = { pause: 'PAUSED', resume: 'ENABLED' }[verb ?? ''];
    const isKnown = path === `/cloudscheduler.googleapis.com/v1/${job}`;
    const isRefused = verb !== undefined && (wanted === undefined || wanted === state || request.method !== 'POST');
    if (isKnown && !isRefused && wanted) state = wanted;
    response.writeHead(isKnown ? (isRefused ? 400 : 200) : 404, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ name: job, state }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    state: () => state,
    stop: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
