import type { AlertContext } from '../../../schema/alert/alert.ts';
import type { Device } from '../../device/device.ts';
import { latestReading } from '../../device/measure.ts';
import { latest } from '../../time.ts';

/**
 * The contract's members for each connectivity alert. `lastConnected` is the last instant at which messages prove the connection, or the registration
 * if no message does. The device's own clock is not used: people would read a wrong time as the start of the outage.
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
