import type { EndpointFailure } from '../../../../shared/schema/fleet/channel-failure.ts';
import { shortTime } from '../../format.ts';

/** Which endpoint does not get what is CRITICAL, in a sentence. */
export function endpointWords({ host, state, since, reason }: EndpointFailure): string {
  if (state === 'failing')
    return `The webhook at ${host} fails since ${shortTime(since)}: what is CRITICAL waits there.`;
  const why = reason === null ? '' : ` ${reason}`;
  return `The webhook at ${host} was disabled, failing since ${shortTime(since)}: what is CRITICAL waits there.${why}`;
}
