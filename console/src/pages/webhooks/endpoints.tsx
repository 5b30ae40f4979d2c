import type { JSX } from 'preact';
import type { WebhookHealth } from '../../../../shared/schema/webhook/health.ts';
import type { Webhook } from '../../../../shared/schema/webhook/webhook.ts';
import { useResource } from '../../client/resource.ts';
import { href } from '../../client/router.ts';
import { Sentence } from '../../components/sentence.tsx';
import { Time } from '../../components/time.tsx';
import { attemptWords, endpointName, successWords } from './endpoint-words.ts';

/** Each endpoint with its health, which is read every minute because no event reports it. */
export function Endpoints({ webhooks }: { webhooks: readonly Webhook[] }): JSX.Element {
  const { data } = useResource<{ health: WebhookHealth[] }>('/v1/webhook-health?pageSize=200', { everyMs: 60_000 });
  const healthOf = (webhook: Webhook) => data?.health.find(({ webhookId }) => webhookId === webhook.webhookId) ?? null;
  return (
    <ul class="cards" aria-label="Endpoints">
      {webhooks.map((webhook) => (
        <Endpoint key={webhook.webhookId} webhook={webhook} health={healthOf(webhook)} />
      ))}
    </ul>
  );
}

function Endpoint({ webhook, health }: { webhook: Webhook; health: WebhookHealth | null }): JSX.Element {
  const { webhookId, url, method, events, disabledReason } = webhook;
  const name = endpointName(webhook);
  return (
    <li>
      <a class="card" href={href(['webhooks', webhookId])}>
        <p class="row">
          <EndpointState health={health} />
          <strong class="address">
            <bdi>{name}</bdi>
          </strong>
          <span class="spacer" />
          {events.map((event) => (
            <span class="chip" key={event}>
              {event}
            </span>
          ))}
        </p>
        <p class="quiet address">
          {method} {url} {disabledReason ? `· ${disabledReason}` : ''}
        </p>
        <HealthLine health={health} />
      </a>
    </li>
  );
}

/** The outcomes of the deliveries to an endpoint. */
export function HealthLine({ health }: { health: WebhookHealth | null }): JSX.Element {
  if (!health) return <p class="quiet">How it does is being read.</p>;
  const { last24h, last28d, lastSuccessAt } = health;
  return (
    <p class="row health">
      <span>24 h: {successWords(last24h)}</span>
      <span>28 d: {successWords(last28d)}</span>
      <span>
        {lastSuccessAt ? (
          <>
            Last success <Time at={lastSuccessAt} form="age" />
          </>
        ) : (
          'Nothing has arrived yet'
        )}
      </span>
    </p>
  );
}

/** The state of an endpoint, as its attempts show it: one word, and for one that fails how much of what. */
export function EndpointState({ health }: { health: WebhookHealth | null }): JSX.Element {
  if (!health) return <span class="presence unsure">Being read</span>;
  const { state, pausedUntil } = health;
  if (state === 'disabled') return <span class="presence off">Disabled</span>;
  if (state === 'pending') return <span class="chip wait">Pending</span>;
  if (state === 'healthy') return <span class="presence on">Healthy</span>;
  const words = attemptWords(health);
  if (state === 'failing') {
    return (
      <span class="chip bad words">
        Failing (<Sentence of={words} />)
      </span>
    );
  }
  return (
    <span class="chip bad words">
      Paused (<Sentence of={words} />)
      {pausedUntil ? (
        <>
          , tried again <Time at={pausedUntil} form="age" />
        </>
      ) : null}
    </span>
  );
}
