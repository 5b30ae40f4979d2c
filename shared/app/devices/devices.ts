import { decideRemoval } from '../../domain/change/decide.ts';
import { activityEntry } from '../../domain/device/activity.ts';
import type { Device } from '../../domain/device/device.ts';
import { erasedTombstoneOf, tombstoneOf } from '../../domain/device/tombstone.ts';
import { stateOf, toWireDevice } from '../../domain/device/view.ts';
import { fleetAccruals, fleetWake } from '../../domain/fleet/summary.ts';
import { AppError, notFound } from '../../errors.ts';
import type { Device as WireDevice } from '../../schema/device/device.ts';
import { type Bearer, maySee } from '../bearer.ts';
import { activityWrite, decided, nothingRead } from '../change/written.ts';
import { type Decided, decideAndCommit } from '../commit/commit.ts';
import type { Reads, Stored, World, Write } from '../ports.ts';
import { type SightReads, viewSight } from '../sight/sight.ts';

/** Reads one device. @throws AppError `not-found`, also where it belongs to a group outside the bearer's */
export async function getDevice(
  world: Reads<'devices' | 'platform'> & SightReads,
  bearer: Bearer,
  deviceId: string,
): Promise<WireDevice> {
  const { data } = await loadDevice(world, bearer, deviceId);
  return shownDevice(world, data);
}

/** The device as the API shows it, given what the platform can see now. */
export async function shownDevice(world: SightReads, device: Device): Promise<WireDevice> {
  const { state, record } = await viewSight(world);
  const shown = stateOf(device, state === 'blind', world.now());
  return toWireDevice(device, shown, record?.horizonAt ?? null, world.waits);
}

/**
 * Decommissions a device. The bearer resolves its open alerts. A report from a minute later on registers the device again, with what people had set.
 * @throws AppError `not-found`; `forbidden` where alerts of other groups are open on it
 */
export async function removeDevice(world: World, bearer: Bearer, deviceId: string): Promise<void> {
  await decideAndCommit(world, () => removalOf(world, bearer, deviceId));
}

/**
 * What is written when a device is decommissioned.
 * @param isErased its tombstone keeps nothing of it, and no message registers it again
 * @throws AppError `not-found`, `forbidden`
 */
export async function removalOf(
  world: World,
  bearer: Bearer,
  deviceId: string,
  isErased = false,
): Promise<Decided<void>> {
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
  const data = isErased ? erasedTombstoneOf(stored.data, now) : tombstoneOf(stored.data, now);
  const tombstone: Write = { kind: 'create', in: 'tombstones', id: deviceId, data };
  const fleet = fleetAccruals(deviceId, [stored.data, null], []).map(
    (accrual): Write => ({ kind: 'accrue', in: 'fleetCounters', ...accrual }),
  );
  return {
    writes: [removal, tombstone, ...writes, activityWrite(entry), ...fleet],
    wakes: [...wakes, fleetWake(now, world.waits)],
    answer: undefined,
  };
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
