import type { ChannelFailure } from '../../../../shared/schema/fleet/channel-failure.ts';
import { channelTable } from '../../../../shared/schema/vocabulary.ts';
import { shortTime } from '../../format.ts';

/** Receivers that a banner names. */
const mostNamed = 3;

/** Which channels do not get through to people, a sentence each, and whether one fails for everybody. Null: all do. */
export function channelWords(channels: readonly ChannelFailure[]): { tone: 'bad' | 'wait'; lines: string[] } | null {
  if (channels.length === 0) return null;
  const isBad = channels.some(({ failingSince }) => failingSince !== null);
  return { tone: isBad ? 'bad' : 'wait', lines: channels.map(lineOf) };
}

function lineOf({ channel, failingSince, detail, receivers }: ChannelFailure): string {
  const { title } = channelTable[channel];
  if (failingSince !== null) {
    const why = detail === null ? '' : ` ${detail}`;
    return `${title} does not get through since ${shortTime(failingSince)}: nobody hears of an alert that way.${why}`;
  }
  const named = receivers.slice(0, mostNamed).map(({ name }) => name);
  const rest = receivers.length - named.length;
  return `${title} does not reach ${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}.`;
}
