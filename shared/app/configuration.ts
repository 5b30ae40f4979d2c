import { defaultSchedules, type ScheduleSettings } from '../domain/schedules.ts';
import type { Webhook } from '../domain/webhook.ts';
import type { Store, World, Write } from './ports.ts';

/** What operators and customers have configured, as one bundle. */
export type Configuration = { webhooks: readonly Webhook[]; settings: ScheduleSettings };

const revisionId = 'configuration';
/** More endpoints than this are refused at creation, so that the bundle stays small. */
export const maxWebhooks = 1000;

/** Bundles by the store they came from: use cases of one process share theirs. */
const cache = new WeakMap<Store, { count: number; configuration: Promise<Configuration> }>();

/** The configuration as of now for one read: it is loaded anew only when a commit has changed it. */
export async function loadConfiguration({ store }: Pick<World, 'store'>): Promise<Configuration> {
  const [revision = null] = await store.get('revisions', [revisionId]);
  const count = revision?.data.count ?? 0;
  const known = cache.get(store);
  if (known?.count === count) return known.configuration;
  // Read after the revision: what is newer than its number is loaded once more, never the other way round.
  const configuration = readAll(store);
  cache.set(store, { count, configuration });
  configuration.catch(() => cache.delete(store));
  return configuration;
}

async function readAll(store: Store): Promise<Configuration> {
  const webhooks = await store.find({ in: 'webhooks', orderBy: [['createdAt', 'asc']], limit: maxWebhooks });
  return { webhooks: webhooks.map(({ data }) => data), settings: defaultSchedules };
}

/** The write that makes every cached bundle stale; part of each commit that changes the configuration. */
export async function revisionWrite(store: Store): Promise<Write> {
  const [revision = null] = await store.get('revisions', [revisionId]);
  if (!revision) return { kind: 'create', in: 'revisions', id: revisionId, data: { count: 1 } };
  return { kind: 'patch', in: 'revisions', id: revisionId, set: {}, add: { count: 1 } };
}
