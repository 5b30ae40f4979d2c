import type { DeliveryChannel } from '../../schema/channels.ts';
import type { ErrorClass, SendOutcome } from './delivery.ts';

/** Results of an attempt that received nothing at all, whether the target or our own network is the cause. */
const silentClasses: readonly (ErrorClass | null)[] = [
  'timeout',
  'dns_error',
  'connection_refused',
  'connection_reset',
];

/** Whether no byte of an answer came. */
export function isSilence({ statusCode, errorClass }: SendOutcome): boolean {
  return statusCode === null && silentClasses.includes(errorClass);
}

/**
 * Whether an attempt shows that our outbound connection works, because something outside answered. A mail server does not count, since it
 * may be inside our own network.
 */
export function provesWayOut({ statusCode, errorClass }: SendOutcome, channel: DeliveryChannel): boolean {
  return channel !== 'email' && (statusCode !== null || errorClass === null || errorClass === 'tls_error');
}
