import type { JSX } from 'preact';
import type { Route } from '../../client/router.ts';
import { SelectFilter } from '../../components/select-filter.tsx';
import { channelNames } from '../../model.ts';
import { DeliveryList } from './delivery-list.tsx';
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

/** All messages on all channels, sent or not. */
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

/** Deliveries whose last attempt failed, for a person to send again or dismiss. */
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
