import { toWireAlert } from '../../domain/alert/alert.ts';
import { concerns, isPartly, toWireIncident } from '../../domain/incident/incident.ts';
import { plus } from '../../domain/time.ts';
import { type Bearer, maySee } from '../bearer.ts';
import { type OrderedKind, type Position, positionAt, readPosition, timeOf } from '../commit-order.ts';
import { loadLostTime } from '../events/feed.ts';
import type { PositionedRecord, TailPage, Timer, World } from '../ports.ts';

/** The kinds of entries that become changes: trails of alerts and incidents, and the activity of devices. */
const watchedKinds = ['audit', 'incidentAudit', 'activity'] as const;
type StreamKind = (typeof watchedKinds)[number];
export type Entries = { [K in StreamKind]: PositionedRecord<K>[] };

/** Entries of a kind per query. If there are more, further queries follow at once, so entries are not kept in memory. */
export const mostAtOnce = 500;

type WatchOptions = {
  /** The polling interval, milliseconds. */
  everyMs: number;
  /** Receives entries soon after their commit, each once. Entries of one call are in order. */
  take: (entries: Entries) => Promise<void>;
};

/**
 * Follows commits from now on, with one cursor per kind that all listeners of a process share. An entry is passed on as soon as it is seen, even if
 * an earlier one may still appear. Until the cursor has passed it, its id is remembered, so that it is passed on only once.
 * `ready` is rejected if the store does not say where it is now: a later position would silently leave changes out.
 */
export function watchCommits(world: World, { everyMs, take }: WatchOptions): { ready: Promise<void>; stop(): void } {
  const { store, log } = world;
  const passed = new Set<string>();
  let timer: Timer | null = null;
  let isStopped = false;

  const lookAt = async <K extends StreamKind>(kind: K, after: Position) => {
    const tailed = await store.tail({ in: kind, after, limit: mostAtOnce });
    return { ...tailed, fresh: [...tailed.found, ...tailed.ahead].filter(({ id }) => !passed.has(id)) };
  };
  /** Passes on one page of each kind. @returns the positions after it, and whether there is more */
  const look = async (from: Record<StreamKind, Position>) => {
    const [audit, incidentAudit, activity] = await Promise.all([
      lookAt('audit', from.audit),
      lookAt('incidentAudit', from.incidentAudit),
      lookAt('activity', from.activity),
    ]);
    await take({ audit: audit.fresh, incidentAudit: incidentAudit.fresh, activity: activity.fresh });
    const all = [audit, incidentAudit, activity];
    for (const { found, ahead } of all) {
      for (const { id } of found) passed.delete(id);
      for (const { id } of ahead) passed.add(id);
    }
    const positions = { audit: audit.end, incidentAudit: incidentAudit.end, activity: activity.end };
    return { positions, isMore: all.some(({ found }) => found.length === mostAtOnce) };
  };
  const goOn = async (from: Record<StreamKind, Position>): Promise<void> => {
    let positions = from;
    try {
      for (let isMore = true; isMore && !isStopped; ) ({ positions, isMore } = await look(positions));
    } catch (error) {
      // The positions have moved only after success, so the same entries are read again.
      log.error('stream.failed', { error: String(error) });
    }
    if (!isStopped) timer = world.after(everyMs, () => void goOn(positions));
  };
  const begin = async (): Promise<Record<StreamKind, Position>> => {
    const [audit, incidentAudit, activity] = await Promise.all(
      watchedKinds.map(async (kind) => (await store.tail({ in: kind, after: null, limit: 1 })).end),
    );
    if (!audit || !incidentAudit || !activity) throw new Error('a kind of entries has no position');
    return { audit, incidentAudit, activity };
  };
  const ready = begin().then((from) => void goOn(from));
  return {
    ready,
    stop() {
      isStopped = true;
      timer?.stop();
    },
  };
}

/** One change as listeners get it. A listener can resume after a change that has an id. */
export type StreamChange = {
  id: string | null;
  event: 'alert' | 'incident' | 'device' | 'fleet' | 'reset';
  data: object;
};
/** `to`: the change as a bearer may see it. Null: the bearer may not see it. */
type StreamItem = { id: Position; event: StreamChange['event']; to(bearer: Bearer): object | null };

export type ChangeStream = {
  /** An id that stands for the present position of the stream. A listener that got no change yet reconnects with it. */
  position(): string;
  /**
   * Adds a listener. It first gets the changes that it missed since `lastId`, then new ones. Changes that come together are taken together:
   * listeners that may see the same groups get the same array.
   * @param hasRoom settles when the listener can take as many changes as come at once
   * @returns a function that removes it
   * @throws what the store throws, so that the listener reconnects: it must not believe that it misses nothing
   */
  listen(
    bearer: Bearer,
    lastId: string | null,
    take: (changes: readonly StreamChange[]) => void,
    hasRoom?: () => Promise<void>,
  ): Promise<() => void>;
};

/** Maximum number of missed changes that a listener gets. A listener that missed more must read everything again. */
const mostMissed = 500;
/** A change may become visible shortly after one that a listener already got, so the store is read from this much earlier, milliseconds. */
const lateMs = 10_000;
/** Changes of the fleet are sent at most this often, milliseconds. */
const fleetEveryMs = 5000;

/**
 * While many changes follow each other, the stream waits at most this long for listeners to take the ones before, milliseconds. A listener that is
 * slower falls behind and is not waited for again before it has caught up: one that reads nothing must not delay the others.
 */
const roomMs = 5000;

type Listener = {
  bearer: Bearer;
  take: (changes: readonly StreamChange[]) => void;
  hasRoom: () => Promise<void>;
  isBehind: boolean;
};
const always = async () => {};

/**
 * Sends listeners the changes in their groups. All listeners of a process share one cursor, which ends with the last of them.
 * @param everyMs how often it looks for changes
 */
export function createChangeStream(world: World, everyMs: number): ChangeStream {
  const listeners = new Set<Listener>();
  let watch: ReturnType<typeof watchCommits> | null = null;
  let fleetTimer: Timer | null = null;

  const broadcast = (changes: readonly StreamItem[]) => {
    const byGroups = new Map<string, StreamChange[]>();
    for (const { bearer, take } of listeners) {
      const groups = JSON.stringify(bearer.groups);
      const visible = byGroups.get(groups) ?? changes.flatMap((change) => visibleTo(bearer, change));
      byGroups.set(groups, visible);
      if (visible.length > 0) take(visible);
    }
    if (changes.length > 0 && fleetTimer === null) fleetTimer = world.after(fleetEveryMs, announceFleet);
  };
  const announceFleet = () => {
    fleetTimer = null;
    const fleet: StreamChange[] = [{ id: null, event: 'fleet', data: { at: world.now() } }];
    for (const { take } of listeners) take(fleet);
  };
  const take = async (entries: Entries) => {
    const changes = await changesOf(world, entries);
    broadcast(changes);
    if (changes.length > 0) await roomOf(world, [...listeners]);
  };

  return {
    position: () => `${positionAt(world.now())}now`,
    async listen(bearer, lastId, send, hasRoom = always) {
      const listener: Listener = { bearer, take: send, hasRoom, isBehind: false };
      const held: StreamChange[] = [];
      listener.take = (changes) => held.push(...changes);
      listeners.add(listener);
      watch ??= watchCommits(world, { everyMs, take });
      const leave = () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        watch?.stop();
        watch = null;
      };
      try {
        await watch.ready;
        const missed = lastId === null ? [] : await missedSince(world, bearer, lastId);
        // The shared cursor may be behind the changes that were just read.
        const takeOnce = skippingOnce(missed, send);
        if (missed.length > 0) send(missed);
        takeOnce(held);
        listener.take = takeOnce;
      } catch (error) {
        leave();
        world.log.error('stream.failed', { error: String(error) });
        throw error;
      }
      return leave;
    },
  };
}

/** A listener that skips each of `missed` once, because it got those before. */
function skippingOnce(missed: readonly StreamChange[], send: Listener['take']): Listener['take'] {
  const skipped = new Set(missed.flatMap(({ id }) => id ?? []));
  return (changes) => {
    const fresh = changes.filter(({ id }) => id === null || !skipped.delete(id));
    // If nothing is skipped, the array stays the one that others get too.
    if (fresh.length > 0) send(fresh.length === changes.length ? changes : fresh);
  };
}

/**
 * Waits until all listeners that are not behind have room, but at most for `roomMs`. Otherwise a flood of changes would fill the buffer of each
 * listener.
 */
async function roomOf(world: Pick<World, 'after'>, listeners: readonly Listener[]): Promise<void> {
  let timer: Timer | null = null;
  const late = new Promise<void>((resolve) => {
    timer = world.after(roomMs, resolve);
  });
  const rooms = listeners.map(async (listener) => {
    if (listener.isBehind) return;
    listener.isBehind = true;
    await listener.hasRoom();
    listener.isBehind = false;
  });
  await Promise.race([Promise.all(rooms), late]);
  (timer as Timer | null)?.stop();
}

function visibleTo(bearer: Bearer, { id, event, to }: StreamItem): StreamChange[] {
  const data = to(bearer);
  return data ? [{ id, event, data }] : [];
}

async function changesOf({ store }: Pick<World, 'store'>, entries: Entries): Promise<StreamItem[]> {
  const incidents = await incidentChanges(store, entries.incidentAudit);
  const ids = [...new Set(entries.audit.map(({ data }) => data.alertId))];
  const found = ids.length > 0 ? await store.get('alerts', ids) : [];
  const alerts = new Map(found.flatMap((stored) => (stored ? [[stored.id, toWireAlert(stored.data)]] : [])));
  const ofAlerts = entries.audit.map(({ position: id, data }): StreamItem => {
    const { groupId, alertId, action, at, who } = data;
    const change = { change: action, at, who, alert: alerts.get(alertId) ?? null };
    return { id, event: 'alert', to: (bearer) => (maySee(bearer, groupId) ? change : null) };
  });
  const ofDevices = entries.activity.map(({ position: id, data }): StreamItem => {
    const { at, groupId, deviceId, kind, who, summary } = data;
    const change = { deviceId, change: kind, at, who, summary };
    return { id, event: 'device', to: (bearer) => (maySee(bearer, groupId) ? change : null) };
  });
  return [...ofAlerts, ...incidents, ...ofDevices].toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** Each bearer that may see an incident gets its changes, limited to what that bearer may see. */
async function incidentChanges(store: World['store'], entries: Entries['incidentAudit']): Promise<StreamItem[]> {
  const ids = [...new Set(entries.map(({ data }) => data.incidentId))];
  const found = ids.length > 0 ? await store.get('incidents', ids) : [];
  const records = new Map(found.flatMap((stored) => (stored ? [[stored.id, stored.data]] : [])));
  return entries.flatMap(({ position: id, data: { incidentId, action, at, who } }): StreamItem[] => {
    const record = records.get(incidentId);
    if (!record) return [];
    const to = (bearer: Bearer) => {
      if (!concerns(record, bearer.groups)) return null;
      const isHidden = isPartly(record, bearer.groups);
      return { change: action, at, who: isHidden ? 'hidden' : who, incident: toWireIncident(record, bearer.groups) };
    };
    return [{ id, event: 'incident', to }];
  });
}

/** Changes after a given one, and those shortly before it, in the bearer's groups. A `reset` instead for an unknown id, or if there are too many. */
async function missedSince(world: World, bearer: Bearer, lastId: string): Promise<StreamChange[]> {
  const { store, now } = world;
  const reset: StreamChange = { id: null, event: 'reset', data: { at: now() } };
  const since = readPosition(lastId);
  const lost = await loadLostTime(world);
  if (since === null || (lost && since < positionAt(lost.at))) return [reset];
  const after = positionAt(plus(`${timeOf(since).slice(0, 23)}Z`, -lateMs));
  const limit = mostMissed + 1;
  const [audit, incidentAudit, activity] = await Promise.all([
    store.tail({ in: 'audit', after, limit }),
    store.tail({ in: 'incidentAudit', after, limit }),
    store.tail({ in: 'activity', after, limit }),
  ]);
  const entries = { audit: allOf(audit), incidentAudit: allOf(incidentAudit), activity: allOf(activity) };
  if (Object.values(entries).some(({ length }) => length === limit)) return [reset];
  const changes = await changesOf(world, entries);
  return changes.filter(({ id }) => id !== lastId).flatMap((change) => visibleTo(bearer, change));
}

function allOf<K extends OrderedKind>({ found, ahead }: TailPage<K>): PositionedRecord<K>[] {
  return [...found, ...ahead];
}
