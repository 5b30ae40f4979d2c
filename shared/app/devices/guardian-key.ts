import { type ActivityEntry, activityEntry } from '../../domain/device/activity.ts';
import type { Device } from '../../domain/device/device.ts';
import { unguardedAtOf } from '../../domain/guardian/guarding.ts';
import { withKey, withoutKey } from '../../domain/guardian/trust.ts';
import type { Device as WireDevice } from '../../schema/device/device.ts';
import type { GuardianKey } from '../../schema/guardian/envelope.ts';
import type { Bearer } from '../bearer.ts';
import { activityWrite } from '../change/written.ts';
import { decideAndCommit } from '../commit/commit.ts';
import type { World } from '../ports.ts';
import { loadDevice, shownDevice } from './devices.ts';

/** Registers the key with which a device's guardian signs. The same key again changes nothing. @throws AppError `not-found` */
export async function enrolGuardian(
  world: World,
  bearer: Bearer,
  deviceId: string,
  { publicKey }: GuardianKey,
): Promise<WireDevice> {
  return changeTrust(world, bearer, deviceId, 'Guardian key registered', ({ guardianTrust = null }) =>
    withKey(guardianTrust, publicKey, world.now(), world.waits),
  );
}

/** Ends the enrolment of a device's guardian. Idempotent. @throws AppError `not-found` */
export async function endEnrolment(world: World, bearer: Bearer, deviceId: string): Promise<void> {
  await changeTrust(world, bearer, deviceId, 'Guardian enrolment ended', ({ guardianTrust = null }) =>
    guardianTrust?.publicKey ? withoutKey(guardianTrust) : guardianTrust,
  );
}

async function changeTrust(
  world: World,
  bearer: Bearer,
  deviceId: string,
  summary: string,
  next: (device: Device) => Device['guardianTrust'],
): Promise<WireDevice> {
  const changed = await decideAndCommit(world, async () => {
    const { data, revision } = await loadDevice(world, bearer, deviceId);
    const guardianTrust = next(data) ?? null;
    if (guardianTrust === data.guardianTrust) return { writes: [], wakes: [], answer: data };
    const unguardedAt = unguardedAtOf({ ...data, guardianTrust }, world.waits);
    const device: Device = { ...data, guardianTrust, unguardedAt, version: data.version + 1 };
    const entry: ActivityEntry = activityEntry(device, world.now(), `version ${device.version}`, {
      kind: 'device-changed',
      who: bearer.subject,
      summary,
      detail: { publicKey: guardianTrust?.publicKey ?? null },
    });
    return {
      writes: [{ kind: 'replace', in: 'devices', id: deviceId, data: device, revision }, activityWrite(entry)],
      wakes: [],
      answer: device,
    };
  });
  return shownDevice(world, changed);
}
