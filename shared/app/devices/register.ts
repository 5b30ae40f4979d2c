import { decideRegistration } from '../../domain/change/registry-decision.ts';
import type { Device } from '../../domain/device/device.ts';
import { AppError, type Fault, notFound } from '../../errors.ts';
import type { Device as WireDevice } from '../../schema/device/device.ts';
import type { DevicePatch } from '../../schema/device/registry.ts';
import { type Bearer, maySee } from '../bearer.ts';
import { decided, nothingRead } from '../change/written.ts';
import { decideAndCommit } from '../commit/commit.ts';
import type { World } from '../ports.ts';
import { refusalOfWrite, requireMayWrite } from '../writes/may-write.ts';
import { loadDevice, shownDevice } from './devices.ts';

/**
 * Changes what a device is called, its places and how it reports, or moves it to another group together with its open alerts. Alerts that
 * are over stay in the old group.
 * @throws AppError `not-found`, also for a group outside the bearer's; `limited-to-groups`; `invalid-request` for values that conflict with
 * those of the device
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
    requireMayWrite(bearer, 'devices', data, { ...data, groupId: patch.groupId ?? data.groupId });
    const by = { who: bearer.subject, isNew: false };
    const outcome = await decided(world, { ...nothingRead, device: stored }, world.now(), (known, given) =>
      decideRegistration(data, patch, by, known, given),
    );
    if (outcome.kind === 'unchanged') return { writes: [], wakes: [], answer: data };
    if (outcome.kind === 'refused') {
      throw new AppError('invalid-request', 'The change does not fit the device.', { errors: outcome.faults });
    }
    return { ...outcome, answer: outcome.change.device ?? data };
  });
  return shownDevice(world, changed);
}

/** Why a bearer may not move the device to this group. Null: it may move, or it does not move. */
export function faultOfMove(bearer: Bearer, before: Device, { groupId }: Pick<DevicePatch, 'groupId'>): Fault | null {
  if (groupId === undefined || groupId === before.groupId) return null;
  const refusal = refusalOfWrite(bearer, 'devices', before, { ...before, groupId });
  return (
    refusal && { pointer: '/groupId', detail: refusal.errors?.[0]?.detail ?? `cannot be changed: ${refusal.message}` }
  );
}
