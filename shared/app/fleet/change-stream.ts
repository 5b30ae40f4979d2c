import { toWireAlert } from '../../domain/alert/alert.ts';
import type { AuditEntry } from '../../domain/alert/lifecycle.ts';
import type { ActivityEntry } from '../../domain/device/activity.ts';
import { concerns, type IncidentEntry, isPartly, toWireIncident } from '../../domain/incident/incident.ts';
import { type Instant, plus } from '../../domain/time.ts';
import { type Bearer, maySee } from '../bearer.ts';
import type { Timer, World } from '../ports.ts';

/** The entries that become changes: trails of alerts and incidents, and the activity of devices. */
export type Entries = { audit: AuditEntry[]; incidentAudit: IncidentEntry[]; activity: ActivityEntry[] };

/** The same entries as they are committed. */
export type ChangeFeed = {
  /** Calls `take` with entries committed from `since` on. An entry may come twice. @returns a function that stops it */
  watch(since: Instant, take: (entries: Entries) => void): () => void;
};

/** One change as listeners get it. A listener can resume after a change that has an id. */
export type Change = { id: string | null; event: 'alert' | 'incident' | 'device' | 'fleet' | 'reset'; data: object };
/** `to`: what a bearer gets of it. Null: nothing. */
type Sent = Pick<Change, 'id' | 'event'> & { to(bearer: Bearer): object | null };

export type ChangeStream = {
  /** The id of no change, which says where the stream stands: a listener that has not been told anything yet comes back with it. */
  position(): string;
  /**
   * Adds a listener. It first gets what it missed since the change that it names, then new changes.
   * @returns a function that removes it
   */
  listen(bearer: Bearer, lastId: string | null, take: (change: Change) => void): Promise<() => void>;
};

/** Maximum number of missed changes that a listener gets. A listener that missed more must read everything again. */
const mostMissed = 500;
/**
 * A change is committed a little after the time that it carries, and one that an earlier listener was told may have overtaken it: so far
 * back the store is read, milliseconds. Activity carries the time of its report, which lies further back.
 */
const lateMs = 10_000;
const activityLateMs = 2 * 60_000;
/** Ids of changes that are remembered, since a feed may tell one twice. */
const mostRemembered = 5000;
/** Changes of the fleet are sent at most this often, milliseconds. */
const fleetEveryMs = 5000;

type Listener = { bearer: Bearer; take: (change: Change) => void };

/** Sends listeners the changes in their groups. All listeners of a process share one subscription, which ends with the last of them. */
export function createChangeStream(world: World, feed: ChangeFeed): ChangeStream {
  const listeners = new Set<Listener>();
  const seen = new Set<string>();
  let unwatch: (() => void) | null = null;
  let fleetTimer: Timer | null = null;

  const broadcast = (changes: readonly Sent[]) => {
    for (const change of changes) {
      for (const { bearer, take } of listeners) for (const told of toldTo(bearer, change)) take(told);
    }
    if (changes.length > 0 && fleetTimer === null) fleetTimer = world.after(fleetEveryMs, tellFleet);
  };
  const tellFleet = () => {
    fleetTimer = null;
    const change: Change = { id: null, event: 'fleet', data: { at: world.now() } };
    for (const { take } of listeners) take(change);
  };
  const onEntries = ({ audit, incidentAudit, activity }: Entries) => {
    const isNew = ({ entryId }: { entryId: string }) => !seen.has(entryId);
    const fresh = {
      audit: audit.filter(isNew),
      incidentAudit: incidentAudit.filter(isNew),
      activity: activity.filter(isNew),
    };
    for (const { entryId } of Object.values(fresh).flat()) seen.add(entryId);
    for (const entryId of seen) {
      if (seen.size <= mostRemembered) break;
      seen.delete(entryId);
    }
    changesOf(world, fresh).then(broadcast, (error) => world.log.error('stream.failed', { error: String(error) }));
  };

  return {
    position: () => `${world.now()}~now`,
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

function toldTo(bearer: Bearer, { id, event, to }: Sent): Change[] {
  const data = to(bearer);
  return data ? [{ id, event, data }] : [];
}

async function changesOf(
  { store }: Pick<World, 'store'>,
  { audit, incidentAudit, activity }: Entries,
): Promise<Sent[]> {
  const incidents = await incidentChanges(store, incidentAudit);
  const ids = [...new Set(audit.map(({ alertId }) => alertId))];
  const found = ids.length > 0 ? await store.get('alerts', ids) : [];
  const alerts = new Map(found.flatMap((stored) => (stored ? [[stored.id, toWireAlert(stored.data)]] : [])));
  const ofAlerts = audit.map(({ entryId, recordedAt, groupId, alertId, action, at, who }): [string, Sent] => [
    recordedAt,
    {
      id: `${recordedAt}~${entryId}`,
      event: 'alert',
      to: (bearer) =>
        maySee(bearer, groupId) ? { change: action, at, who, alert: alerts.get(alertId) ?? null } : null,
    },
  ]);
  const ofDevices = activity.map(({ entryId, at, groupId, deviceId, kind, who, summary }): [string, Sent] => [
    at,
    {
      id: `${at}~${entryId}`,
      event: 'device',
      to: (bearer) => (maySee(bearer, groupId) ? { deviceId, change: kind, at, who, summary } : null),
    },
  ]);
  return [...ofAlerts, ...incidents, ...ofDevices]
    .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, change]) => change);
}

/** A change of an incident goes to each bearer whom it concerns, with what that bearer may see. */
async function incidentChanges(store: World['store'], entries: readonly IncidentEntry[]): Promise<[string, Sent][]> {
  const ids = [...new Set(entries.map(({ incidentId }) => incidentId))];
  const found = ids.length > 0 ? await store.get('incidents', ids) : [];
  const records = new Map(found.flatMap((stored) => (stored ? [[stored.id, stored.data]] : [])));
  return entries.flatMap(({ entryId, recordedAt, incidentId, action, at, who }): [string, Sent][] => {
    const record = records.get(incidentId);
    if (!record) return [];
    const to = (bearer: Bearer) => {
      if (!concerns(record, bearer.groups)) return null;
      const isHidden = isPartly(record, bearer.groups);
      return { change: action, at, who: isHidden ? 'hidden' : who, incident: toWireIncident(record, bearer.groups) };
    };
    return [[recordedAt, { id: `${recordedAt}~${entryId}`, event: 'incident', to }]];
  });
}

/** What came after a change, of the bearer's groups, and what came shortly before it. An id that is not ours begins anew. */
async function missedSince(world: World, bearer: Bearer, lastId: string): Promise<Change[]> {
  const reset: Change = { id: null, event: 'reset', data: { at: world.now() } };
  const since = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)~[\w-]{1,80}$/.exec(lastId)?.[1];
  if (!since || Number.isNaN(Date.parse(since))) return [reset];
  const from = plus(since, -lateMs);
  const limit = mostMissed + 1;
  const [audit, incidentAudit, activity] = await Promise.all([
    world.store.find({
      in: 'audit',
      where: [{ field: 'recordedAt', is: '>=', value: from }],
      orderBy: [['recordedAt', 'asc']],
      limit,
    }),
    world.store.find({
      in: 'incidentAudit',
      where: [{ field: 'recordedAt', is: '>=', value: from }],
      orderBy: [['recordedAt', 'asc']],
      limit,
    }),
    world.store.find({
      in: 'activity',
      where: [{ field: 'at', is: '>=', value: plus(since, -activityLateMs) }],
      orderBy: [['at', 'asc']],
      limit,
    }),
  ]);
  if ([audit, incidentAudit, activity].some(({ length }) => length === limit)) return [reset];
  const changes = await changesOf(world, {
    audit: audit.map(({ data }) => data),
    incidentAudit: incidentAudit.map(({ data }) => data),
    activity: activity.map(({ data }) => data),
  });
  return changes.filter(({ id }) => id !== lastId).flatMap((change) => toldTo(bearer, change));
}
