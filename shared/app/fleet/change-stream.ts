import { toWireAlert } from '../../domain/alert/alert.ts';
import type { AuditEntry } from '../../domain/alert/lifecycle.ts';
import type { ActivityEntry } from '../../domain/device/activity.ts';
import type { Instant } from '../../domain/time.ts';
import { type Bearer, maySee } from '../bearer.ts';
import type { Timer, World } from '../ports.ts';

/** Entries of the alerts' trails and of the devices' activity, as they are committed. */
export type ChangeFeed = {
  /** Calls `take` with what is committed from `since` on, an entry perhaps twice. @returns how to end it */
  watch(since: Instant, take: (audit: AuditEntry[], activity: ActivityEntry[]) => void): () => void;
};

/** One change as listeners get it; what has an id can be asked for again from there on. */
export type Change = { id: string | null; event: 'alert' | 'device' | 'fleet' | 'reset'; data: object };
type Sent = Change & { groupId: string };

export type ChangeStream = {
  /**
   * Takes a listener in: first what it missed since the change it names, then what comes.
   * @returns how to let it go
   */
  listen(bearer: Bearer, lastId: string | null, take: (change: Change) => void): Promise<() => void>;
};

/** Most changes that a listener is told again; one that missed more is told to read anew. */
const mostMissed = 500;
/** Ids of changes that are remembered, since a feed may tell one twice. */
const mostRemembered = 5000;
/** Changes of the fleet are told at most this often, milliseconds. */
const fleetEveryMs = 5000;

type Listener = { bearer: Bearer; take: (change: Change) => void };

/** Tells listeners of changes in their groups. All listeners of a process share one subscription, and none listens for nobody. */
export function createChangeStream(world: World, feed: ChangeFeed): ChangeStream {
  const listeners = new Set<Listener>();
  const seen = new Set<string>();
  let unwatch: (() => void) | null = null;
  let fleetTimer: Timer | null = null;

  const broadcast = (changes: readonly Sent[]) => {
    for (const change of changes) {
      for (const listener of listeners) if (maySee(listener.bearer, change.groupId)) listener.take(wireOf(change));
    }
    if (changes.length > 0 && fleetTimer === null) fleetTimer = world.after(fleetEveryMs, tellFleet);
  };
  const tellFleet = () => {
    fleetTimer = null;
    const change: Change = { id: null, event: 'fleet', data: { at: world.now() } };
    for (const { take } of listeners) take(change);
  };
  const onEntries = (audit: AuditEntry[], activity: ActivityEntry[]) => {
    const isNew = ({ entryId }: { entryId: string }) => !seen.has(entryId);
    const fresh = [audit.filter(isNew), activity.filter(isNew)] as const;
    for (const { entryId } of fresh.flat()) seen.add(entryId);
    for (const entryId of seen) {
      if (seen.size <= mostRemembered) break;
      seen.delete(entryId);
    }
    changesOf(world, ...fresh).then(broadcast, (error) => world.log.error('stream.failed', { error: String(error) }));
  };

  return {
    async listen(bearer, lastId, take) {
      const listener: Listener = { bearer, take };
      const held: Change[] = [];
      listener.take = (change) => held.push(change);
      listeners.add(listener);
      unwatch ??= feed.watch(world.now(), onEntries);
      const leave = () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        unwatch?.();
        unwatch = null;
      };
      try {
        for (const change of lastId === null ? [] : await missedSince(world, bearer, lastId)) take(change);
      } catch (error) {
        leave();
        throw error;
      }
      for (const change of held) take(change);
      listener.take = take;
      return leave;
    },
  };
}

function wireOf({ id, event, data }: Sent): Change {
  return { id, event, data };
}

async function changesOf(
  { store }: World,
  audit: readonly AuditEntry[],
  activity: readonly ActivityEntry[],
): Promise<Sent[]> {
  const ids = [...new Set(audit.map(({ alertId }) => alertId))];
  const found = ids.length > 0 ? await store.get('alerts', ids) : [];
  const alerts = new Map(found.flatMap((stored) => (stored ? [[stored.id, toWireAlert(stored.data)]] : [])));
  const ofAlerts = audit.map(({ entryId, recordedAt, groupId, alertId, action, at, who }): [string, Sent] => [
    recordedAt,
    {
      id: `${recordedAt}~${entryId}`,
      event: 'alert',
      groupId,
      data: { change: action, at, who, alert: alerts.get(alertId) ?? null },
    },
  ]);
  const ofDevices = activity.map(({ entryId, at, groupId, deviceId, kind, who, summary }): [string, Sent] => [
    at,
    { id: `${at}~${entryId}`, event: 'device', groupId, data: { deviceId, change: kind, at, who, summary } },
  ]);
  return [...ofAlerts, ...ofDevices].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, change]) => change);
}

/** What came after a change, of the bearer's groups; at least once. An id that is not ours begins anew. */
async function missedSince(world: World, bearer: Bearer, lastId: string): Promise<Change[]> {
  const reset: Change = { id: null, event: 'reset', data: { at: world.now() } };
  const since = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)~[\w-]{1,80}$/.exec(lastId)?.[1];
  if (!since) return [reset];
  const limit = mostMissed + 1;
  const [audit, activity] = await Promise.all([
    world.store.find({
      in: 'audit',
      where: [{ field: 'recordedAt', is: '>=', value: since }],
      orderBy: [['recordedAt', 'asc']],
      limit,
    }),
    world.store.find({
      in: 'activity',
      where: [{ field: 'at', is: '>=', value: since }],
      orderBy: [['at', 'asc']],
      limit,
    }),
  ]);
  if (audit.length === limit || activity.length === limit) return [reset];
  const changes = await changesOf(
    world,
    audit.map(({ data }) => data),
    activity.map(({ data }) => data),
  );
  return changes.filter(({ id, groupId }) => id !== lastId && maySee(bearer, groupId)).map(wireOf);
}
