import type { Device as WireDevice } from '../../schema/device/device.ts';
import { type AlertCode, type DeviceState, measureNames } from '../../schema/vocabulary.ts';
import { isGuardianSilent } from '../guardian/guarding.ts';
import type { Waits } from '../limits.ts';
import type { Instant } from '../time.ts';
import type { Device } from './device.ts';
import { latestReadings } from './measure.ts';

/** The state of a device. A device that is overdue while the platform is blind may be online or not, so it is not reported as online. */
export function stateOf({ wasHeard, isOnline, silentAt }: Device, isBlind: boolean, now: Instant): DeviceState {
  if (!wasHeard) return 'never-seen';
  if (!isOnline) return 'offline';
  return isBlind && silentAt !== null && silentAt <= now ? 'unknown' : 'online';
}

/** The device as the API shows it. `horizon`: nothing published before it is missing; null: unknown. */
export function toWireDevice(device: Device, state: DeviceState, horizon: Instant | null, waits: Waits): WireDevice {
  const { measures, presence, open } = device;
  return {
    deviceId: device.deviceId,
    groupId: device.groupId,
    name: device.name,
    site: device.site,
    parents: device.parents,
    tags: device.tags,
    coverage: device.coverage,
    model: device.model,
    serial: device.serial,
    firmware: device.firmware,
    certificateEndsAt: device.certificate.expiry?.notAfter ?? null,
    ip: device.ip,
    reporting: device.reporting,
    state,
    isOnline: state === 'online',
    online: state === 'online',
    registeredAt: device.registeredAt,
    lastSeenAt: device.lastSeenAt,
    lastConnectedAt: presence.connectedAt,
    clockSkewSeconds: device.clockSkewSeconds,
    readings: latestReadings(measures, measureNames),
    guardian: guardianOf(device, isGuardianSilent(device, horizon, waits)),
    openAlerts: Object.entries(open).map(([code, { alertId }]) => ({ code: code as AlertCode, alertId })),
  };
}

function guardianOf({ guardianTrust }: Device, isSilent: boolean): WireDevice['guardian'] {
  if (!guardianTrust) return null;
  const { publicKey, health } = guardianTrust;
  return {
    enrolled: publicKey !== null,
    status: isSilent ? 'silent' : (health?.status ?? null),
    reason: health?.reason ?? null,
    lastSeenAt: health?.at ?? null,
    goldenGeneration: health?.goldenGeneration ?? null,
    alertsMissing: health?.alertsMissing ?? 0,
  };
}
