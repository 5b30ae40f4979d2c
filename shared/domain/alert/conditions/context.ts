import type { AlertContext } from '../../../schema/alert/alert.ts';
import type { Device } from '../../device/device.ts';
import { latestReading } from '../../device/measure.ts';

/** The members that the contract names for every connectivity alert, as far as the device has told them. */
export function connectivityContext({
  presence,
  reportedConnectedAt,
  brokerHost,
  reconnectAttempts,
}: Device): AlertContext {
  const lastConnected = presence.connectedAt ?? reportedConnectedAt;
  return {
    ...(lastConnected ? { lastConnected } : {}),
    ...(brokerHost ? { brokerHost } : {}),
    ...(reconnectAttempts === null ? {} : { reconnectAttempts }),
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
