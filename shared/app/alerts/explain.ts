import type { Life } from '../../domain/alert/alert.ts';
import type { TrailLine } from '../../domain/alert/lifecycle.ts';
import type { Delivery } from '../../domain/delivery/delivery.ts';
import { nextOf } from '../../domain/notify/notifications.ts';
import type { Explanation } from '../../schema/alert/life.ts';
import { type Bearer, contactsFor } from '../bearer.ts';
import type { Reads } from '../ports.ts';
import { loadAlert } from './actions.ts';

type Told = Pick<TrailLine<Life>, 'at' | 'action' | 'told' | 'notTold'>;

/** Changes of an alert that an explanation looks at: the newest of a long life. */
const mostEntries = 200;

/**
 * Which rules matched an alert, whom each of its changes told and by which delivery, who was left out and why, and what comes next.
 * @throws AppError `not-found`
 */
export async function explainAlert(
  world: Reads<'alerts' | 'audit' | 'deliveries'>,
  bearer: Bearer,
  alertId: string,
): Promise<Explanation> {
  const { data: alert } = await loadAlert(world, bearer, alertId);
  const found = await world.store.find({
    in: 'audit',
    where: [{ field: 'alertId', is: '==', value: alertId }],
    ...newestOf(alertId, alert),
  });
  const entries = found.map(({ data }) => data);
  return { alertId, ...(await explained(world, bearer, alert, entries)) };
}

/** The newest entries of a long trail: their ids end in the version that they made. */
export function newestOf(id: string, { version }: Life): { limit: number; after: string[] } {
  const first = Math.max(0, version - mostEntries);
  return { limit: mostEntries, after: [`${id}-${String(first).padStart(6, '0')}`] };
}

/** What a trail tells of whom each change told. */
export async function explained(
  world: Reads<'deliveries'>,
  bearer: Bearer,
  alert: Life,
  entries: readonly Told[],
): Promise<Omit<Explanation, 'alertId'>> {
  const deliveries = await deliveriesOf(world, entries);
  const { rules, channels, channelsBy } = alert;
  const shown = contactsFor(bearer);
  return {
    rules,
    channels,
    channelsBy,
    told: entries.flatMap(({ at, action, told }) =>
      told.map(({ channel, team, target, deliveryId }) => ({
        at,
        because: action,
        channel,
        team,
        target: shown(target),
        how:
          deliveryId === null || deliveries.get(deliveryId)?.dismissedReason === 'digest'
            ? ('digest' as const)
            : ('sent' as const),
        deliveryId,
        deliveryStatus: deliveryId === null ? null : (deliveries.get(deliveryId)?.status ?? null),
      })),
    ),
    notTold: entries.flatMap(({ at, action, notTold }) => notTold.map((each) => ({ at, because: action, ...each }))),
    next: nextOf(alert),
  };
}

async function deliveriesOf({ store }: Reads<'deliveries'>, entries: readonly Told[]): Promise<Map<string, Delivery>> {
  const ids = [...new Set(entries.flatMap(({ told }) => told.flatMap(({ deliveryId }) => deliveryId ?? [])))];
  if (ids.length === 0) return new Map();
  const found = await store.get('deliveries', ids);
  return new Map(found.flatMap((delivery) => (delivery ? [[delivery.id, delivery.data] as const] : [])));
}
