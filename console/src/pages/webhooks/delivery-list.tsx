import type { JSX } from 'preact';
import type { Delivery } from '../../../../shared/schema/delivery/delivery.ts';
import type { Webhook } from '../../../../shared/schema/webhook/webhook.ts';
import { at, write } from '../../client/api.ts';
import { useMay } from '../../client/auth.ts';
import { useResource } from '../../client/resource.ts';
import { href, type Query, searchOf } from '../../client/router.ts';
import { CameraName } from '../../components/alert/camera-name.tsx';
import { Expandable } from '../../components/expandable.tsx';
import { useMore } from '../../components/more.ts';
import { Empty, Failed, Show, Skeleton } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { say, sayFailure } from '../../components/toast.tsx';
import { type Attempt, channelNames, type DeliveryStatus } from '../../model.ts';
import { endpointName } from './endpoint-words.ts';
import { PickBox, type Review, ReviewBar, useReview } from './review.tsx';

type Deliveries = { deliveries: Delivery[]; nextPageToken?: string };

/**
 * Deliveries that match `query`, each with its attempts on request. The first page is read again after events of alerts
 * and incidents, and also regularly, because no event reports other deliveries.
 */
export function DeliveryList({ query, isReview = false }: { query: Query; isReview?: boolean }): JSX.Element {
  const path = `/v1/deliveries?${searchOf(query)}`;
  const list = useResource<Deliveries>(path, {
    on: ['alert', 'incident'],
    calmMs: 10_000,
    everyMs: 30_000,
  });
  return (
    <Show of={list} lines={5}>
      {(first) =>
        first.deliveries.length === 0 ? (
          <Empty title={isReview ? 'Nothing to review' : 'No deliveries'}>
            {isReview ? 'Every message has arrived or is still on its way.' : null}
          </Empty>
        ) : (
          <Rows key={path} path={path} first={first} isReview={isReview} onChanged={list.reload} />
        )
      }
    </Show>
  );
}

type RowsProps = { path: string; first: Deliveries; isReview: boolean; onChanged: () => Promise<void> };

function Rows({ path, first, isReview, onChanged }: RowsProps): JSX.Element {
  const { all, loadMore } = useMore(path, 'deliveries', first, ({ deliveryId }: Delivery) => deliveryId);
  const nameOf = useEndpointNames();
  const reviewable = all.filter(({ availableActions }) => availableActions.includes('dismiss'));
  const review = useReview(reviewable, onChanged);
  return (
    <>
      {isReview && reviewable.length > 0 ? <ReviewBar review={review} /> : null}
      <ul class="deliveries" aria-label="Deliveries">
        {all.map((delivery) => (
          <DeliveryItem
            key={delivery.deliveryId}
            delivery={delivery}
            target={nameOf(delivery.webhookId) ?? delivery.target}
            pick={isReview && reviewable.includes(delivery) ? review : null}
            onChanged={onChanged}
          />
        ))}
      </ul>
      {loadMore ? (
        <button type="button" class="button" onClick={() => void loadMore()}>
          Older deliveries
        </button>
      ) : null}
    </>
  );
}

/** Names of endpoints: the description, or else the host. Null for an unknown or deleted one. */
function useEndpointNames(): (webhookId: string | null) => string | null {
  const { data } = useResource<{ webhooks: Webhook[] }>(useMay('webhooks:read') ? '/v1/webhooks?pageSize=200' : null);
  return (webhookId) => {
    const found = data?.webhooks.find((webhook) => webhook.webhookId === webhookId);
    return found ? endpointName(found) : null;
  };
}

type ItemProps = { delivery: Delivery; target: string; pick: Review | null; onChanged: () => Promise<void> };

function DeliveryItem({ delivery, target, pick, onChanged }: ItemProps): JSX.Element {
  const { availableActions } = delivery;
  const send = async (action: 'redeliver' | 'dismiss') => {
    try {
      await write('POST', at('deliveries', delivery.deliveryId, action));
      const what = `${delivery.eventType} to ${target}`;
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
  return (
    <Expandable
      lead={
        pick ? <PickBox id={delivery.deliveryId} what={`${delivery.eventType} to ${target}`} review={pick} /> : null
      }
      summary={<Summary delivery={delivery} target={target} />}
      buttons={
        availableActions.includes('dismiss') ? (
          <>
            {availableActions.includes('redeliver') ? (
              <button type="button" class="button small primary" onClick={() => void send('redeliver')}>
                Redeliver
              </button>
            ) : null}
            <button type="button" class="button small" onClick={() => void send('dismiss')}>
              Dismiss
            </button>
          </>
        ) : null
      }
    >
      {() => (
        <>
          <About delivery={delivery} target={target} />
          <Attempts deliveryId={delivery.deliveryId} isOver={delivery.status === 'delivered'} />
        </>
      )}
    </Expandable>
  );
}

/** A delivery as one line. */
function Summary({ delivery, target }: Omit<ItemProps, 'pick' | 'onChanged'>): JSX.Element {
  const last = delivery.attempts.at(-1);
  return (
    <>
      <StatusOf status={delivery.status} />
      <Time at={delivery.createdAt} />
      <span class="chip">{channelNames[delivery.channel]}</span>
      <span class="what">
        {delivery.eventType} <span class="quiet">{target}</span>{' '}
        {delivery.deviceId ? <CameraName of={{ ...delivery, deviceId: delivery.deviceId }} /> : null}
      </span>
      <span class="quiet last">
        {last
          ? `${last.errorClass ?? 'taken'}${last.statusCode ? ` ${last.statusCode}` : ''}`
          : (delivery.heldReason ?? '')}
      </span>
    </>
  );
}

/** Where a delivery comes from and goes to, as links. */
function About({ delivery, target }: Omit<ItemProps, 'pick' | 'onChanged'>): JSX.Element {
  const { alertId, deviceId, webhookId } = delivery;
  return (
    <p class="row">
      {webhookId ? <a href={href(['webhooks', webhookId])}>{target}</a> : <span>{target}</span>}
      {alertId ? <a href={href(['alerts', alertId])}>Its alert</a> : null}
      {deviceId ? (
        <a href={href(['devices', deviceId])}>
          Camera <CameraName of={{ ...delivery, deviceId }} />
        </a>
      ) : null}
    </p>
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
  const { attempts, maxAttempts, nextAttemptAt, round, rounds } = delivery.data;
  const own = attempts.filter((attempt) => attempt.round === round);
  return (
    <div class="opened attempts">
      {rounds
        .filter((ended) => ended.round < round)
        .map((ended, index) => (
          <EndedRound
            key={`${ended.round} ${index}`}
            ended={ended}
            attempts={attempts.filter((attempt) => attempt.round === ended.round)}
          />
        ))}
      {own.length === 0 ? <p class="quiet">No attempt yet.</p> : <AttemptLines attempts={own} />}
      <p class="quiet">
        {own.length} of {maxAttempts} attempts
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

/** An earlier sending, which the present one does not change. */
function EndedRound({ ended, attempts }: { ended: Delivery['rounds'][number]; attempts: Attempt[] }): JSX.Element {
  return (
    <>
      <p class="quiet">
        Sending {ended.round}: {ended.status} <Time at={ended.endedAt} form="full" />
        {ended.reason ? `, ${ended.reason}` : ''}
      </p>
      {attempts.length > 0 ? <AttemptLines attempts={attempts} /> : null}
    </>
  );
}

function AttemptLines({ attempts }: { attempts: readonly Attempt[] }): JSX.Element {
  return (
    <ol>
      {attempts.map((attempt) => (
        <AttemptLine key={`${attempt.number} ${attempt.at}`} attempt={attempt} />
      ))}
    </ol>
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
