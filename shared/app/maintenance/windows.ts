import {
  endedWindow,
  faultsOfWindow,
  toWireWindow,
  type WindowRecord,
  windowRecord,
} from '../../domain/maintenance/window.ts';
import { AppError, notFound } from '../../errors.ts';
import type {
  MaintenanceWindow,
  MaintenanceWindowInput,
  MaintenanceWindowQuery,
} from '../../schema/maintenance/window.ts';
import type { Bearer } from '../bearer.ts';
import { decideAndCommit, requireVersion } from '../commit/commit.ts';

import { listKey, type PageTokens, pageOf } from '../paging/paging.ts';
import type { Reads, Stored, Wake, World } from '../ports.ts';
import {
  emptyGroups,
  loadConfiguration,
  lockedConfiguration,
  maxWindows,
  requireQuota,
  revisionWrite,
} from '../settings/configuration.ts';
import { groupsConcerned, isWithinReach, requireMayWrite } from '../writes/may-write.ts';

/** A window as the API returns it, with the version that `If-Match` refers to. */
export type VersionedWindow = { window: MaintenanceWindow; version: number };

/** Windows that a list examines, newest first. */
const mostListed = 2000;

/**
 * Lists windows, newest first. A bearer limited to groups sees the windows that match only these groups.
 * @throws AppError `invalid-request` for the page token of another list
 */
export async function listWindows(
  world: World,
  bearer: Bearer,
  query: MaintenanceWindowQuery,
  tokens: PageTokens,
): Promise<{ windows: MaintenanceWindow[]; nextPageToken?: string }> {
  const { settings } = await loadConfiguration(world);
  const now = world.now();
  const asked = { tokens, key: listKey('windows', query, bearer.groups), page: query };
  const read = async (limit: number, { after }: { after?: unknown[] }) => {
    const found = await world.store.find({
      in: 'windows',
      where: [{ field: 'endedAt', is: '==', value: null }],
      orderBy: [['createdAt', 'desc']],
      limit: mostListed,
      ...(after ? { after } : {}),
    });
    const shown = found.filter(({ data }) => isWithinReach(bearer, 'windows', data));
    const windows = shown.map(({ data }) => toWireWindow(data, now, settings.timeZone));
    return windows.filter(({ state }) => query.state?.includes(state) ?? true).slice(0, limit);
  };
  const { items, next } = await pageOf(asked, read, ({ createdAt, windowId }) => [createdAt, windowId]);
  return { windows: items, ...next };
}

/** @throws AppError `not-found`, also for a window that matches groups outside the bearer's */
export async function getWindow(world: World, bearer: Bearer, windowId: string): Promise<VersionedWindow> {
  const { data } = await load(world, bearer, windowId);
  return versionedOf(world, data);
}

/**
 * Creates a window. If the bearer is limited to groups, so is the window.
 * @throws AppError `invalid-request`; `quota-exceeded`
 */
export async function createWindow(
  world: World,
  bearer: Bearer,
  input: MaintenanceWindowInput,
  windowId: string,
): Promise<VersionedWindow> {
  requireFit(input);
  return decideAndCommit(world, async () => {
    const now = world.now();
    const [{ windows }, revision] = await lockedConfiguration(world);
    const { subject, groups: limitedTo } = bearer;
    const by = { createdBy: subject, createdAt: now, changedAt: now, limitedTo: limitedTo && [...limitedTo] };
    const data = windowRecord(input, { windowId, ...by, version: 1 });
    await requireRoom(world, bearer, windows, data);
    return {
      writes: [{ kind: 'create', in: 'windows', id: windowId, data }, revision],
      wakes: wakesOf(data),
      answer: await versionedOf(world, data),
    };
  });
}

/**
 * Replaces a window. The alerts that it silences are evaluated again.
 * @throws AppError `not-found`; `limited-to-groups`; `invalid-request`; `precondition-failed`; `quota-exceeded`
 */
export async function putWindow(
  world: World,
  bearer: Bearer,
  windowId: string,
  input: MaintenanceWindowInput,
  ifVersion: number | null,
): Promise<VersionedWindow> {
  requireFit(input);
  return decideAndCommit(world, async () => {
    const now = world.now();
    const stored = await loadWritable(world, bearer, windowId);
    const { limitedTo, createdBy, createdAt, version } = stored.data;
    requireVersion('maintenance window', version, ifVersion);
    const [{ windows }, revision] = await lockedConfiguration(world);
    const kept = { windowId, limitedTo, createdBy, createdAt, changedAt: now, version: version + 1 };
    const data = { ...windowRecord(input, kept), dueAt: now };
    await requireRoom(
      world,
      bearer,
      windows.filter((other) => other.windowId !== windowId),
      data,
    );
    return {
      writes: [{ kind: 'replace', in: 'windows', id: windowId, data, revision: stored.revision }, revision],
      wakes: wakesOf(data),
      answer: await versionedOf(world, data),
    };
  });
}

/**
 * Ends a window for good: people are notified of the alerts that it silenced, and their clocks start. @throws AppError `not-found`;
 * `limited-to-groups`; `precondition-failed`
 */
export async function deleteWindow(
  world: World,
  bearer: Bearer,
  windowId: string,
  ifVersion: number | null,
): Promise<void> {
  await decideAndCommit(world, async () => {
    const stored = await loadWritable(world, bearer, windowId);
    requireVersion('maintenance window', stored.data.version, ifVersion);
    const data = endedWindow(stored.data, world.now());
    const write = { kind: 'replace', in: 'windows', id: windowId, data, revision: stored.revision } as const;
    return { writes: [write, await revisionWrite(world.store)], wakes: wakesOf(data), answer: undefined };
  });
}

/** Checks what the schema cannot express. @throws AppError `invalid-request` that names each member at fault */
export function requireFit(input: MaintenanceWindowInput): void {
  const errors = faultsOfWindow(input);
  if (errors.length > 0) throw new AppError('invalid-request', 'The window is not valid.', { errors });
}

async function requireRoom(
  world: World,
  bearer: Bearer,
  windows: readonly WindowRecord[],
  window: WindowRecord,
): Promise<void> {
  const now = world.now();
  const others = windows.filter(({ lastsTo }) => lastsTo > now);
  if (others.length >= maxWindows) {
    throw new AppError('quota-exceeded', `There are already ${maxWindows} maintenance windows, the maximum.`);
  }
  const groupsOf = (each: WindowRecord) => groupsConcerned('windows', each);
  const asked = { groups: groupsOf(window), others: others.map(groupsOf) };
  requireQuota('windows', asked, await emptyGroups(world, bearer, [asked.groups, ...asked.others]));
}

function wakesOf({ windowId: id, version, dueAt }: WindowRecord): Wake[] {
  return dueAt === null ? [] : [{ in: 'windows', id, version, dueAt }];
}

async function versionedOf(world: World, data: WindowRecord): Promise<VersionedWindow> {
  const { settings } = await loadConfiguration(world);
  return { window: toWireWindow(data, world.now(), settings.timeZone), version: data.version };
}

async function load({ store }: Reads<'windows'>, bearer: Bearer, windowId: string): Promise<Stored<'windows'>> {
  const [stored = null] = await store.get('windows', [windowId]);
  if (!stored || stored.data.endedAt !== null || !isWithinReach(bearer, 'windows', stored.data)) {
    throw notFound(`maintenance window ${windowId}`);
  }
  return stored;
}

async function loadWritable(world: Reads<'windows'>, bearer: Bearer, windowId: string): Promise<Stored<'windows'>> {
  const stored = await load(world, bearer, windowId);
  requireMayWrite(bearer, 'windows', stored.data, stored.data);
  return stored;
}
