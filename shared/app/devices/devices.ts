import { decideRemoval } from '../../domain/change/decide.ts';
import { renamesOf } from '../../domain/change/renames.ts';
import { activityEntry } from '../../domain/device/activity.ts';
import type { Device } from '../../domain/device/device.ts';
import { stateOf, toWireDevice } from '../../domain/device/view.ts';
import { notFound } from '../../errors.ts';
import type { DevicePatch, Device as WireDevice } from '../../schema/device/device.ts';
import { type Bearer, maySee } from '../bearer.ts';
import { activityWrite, decided, nothingRead, renameWrite } from '../change/written.ts';
import { decideAndCommit } from '../commit/commit.ts';
import type { Reads, Stored, World, Write } from '../ports.ts';
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
 * Names a device or moves it to another group. Alerts stay in the group that they were opened in: they are its history.
 * @throws AppError `not-found`, also for a group that is not the bearer's
 */
export async function changeDevice(
  world: World,
  bearer: Bearer,
  deviceId: string,
  patch: DevicePatch,
): Promise<WireDevice> {
  if (patch.groupId !== undefined && !maySee(bearer, patch.groupId)) throw notFound(`group ${patch.groupId}`);
  const changed = await decideAndCommit(world, async () => {
    const stored = await loadDevice(world, bearer, deviceId);
    const { data } = stored;
    const members = Object.keys(patch) as (keyof DevicePatch)[];
    const differing = members.filter((member) => patch[member] !== data[member]);
    const setByHand = [...new Set([...data.setByHand, ...members])].toSorted();
    if (differing.length === 0 && setByHand.length === data.setByHand.length) {
      return { writes: [], wakes: [], answer: data };
    }
    const version = data.version + 1;
    const device: Device = { ...data, ...patch, setByHand, version };
    const entry = activityEntry(device, world.now(), `version ${version}`, {
      kind: 'device-changed',
      who: bearer.subject,
      summary: differing.map((member) => `${member}: ${data[member]} → ${patch[member]}`).join(', ') || 'Kept as it is',
      detail: { ...patch },
    });
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
 * Decommissions a device: what is open on it is resolved by the bearer. A further report registers it anew.
 * @throws AppError `not-found`
 */
export async function removeDevice(world: World, bearer: Bearer, deviceId: string): Promise<void> {
  await decideAndCommit(world, async () => {
    const stored = await loadDevice(world, bearer, deviceId);
    const now = world.now();
    const ids = Object.values(stored.data.open).map(({ alertId }) => alertId);
    const alerts = await world.store.get('alerts', ids);
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
    return { writes: [removal, ...writes, activityWrite(entry)], wakes, answer: undefined };
  });
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
