import type { AlertRecord, Life } from '../../domain/alert/alert.ts';
import { transitions } from '../../domain/alert/change.ts';
import { hasLimit, limitOf } from '../../domain/alert/conditions.ts';
import type { AuditEntry, TrailLine } from '../../domain/alert/lifecycle.ts';
import { firstOutcomeOf, resentOf } from '../../domain/delivery/decision.ts';
import type { Delivery } from '../../domain/delivery/delivery.ts';
import { ownLimitsOf } from '../../domain/device/own-limits.ts';
import { nextOf } from '../../domain/notify/policy.ts';
import type { Explanation } from '../../schema/alert/life.ts';
import { type Bearer, contactsFor } from '../bearer.ts';
import type { Filter, Reads, Stored, World } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';
import { loadAlert } from './actions.ts';

type Line = Pick<TrailLine<Life>, 'at' | 'action' | 'notified' | 'notNotified'>;

/** Everything in a trail but mere sightings, which a camera can repeat without end. */
const actionsOfSteps = ['open', ...Object.keys(transitions)].filter((action) => action !== 'see');

/** Trail entries that an explanation reads: the first steps, and the newest entries. */
const mostEntries = 200;

/**
 * Explains an alert: the rules that matched, who was notified of each change by which delivery, who was not and why, and what happens next.
 * @throws AppError `not-found`
 */
export async function explainAlert(world: World, bearer: Bearer, alertId: string): Promise<Explanation> {
  const { data: alert } = await loadAlert(world, bearer, alertId);
  const of: Filter<'audit'> = { field: 'alertId', is: '==', value: alertId };
  const isStep: Filter<'audit'> = { field: 'action', is: 'in', value: actionsOfSteps };
  const [steps, newest] = await Promise.all([
    alert.version > mostEntries ? world.store.find({ in: 'audit', where: [of, isStep], limit: mostEntries }) : [],
    world.store.find({ in: 'audit', where: [of], ...newestOf(alertId, alert) }),
  ]);
  const explanation = await explained(world, bearer, alert, inOrder([...steps, ...newest]));
  const limit = await limitFor(world, alert);
  return { alertId, ...explanation, ...(limit ? { limit } : {}) };
}

/** The limit that the alert's camera has now. Null: its code has none. */
async function limitFor(world: World, { code, deviceId }: AlertRecord): Promise<Explanation['limit'] | null> {
  if (!hasLimit(code)) return null;
  const [[stored = null], { settings }] = await Promise.all([
    world.store.get('devices', [deviceId]),
    loadConfiguration(world),
  ]);
  return stored && limitOf(code, ownLimitsOf(stored.data, settings.limits));
}

/** Entries in the order of their trail, each once. */
function inOrder(entries: readonly Stored<'audit'>[]): AuditEntry[] {
  const byId = new Map(entries.map(({ id, data }) => [id, data]));
  return [...byId].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, data]) => data);
}

/** Selects the newest entries of a long trail, whose ids end in the version that they created. */
export function newestOf(
  id: string,
  { version }: Pick<Life, 'version'>,
  most = mostEntries,
): { limit: number; after: string[] } {
  const first = Math.max(0, version - most);
  return { limit: most, after: [`${id}-${String(first).padStart(6, '0')}`] };
}

/** The explanation of each change in a trail: who was notified and who was not. */
export async function explained(
  world: World,
  bearer: Bearer,
  alert: Life,
  entries: readonly Line[],
): Promise<Omit<Explanation, 'alertId'>> {
  const [deliveries, configuration] = await Promise.all([deliveriesOf(world, entries), loadConfiguration(world)]);
  const { rules, channels, channelsBy } = alert;
  const shown = contactsFor(bearer);
  return {
    rules,
    channels,
    channelsBy,
    notified: entries.flatMap(({ at, action, notified }) =>
      notified.map(({ channel, team, target, deliveryId }) => {
        const delivery = deliveryId === null ? undefined : deliveries.get(deliveryId);
        const first = delivery && firstOutcomeOf(delivery);
        return {
          ...{ at, because: action, channel, team, target: shown(target) },
          how: deliveryId === null || first?.reason === 'digest' ? ('digest' as const) : ('sent' as const),
          deliveryId,
          deliveryStatus: first?.status ?? null,
          resent: delivery ? resentOf(delivery).map(({ by: _, ...round }) => round) : [],
        };
      }),
    ),
    notNotified: entries.flatMap(({ at, action, notNotified }) =>
      notNotified.map((each) => ({ at, because: action, ...each })),
    ),
    next: nextOf(alert, configuration, world.waits),
  };
}

async function deliveriesOf({ store }: Reads<'deliveries'>, entries: readonly Line[]): Promise<Map<string, Delivery>> {
  const ids = [...new Set(entries.flatMap(({ notified }) => notified.flatMap(({ deliveryId }) => deliveryId ?? [])))];
  if (ids.length === 0) return new Map();
  const found = await store.get('deliveries', ids);
  return new Map(found.flatMap((delivery) => (delivery ? [[delivery.id, delivery.data] as const] : [])));
}
