import type { AlertContext } from '../../../schema/alert/alert.ts';
import type { Device } from '../../device/device.ts';
import { latestReading } from '../../device/measure.ts';
import { latest } from '../../time.ts';

/** The members that the contract names for every connectivity alert. `lastConnected`: the last instant at which the connection was known to stand. */
export function connectivityContext({
  presence,
  reportedConnectedAt,
  brokerHost,
  reconnectAttempts,
  lastSeenAt,
  registeredAt,
}: Device): AlertContext {
  const stood = latest(latest(presence.connectedAt, reportedConnectedAt), lastSeenAt);
  return {
    lastConnected: stood ?? registeredAt,
    brokerHost: brokerHost ?? '',
    reconnectAttempts: Math.max(0, reconnectAttempts ?? 0),
  };
}

/** The last readings of the resources. */
export function resourceContext({ measures }: Device): AlertContext {
  const memory = latestReading(measures.memory);
  const storage = latestReading(measures.storage);
  return {
    ...(memory ? { memoryUsedPercent: memory.value } : {}),
    ...(storage ? { storageFreeMegabytes: storage.value } : {}),
  };
}
