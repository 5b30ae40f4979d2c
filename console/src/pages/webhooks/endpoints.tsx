import type { JSX } from 'preact';
import type { WebhookHealth } from '../../../../shared/schema/webhook/health.ts';
import type { Webhook } from '../../../../shared/schema/webhook/webhook.ts';
import { useResource } from '../../client/resource.ts';
import { href } from '../../client/router.ts';
import { Time } from '../../components/time.tsx';
import { endpointName, successWords } from './endpoint-words.ts';
import { EndpointState } from './pending.tsx';

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
          <EndpointState webhook={webhook} />
          <strong class="address">{name}</strong>
          {health ? <Circuit health={health} /> : null}
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

/** Whether the circuit breaker of an endpoint holds deliveries back, or else how many failed in a row. */
export function Circuit({
  health: { circuit, pausedUntil, failuresInRow },
}: {
  health: WebhookHealth;
}): JSX.Element | null {
  if (circuit === 'open')
    return (
      <span class="chip bad">
        Paused after {failuresInRow} failures
        {pausedUntil ? (
          <>
            , tried again <Time at={pausedUntil} form="age" />
          </>
        ) : null}
      </span>
    );
  if (circuit === 'testing') return <span class="chip wait">Testing after {failuresInRow} failures</span>;
  return failuresInRow > 0 ? <span class="chip wait">{failuresInRow} failed in a row</span> : null;
}
