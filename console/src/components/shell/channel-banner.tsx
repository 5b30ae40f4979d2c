import type { JSX } from 'preact';
import { useWrong } from '../../client/fleet.ts';
import { channelWords } from './channel-words.ts';

/** Says above each page which channels to people fail, as long as they do. */
export function ChannelBanner(): JSX.Element {
  const words = channelWords(useWrong().data?.channels ?? []);
  return (
    <div role="status">
      {words ? (
        <section class={`sight-banner ${words.tone}`} aria-label="Channels that fail">
          {words.lines.map((line) => (
            <p key={line}>{line}</p>
          ))}
        </section>
      ) : null}
    </div>
  );
}
