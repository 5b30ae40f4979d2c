import type { Channel } from '../../schema/vocabulary.ts';
import type { ErrorClass, SendOutcome } from './delivery.ts';

/** How an attempt looks when nothing at all came back, be the silence the target's or ours. */
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

/** Whether an attempt shows that our way out works: something outside answered. A mail server may stand inside our own network. */
export function provesWayOut({ statusCode, errorClass }: SendOutcome, channel: Channel): boolean {
  return channel !== 'email' && (statusCode !== null || errorClass === null || errorClass === 'tls_error');
}
