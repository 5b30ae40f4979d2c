import type { AlertContext } from '../../schema/alert.ts';
import type { Device } from '../device.ts';

/** The members that the contract names for every connectivity alert, as far as the device has told them. */
export function connectivityContext({ presence, brokerHost, reconnectAttempts }: Device): AlertContext {
  return {
    ...(presence.connectedAt ? { lastConnected: presence.connectedAt } : {}),
    ...(brokerHost ? { brokerHost } : {}),
    ...(reconnectAttempts === null ? {} : { reconnectAttempts }),
  };
}
