import google from '@google-cloud/firestore';
import { v1 as pubsub } from '@google-cloud/pubsub';
import tasks from '@google-cloud/tasks';
import type { Admin } from '../indexes/database.ts';
import type { CopyClient } from './copies.ts';
import type { Clients, SchedulerClient } from './standstill.ts';

/** Google's clients, and how to close them. */
export type Connected = { admin: Admin & CopyClient; clients: Clients; close(): Promise<void> };

/** @param token for the APIs that have no client here */
export function createScheduler(token: () => Promise<string>, base = 'https://'): SchedulerClient {
  const ask = async (path: string, method: 'GET' | 'POST') => {
    const response = await fetch(`${base}cloudscheduler.googleapis.com/v1/${path}`, {
      method,
      headers: { Authorization: `Bearer ${await token()}` },
      redirect: 'error',
      signal: AbortSignal.timeout(30_000),
    });
    if (!response.ok) throw new Error(`cloudscheduler.googleapis.com answered ${response.status} for ${path}`);
    return (await response.json()) as { state?: string };
  };
  return {
    stateOf: async (job) => (await ask(job, 'GET')).state ?? '',
    pause: (job) => ask(`${job}:pause`, 'POST'),
    resume: (job) => ask(`${job}:resume`, 'POST'),
  };
}

/** Connects with the credentials of `gcloud auth application-default login`. */
export function connectGoogle(projectId: string): Connected {
  const admin = new google.v1.FirestoreAdminClient({ projectId });
  const queues = new tasks.CloudTasksClient({ projectId });
  const subscriptions = new pubsub.SubscriberClient({ projectId });
  const token = async () => (await admin.auth.getAccessToken()) ?? '';
  return {
    admin: admin as unknown as Admin & CopyClient,
    clients: { queues, subscriptions, scheduler: createScheduler(token) },
    close: async () => {
      await Promise.all([admin.close(), queues.close(), subscriptions.close()]);
    },
  };
}
