import { isWithinGroups } from '../../domain/delivery/webhook-filter.ts';
import type { Device } from '../../domain/device/device.ts';
import type { LedgerHead } from '../../domain/ledger/entry.ts';
import {
  alertLines,
  changeLines,
  deliveryLines,
  type LedgerTrail,
  linesOfEntry,
  reachOf,
  type TrailPosition,
  trailOf,
} from '../../domain/ledger/trail.ts';
import { type Instant, plus } from '../../domain/time.ts';
import type { Filter, World } from '../ports.ts';
import { recentConfiguration } from '../settings/configuration.ts';

/** The recorded part of one chain's trail, and its new end. */
export type TrailPart = { trail: LedgerTrail; entered: TrailPosition; isMore: boolean };

/** Records that are younger than this belong to the next entry: commits may become visible a minute late, and clocks of instances differ. */
const settledMs = 10 * 60_000;

/** The time up to which trails can be recorded. */
export function settledAt({ now }: Pick<World, 'now'>): Instant {
  return plus(now(), -settledMs);
}

function enteredOf({ entered, to }: LedgerHead): TrailPosition {
  return entered ?? { to, lastId: null, pending: [] };
}

/** Changes of a device's alerts in the group of the chain since its last entry, and the outcome of their deliveries. Null: nothing new is final. */
export async function trailOfDevice(world: World, head: LedgerHead, device: Device): Promise<TrailPart | null> {
  const { deviceId, groupId } = head;
  const before = enteredOf(head);
  const until = settledAt(world);
  if (until <= before.to) return null;
  const where: Filter<'audit'>[] = [{ field: 'deviceId', is: '==', value: deviceId }];
  const found = await world.store.find({
    in: 'audit',
    where: [...where, ...spanOf('recordedAt' as const, before, until)],
    orderBy: [['recordedAt', 'asc']],
    limit: linesOfEntry,
    ...afterOf(before),
  });
  const reach = reachOf(found, until, { at: ({ data }) => data.recordedAt, id: ({ id }) => id });
  const own = found.flatMap(({ data }) => (data.groupId === groupId ? [data] : []));
  const notified = own.flatMap((entry) => entry.notified.flatMap(({ deliveryId }) => deliveryId ?? []));
  const { alerts, deliveries, sequences } = await world.store.getMany({
    alerts: [...new Set(own.map(({ alertId }) => alertId))],
    deliveries: [...new Set([...before.pending, ...notified])],
    sequences: [deviceId],
  });
  const codes = new Map(alerts.flatMap((alert) => (alert ? [[alert.id, alert.data.code] as const] : [])));
  const { lines, pending } = deliveryLines(deliveries.flatMap((each) => (each ? [each.data] : [])));
  const trail = trailOf(before.to, reach.to, {
    alerts: alertLines(own, codes),
    deliveries: lines,
    ...(sequences[0] ? { sequences: await sequencesFor(world, device, groupId, sequences[0].data.last) } : {}),
  });
  return { trail, entered: { ...reach, pending }, isMore: reach.lastId !== null };
}

/** The sequence numbers that concern a group. Numbers go on when a device moves, so then only endpoints of that group alone are named. */
async function sequencesFor(
  world: World,
  { groupId: present, formerGroups }: Device,
  groupId: string | null,
  last: Readonly<Record<string, number>>,
): Promise<Record<string, number>> {
  if (groupId === null || groupId !== present) return {};
  if (formerGroups.length === 0) return last;
  const { webhooks } = await recentConfiguration(world);
  const own = webhooks.filter(({ filter }) => isWithinGroups(filter, [groupId]));
  return Object.fromEntries(
    own.flatMap(({ webhookId }) => (Object.hasOwn(last, webhookId) ? [[webhookId, last[webhookId] ?? 0]] : [])),
  );
}

/** Changes of the configuration and the registry since the last entry of the service itself. */
export async function trailOfService(world: World, head: LedgerHead): Promise<TrailPart | null> {
  const before = enteredOf(head);
  const until = settledAt(world);
  if (until <= before.to) return null;
  const where: Filter<'auditStream'>[] = [{ field: 'outcome', is: '==', value: 'done' }];
  const found = await world.store.find({
    in: 'auditStream',
    where: [...where, ...spanOf('at' as const, before, until)],
    orderBy: [['at', 'asc']],
    limit: linesOfEntry,
    ...afterOf(before),
  });
  const reach = reachOf(found, until, { at: ({ data }) => data.at, id: ({ id }) => id });
  const trail = trailOf(before.to, reach.to, { changes: changeLines(found.map(({ data }) => data)) });
  return { trail, entered: { ...reach, pending: [] }, isMore: reach.lastId !== null };
}

/** From an instant (inclusive) to another (exclusive), so that a record on the border belongs to the later entry. */
function spanOf<Field extends string>(field: Field, { to }: TrailPosition, until: Instant) {
  return [
    { field, is: '>=' as const, value: to },
    { field, is: '<' as const, value: until },
  ];
}

function afterOf({ to, lastId }: TrailPosition): { after?: unknown[] } {
  return lastId === null ? {} : { after: [to, lastId] };
}
