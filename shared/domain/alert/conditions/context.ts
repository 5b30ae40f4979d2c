import type { AlertContext } from '../../../schema/alert/alert.ts';
import type { Device } from '../../device/device.ts';
import { latestReading } from '../../device/measure.ts';
import { latest } from '../../time.ts';

/**
 * The members that the contract names for each connectivity alert. `lastConnected` is the last instant at which the connection is known to
 * have existed, by what came. What a device says of that by its own clock is not asked: it would tell people since when it is offline.
 */
export function connectivityContext({
  presence,
  brokerHost,
  reconnectAttempts,
  lastSeenAt,
  registeredAt,
}: Device): AlertContext {
  const stood = latest(presence.connectedAt, lastSeenAt);
  return {
    lastConnected: stood ?? registeredAt,
    brokerHost: brokerHost ?? '',
    reconnectAttempts: Math.max(0, reconnectAttempts ?? 0),
  };
}

/** The last readings of memory and storage. */
export function resourceContext({ measures }: Device): AlertContext {
  const memory = latestReading(measures.memory);
  const storage = latestReading(measures.storage);
  return {
    ...(memory ? { memoryUsedPercent: memory.value } : {}),
    ...(storage ? { storageFreeMegabytes: storage.value } : {}),
  };
}
