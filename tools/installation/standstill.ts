/** What `terraform output -json recovery` says. */
export type Recovery = {
  project: string;
  region: string;
  database: string;
  serving_database: string;
  /** Where each subscription pushes, as which account, for which audience. */
  subscriptions: Record<string, { endpoint: string; account: string; audience: string }>;
  queues: string[];
  sweep: string;
  /** The longest that a function may work on what it was handed before everything stood still. */
  longest_call_seconds: number;
  base_url: string;
};

/** The methods of the clients of Cloud Tasks and Pub/Sub that are called. */
export type QueueClient = {
  getQueue(request: { name: string }): Promise<[{ state?: unknown }, ...unknown[]]>;
  pauseQueue(request: { name: string }): Promise<unknown>;
  resumeQueue(request: { name: string }): Promise<unknown>;
};
type PushConfig = { pushEndpoint?: string | null; oidcToken?: object | null };
export type SubscriptionClient = {
  getSubscription(request: {
    subscription: string;
  }): Promise<[{ pushConfig?: PushConfig | null | undefined }, ...unknown[]]>;
  modifyPushConfig(request: { subscription: string; pushConfig: PushConfig }): Promise<unknown>;
};
/** Cloud Scheduler by its REST API, because its client is not among what is installed. */
export type SchedulerClient = {
  stateOf(job: string): Promise<string>;
  pause(job: string): Promise<unknown>;
  resume(job: string): Promise<unknown>;
};
export type Clients = { queues: QueueClient; subscriptions: SubscriptionClient; scheduler: SchedulerClient };

/** Something that hands work to the functions. */
type Part = { name: string; isStill(): Promise<boolean>; bring(isStill: boolean): Promise<unknown> };

function partsOf(recovery: Recovery, { queues, subscriptions, scheduler }: Clients): Part[] {
  const { project, region } = recovery;
  const inRegion = `projects/${project}/locations/${region}`;
  const job = `${inRegion}/jobs/${recovery.sweep}`;
  return [
    {
      name: `the job ${recovery.sweep}`,
      isStill: async () => (await scheduler.stateOf(job)) === 'PAUSED',
      bring: (isStill) => (isStill ? scheduler.pause(job) : scheduler.resume(job)),
    },
    ...Object.entries(recovery.subscriptions).map(([id, { endpoint, account, audience }]): Part => {
      const subscription = `projects/${project}/subscriptions/${id}`;
      const push = { pushEndpoint: endpoint, oidcToken: { serviceAccountEmail: account, audience } };
      return {
        name: `the subscription ${id}`,
        isStill: async () => !(await subscriptions.getSubscription({ subscription }))[0].pushConfig?.pushEndpoint,
        bring: (isStill) => subscriptions.modifyPushConfig({ subscription, pushConfig: isStill ? {} : push }),
      };
    }),
    ...recovery.queues.map((id): Part => {
      const name = `${inRegion}/queues/${id}`;
      return {
        name: `the queue ${id}`,
        isStill: async () => (await queues.getQueue({ name }))[0].state === 'PAUSED',
        bring: (isStill) => (isStill ? queues.pauseQueue({ name }) : queues.resumeQueue({ name })),
      };
    }),
  ];
}

/**
 * Stops or resumes everything that hands work to the functions: what is as it shall be is left alone (a job must run to be paused,
 * cloud.google.com/scheduler/docs/reference/rest/v1/projects.locations.jobs/pause).
 * @returns what was changed
 * @throws Error that names what did not obey
 */
export async function bringTo(isStill: boolean, recovery: Recovery, clients: Clients): Promise<string[]> {
  const parts = partsOf(recovery, clients);
  const others = async () => {
    const found: Part[] = [];
    for (const part of parts) if ((await part.isStill()) !== isStill) found.push(part);
    return found;
  };
  const changed = await others();
  for (const part of changed) await part.bring(isStill);
  const left = changed.length === 0 ? [] : await others();
  if (left.length > 0)
    throw new Error(`${isStill ? 'still at work' : 'still paused'}: ${left.map(({ name }) => name).join(', ')}`);
  return changed.map(({ name }) => name);
}

/** @throws Error that names what is at work although everything must stand still */
export async function requireStandstill(recovery: Recovery, clients: Clients): Promise<void> {
  const working: string[] = [];
  for (const part of partsOf(recovery, clients)) if (!(await part.isStill())) working.push(part.name);
  if (working.length > 0) throw new Error(`at work although all must stand still: ${working.join(', ')}`);
}

/** The commands that do the same by hand. */
export function standstillCommands(isStill: boolean, recovery: Recovery): string[] {
  const { project, region, sweep, queues, subscriptions } = recovery;
  const verb = isStill ? 'pause' : 'resume';
  const pushOf = ({ endpoint, account, audience }: Recovery['subscriptions'][string]) =>
    isStill
      ? "--push-endpoint=''"
      : `--push-endpoint=${endpoint} --push-auth-service-account=${account} --push-auth-token-audience=${audience}`;
  return [
    `gcloud scheduler jobs ${verb} ${sweep} --location=${region} --project=${project}`,
    ...Object.entries(subscriptions).map(
      ([id, push]) => `gcloud pubsub subscriptions modify-push-config ${id} ${pushOf(push)} --project=${project}`,
    ),
    ...queues.map((id) => `gcloud tasks queues ${verb} ${id} --location=${region} --project=${project}`),
  ];
}
