import { decideRemoval } from '../../domain/change/decide.ts';
import { decideMove } from '../../domain/change/move.ts';
import { renamesOf } from '../../domain/change/renames.ts';
import { activityEntry } from '../../domain/device/activity.ts';
import type { Device } from '../../domain/device/device.ts';
import { patienceOf, silentAtOf } from '../../domain/device/patience.ts';
import { tombstoneOf } from '../../domain/device/tombstone.ts';
import { stateOf, toWireDevice } from '../../domain/device/view.ts';
import { isSame } from '../../domain/same.ts';
import { AppError, notFound } from '../../errors.ts';
import type { DevicePatch, Device as WireDevice } from '../../schema/device/device.ts';
import { type Bearer, maySee } from '../bearer.ts';
import { activityWrite, decided, nothingRead, renameWrite } from '../change/written.ts';
import { decideAndCommit } from '../commit/commit.ts';
import type { Reads, Stored, World, Write } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';
import { type SightReads, viewSight } from '../sight/sight.ts';

/** Reads one device. @throws AppError `not-found`, also where it belongs to a group that is not the bearer's */
export async function getDevice(
  world: Reads<'devices' | 'platform'> & SightReads,
  bearer: Bearer,
  deviceId: string,
): Promise<WireDevice> {
  const { data } = await loadDevice(world, bearer, deviceId);
  return shownDevice(world, data);
}

/**
 * Names a device, says how it reports, or moves it to another group, with what is open on it; what is over stays where it was.
 * @throws AppError `not-found`, also for a group that is not the bearer's
 */
export async function changeDevice(
  world: World,
  bearer: Bearer,
  deviceId: string,
  patch: DevicePatch,
): Promise<WireDevice> {
  if (patch.groupId !== undefined && !maySee(bearer, patch.groupId)) throw notFound(`group ${patch.groupId}`);
  const changed = await decideAndCommit<Device>(world, async () => {
    const stored = await loadDevice(world, bearer, deviceId);
    const { data } = stored;
    const members = Object.keys(patch) as (keyof DevicePatch)[];
    const differing = members.filter((member) => !isSame(patch[member], data[member]));
    const setByHand = [...new Set([...data.setByHand, ...members])].toSorted();
    if (differing.length === 0 && setByHand.length === data.setByHand.length) {
      return { writes: [], wakes: [], answer: data };
    }
    const version = data.version + 1;
    const { settings } = await loadConfiguration(world);
    const set = { ...data, ...patch, setByHand, version };
    const patient: Device = { ...set, patience: patienceOf(set, settings) };
    const device: Device = { ...patient, silentAt: data.isOnline ? silentAtOf(patient, world.waits) : null };
    const entry = activityEntry(device, world.now(), `version ${version}`, {
      kind: 'device-changed',
      who: bearer.subject,
      summary:
        differing.map((member) => `${member}: ${shown(data[member])} → ${shown(patch[member])}`).join(', ') ||
        'Kept as it is',
      detail: Object.fromEntries(members.map((member) => [member, shown(patch[member])])),
    });
    if (device.groupId !== data.groupId) {
      const read = { ...nothingRead, device: stored };
      const { change, writes, wakes } = await decided(world, read, world.now(), (known, given) =>
        decideMove(data, device, bearer.subject, known, given),
      );
      return { writes: [...writes, activityWrite(entry)], wakes, answer: change.device ?? device };
    }
    return {
      writes: [
        { kind: 'replace', in: 'devices', id: deviceId, data: device, revision: stored.revision },
        ...renamesOf(data, device).map(renameWrite),
        activityWrite(entry),
      ],
      wakes: [],
      answer: device,
    };
  });
  return shownDevice(world, changed);
}

/** The device as the API shows it, by what the platform can see now. */
export async function shownDevice(world: SightReads, device: Device): Promise<WireDevice> {
  const { state } = await viewSight(world);
  return toWireDevice(device, stateOf(device, state === 'blind', world.now()));
}

/**
 * Decommissions a device: what is open on it is resolved by the bearer. What it reports from a minute later on registers it anew, with what
 * people had set.
 * @throws AppError `not-found`
 */
export async function removeDevice(world: World, bearer: Bearer, deviceId: string): Promise<void> {
  await decideAndCommit(world, async () => {
    const stored = await loadDevice(world, bearer, deviceId);
    const now = world.now();
    const ids = Object.values(stored.data.open).map(({ alertId }) => alertId);
    const alerts = await world.store.get('alerts', ids);
    if (alerts.some((alert) => alert && !maySee(bearer, alert.data.groupId))) {
      throw new AppError('forbidden', 'Alerts of groups that are not yours are open on this device.');
    }
    const entry = activityEntry(stored.data, now, `version ${stored.data.version}`, {
      kind: 'device-removed',
      who: bearer.subject,
      summary: 'Decommissioned',
      detail: { resolvedAlertIds: ids },
    });
    const read = { ...nothingRead, alerts: new Map(ids.map((id, index) => [id, alerts[index] ?? null])) };
    const open = alerts.flatMap((alert) => (alert ? [alert.data] : []));
    const { writes, wakes } = await decided(world, read, now, (known, given) =>
      decideRemoval(open, bearer.subject, known, given),
    );
    const removal: Write = { kind: 'delete', in: 'devices', id: deviceId, revision: stored.revision };
    const tombstone: Write = { kind: 'create', in: 'tombstones', id: deviceId, data: tombstoneOf(stored.data, now) };
    return { writes: [removal, tombstone, ...writes, activityWrite(entry)], wakes, answer: undefined };
  });
}

/** A value in the words of an entry. */
function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** @throws AppError `not-found` */
export async function loadDevice(
  world: Reads<'devices'>,
  bearer: Bearer,
  deviceId: string,
): Promise<Stored<'devices'>> {
  const [stored = null] = await world.store.get('devices', [deviceId]);
  if (!stored || !maySee(bearer, stored.data.groupId)) throw notFound(`device ${deviceId}`);
  return stored;
}
