import type { JSX } from 'preact';
import type { Delivery } from '../../../../shared/schema/delivery/delivery.ts';
import { at, write } from '../../client/api.ts';
import { useMay } from '../../client/auth.ts';
import { useResource } from '../../client/resource.ts';
import { type Query, type Route, searchOf } from '../../client/router.ts';
import { Expandable } from '../../components/expandable.tsx';
import { SelectFilter } from '../../components/select-filter.tsx';
import { Empty, Failed, Show, Skeleton } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { say, sayFailure } from '../../components/toast.tsx';
import { type Attempt, channelNames, type DeliveryStatus } from '../../model.ts';
import { WebhookTabs } from './webhooks.tsx';

const statuses = [
  ['', 'All states'],
  ['pending', 'Pending'],
  ['held', 'Held'],
  ['delivered', 'Delivered'],
  ['failed', 'Failed'],
  ['dismissed', 'Dismissed'],
] as const;
const channelOptions = [['', 'All channels'], ...Object.entries(channelNames)] as const;

/** All messages that were sent or should have been, over every channel. */
export function DeliveriesPage({ route }: { route: Route }): JSX.Element {
  const { query } = route;
  const status = query.get('status') ?? '';
  const channel = query.get('channel') ?? '';
  return (
    <section class="pane">
      <header class="page-head">
        <h1>Deliveries</h1>
        <WebhookTabs current="deliveries" />
      </header>
      <div class="filters">
        <SelectFilter label="State" name="status" value={status} options={statuses} route={route} />
        <SelectFilter
          label="Channel"
          name="channel"
          value={channel}
          options={channelOptions as readonly (readonly [string, string])[]}
          route={route}
        />
      </div>
      <section class="panel">
        <DeliveryList query={{ status, channel, webhookId: query.get('webhookId') ?? '', pageSize: '100' }} />
      </section>
    </section>
  );
}

/** Deliveries that failed finally or are held, for a person to send again or dismiss. */
export function ReviewPage({ route }: { route: Route }): JSX.Element {
  return (
    <section class="pane">
      <header class="page-head">
        <h1>Manual review</h1>
        <WebhookTabs current="review" />
      </header>
      <p class="quiet lead">
        Deliveries whose last attempt failed. Send one again, or dismiss it when it no longer matters.
      </p>
      <section class="panel">
        <DeliveryList
          query={{ status: 'failed', webhookId: route.query.get('webhookId') ?? '', pageSize: '100' }}
          isReview
        />
      </section>
    </section>
  );
}

/** Deliveries that match `query`, each with its attempts on request. */
export function DeliveryList({ query, isReview = false }: { query: Query; isReview?: boolean }): JSX.Element {
  const list = useResource<{ deliveries: Delivery[] }>(`/v1/deliveries?${searchOf(query)}`, { everyMs: 10_000 });
  return (
    <Show of={list} lines={5}>
      {({ deliveries }) =>
        deliveries.length === 0 ? (
          <Empty title={isReview ? 'Nothing to review' : 'No deliveries'}>
            {isReview ? 'Every message has arrived or is still on its way.' : null}
          </Empty>
        ) : (
          <ul class="deliveries" aria-label="Deliveries">
            {deliveries.map((delivery) => (
              <DeliveryItem key={delivery.deliveryId} delivery={delivery} onChanged={list.reload} />
            ))}
          </ul>
        )
      }
    </Show>
  );
}

function DeliveryItem({ delivery, onChanged }: { delivery: Delivery; onChanged: () => Promise<void> }): JSX.Element {
  const mayWrite = useMay('webhooks:write');
  const last = delivery.attempts.at(-1);
  const send = async (action: 'redeliver' | 'dismiss') => {
    try {
      await write('POST', at('deliveries', delivery.deliveryId, action));
      const what = `${delivery.eventType} to ${delivery.target}`;
      if (action === 'redeliver') say(`Sending it again: ${what}.`);
      else say(`Dismissed: ${what}.`, { undo: restore });
      await onChanged();
    } catch (error) {
      sayFailure(error);
    }
  };
  const restore = async () => {
    await write('POST', at('deliveries', delivery.deliveryId, 'restore')).finally(onChanged);
    say('It waits for review again.');
  };
  const isOpenEnded = delivery.status === 'failed' || delivery.status === 'held';
  return (
    <Expandable
      summary={
        <>
          <StatusOf status={delivery.status} />
          <Time at={delivery.createdAt} />
          <span class="chip">{channelNames[delivery.channel]}</span>
          <span class="what">
            {delivery.eventType} <span class="quiet">{delivery.target}</span>
          </span>
          <span class="quiet last">
            {last
              ? `${last.errorClass ?? 'taken'}${last.statusCode ? ` ${last.statusCode}` : ''}`
              : (delivery.heldReason ?? '')}
          </span>
        </>
      }
      buttons={
        mayWrite && isOpenEnded ? (
          <>
            <button type="button" class="button small primary" onClick={() => void send('redeliver')}>
              Redeliver
            </button>
            <button type="button" class="button small" onClick={() => void send('dismiss')}>
              Dismiss
            </button>
          </>
        ) : null
      }
    >
      {() => <Attempts deliveryId={delivery.deliveryId} isOver={delivery.status === 'delivered'} />}
    </Expandable>
  );
}

const tones: Record<DeliveryStatus, string> = {
  pending: 'wait',
  held: 'wait',
  delivered: 'good',
  failed: 'bad',
  dismissed: '',
};

function StatusOf({ status }: { status: DeliveryStatus }): JSX.Element {
  return <span class={`chip ${tones[status]}`}>{status}</span>;
}

function Attempts({ deliveryId, isOver }: { deliveryId: string; isOver: boolean }): JSX.Element {
  const delivery = useResource<Delivery>(at('deliveries', deliveryId), isOver ? {} : { everyMs: 10_000 });
  if (!delivery.data) return delivery.failure ? <Failed failure={delivery.failure} /> : <Skeleton lines={2} />;
  const { attempts, maxAttempts, nextAttemptAt } = delivery.data;
  return (
    <div class="opened attempts">
      {attempts.length === 0 ? <p class="quiet">No attempt yet.</p> : null}
      {attempts.length > 0 ? (
        <ol>
          {attempts.map((attempt) => (
            <AttemptLine key={attempt.number} attempt={attempt} />
          ))}
        </ol>
      ) : null}
      <p class="quiet">
        {attempts.length} of {maxAttempts} attempts
        {nextAttemptAt ? (
          <>
            , next <Time at={nextAttemptAt} form="age" />
          </>
        ) : null}{' '}
        · <code>{deliveryId}</code>
      </p>
    </div>
  );
}

function AttemptLine({ attempt }: { attempt: Attempt }): JSX.Element {
  const { at: instant, durationMs, statusCode, errorClass, detail, responseExcerpt } = attempt;
  return (
    <li>
      <Time at={instant} form="full" /> <strong>{errorClass ?? 'taken'}</strong> {statusCode ?? ''}{' '}
      <span class="quiet">{Math.round(durationMs)} ms</span> {detail ?? ''}
      {responseExcerpt ? <pre>{responseExcerpt}</pre> : null}
    </li>
  );
}
