import type { JSX } from 'preact';
import { useWrong } from '../../client/fleet.ts';
import { href } from '../../client/router.ts';
import { channelWords } from './channel-words.ts';
import { endpointWords } from './endpoint-words.ts';

/** Endpoints that a banner names. */
const mostNamed = 3;

/** Says above each page which channels to people and which endpoints fail, as long as they do. */
export function ChannelBanner(): JSX.Element {
  const { channels = [], endpoints = [] } = useWrong().data ?? {};
  const words = channelWords(channels);
  const rest = endpoints.length - mostNamed;
  return (
    <div role="status">
      {words || endpoints.length > 0 ? (
        <section class={`sight-banner ${words?.tone ?? 'wait'}`} aria-label="Channels and endpoints that fail">
          {words?.lines.map((line) => (
            <p key={line}>{line}</p>
          ))}
          {endpoints.slice(0, mostNamed).map((endpoint) => (
            <p key={endpoint.webhookId}>
              <a href={href(['webhooks', endpoint.webhookId])}>{endpointWords(endpoint)}</a>
            </p>
          ))}
          {rest > 0 ? (
            <p>
              <a href={href(['webhooks'])}>{`${rest.toLocaleString()} more endpoints fail.`}</a>
            </p>
          ) : null}
        </section>
      ) : null}
    </div>
  );
}
