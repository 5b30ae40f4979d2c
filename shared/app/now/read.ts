import { entryIdOf } from '../../domain/alert/lifecycle.ts';
import { firstOutcomeOf } from '../../domain/delivery/decision.ts';
import type { Delivery } from '../../domain/delivery/delivery.ts';
import { everybody } from '../../domain/event/event.ts';
import { wholeFleet } from '../../domain/fleet/trends.ts';
import { type IncidentRecord, isPartly, isPartOver, spellsOf } from '../../domain/incident/incident.ts';
import type { Cause, Messages } from '../../domain/now/cause.ts';
import { causeOfIncident, isCauseOfAll } from '../../domain/now/incidents.ts';
import { cut, merged, type NowRecord } from '../../domain/now/record.ts';
import { earlier } from '../../domain/time.ts';
import type { NotificationOutcome, Now, NowQuery, Cause as WireCause } from '../../schema/fleet/now.ts';
import { severities } from '../../schema/vocabulary.ts';
import { type Bearer, visibleGroups } from '../bearer.ts';
import { failingChannels } from '../deliveries/channel-failures.ts';
import { failingEndpoints } from '../deliveries/endpoint-failures.ts';
import type { Filter, World } from '../ports.ts';
import { recentConfiguration } from '../settings/configuration.ts';
import { receiverOf } from './receivers.ts';

type Groups = readonly string[] | null;

/** Records of groups in one read. */
const groupsAtOnce = 20;
const mostIncidents = 200;
/** Messages whose outcome one call reads. Causes after these say nothing about who was told. */
const mostMessages = 60;

/**
 * What is wrong now in the bearer's groups, the worst first: open incidents as they are, and the alerts outside them as they were written last. Who was
 * told is read from the outcomes of the messages themselves.
 */
export async function getNow(world: World, bearer: Bearer, query: NowQuery): Promise<Now> {
  const groups = visibleGroups(query.groupId, bearer.groups);
  const [records, incidents, channels, endpoints] = await Promise.all([
    recordsOf(world, groups),
    openIncidents(world, groups),
    failingChannels(world, bearer),
    failingEndpoints(world, bearer),
  ]);
  const ofAlerts = groups === null ? stored(records.whole) : merged(records.groups);
  const ofIncidents = incidents.filter(isCauseOfAll).map((record) => causeOfIncident(record, groups));
  const { causes, rest } = cut([...ofIncidents, ...ofAlerts.causes], ofAlerts.rest);
  const told = await toldOf(world, await withTrail(world, causes, incidents, groups));
  return {
    causes: causes.map((cause, index) => ({
      ...toWire(cause, told[index] ?? null),
      spells: spellsOf(incidents.find(({ incidentId }) => incidentId === cause.worst.id) ?? null, groups),
    })),
    rest: Object.fromEntries(severities.map((severity) => [severity, rest[severity] ?? 0])) as Now['rest'],
    isMore: ofAlerts.isMore,
    channels,
    endpoints,
    generatedAt: asOf(records),
  };
}

type RecordsRead = { whole: NowRecord | null; groups: NowRecord[] };

async function recordsOf({ store }: World, groups: Groups): Promise<RecordsRead> {
  const ids = [wholeFleet, ...(groups ?? [])];
  const chunks = Array.from({ length: Math.ceil(ids.length / groupsAtOnce) }, (_, index) =>
    ids.slice(index * groupsAtOnce, (index + 1) * groupsAtOnce),
  );
  const found = (await Promise.all(chunks.map((chunk) => store.get('now', chunk)))).flat();
  const [whole = null, ...others] = found.map((each) => each?.data ?? null);
  return { whole, groups: others.filter((each) => each !== null) };
}

function stored(record: NowRecord | null): Pick<Required<NowRecord>, 'causes' | 'rest' | 'isMore'> {
  return { causes: record?.causes ?? [], rest: record?.rest ?? {}, isMore: record?.isMore ?? false };
}

/** A group that has changed since it was written is as old as its record; all others are as new as the last run, which found nothing to write. */
function asOf({ whole, groups }: RecordsRead): string | null {
  const ofGroups = groups.flatMap(({ isStale, at }) => (isStale && at ? [at] : []));
  return whole?.at ? ofGroups.reduce(earlier, whole.at) : null;
}

/** The newest open incidents of some groups. */
export async function openIncidents({ store }: World, groups: Groups): Promise<IncidentRecord[]> {
  const where: Filter<'incidents'>[] = [{ field: 'isOpen', is: '==', value: true }];
  if (groups) where.push({ field: 'groups', is: 'array-contains-any', value: [everybody, ...groups] });
  const found = await store.find({ in: 'incidents', where, orderBy: [['timestamp', 'desc']], limit: mostIncidents });
  return found.flatMap(({ data }) => (isPartOver(data, groups) ? [] : [data]));
}

/** The messages of each cause. Those of an incident are named by the entries of its trail that notified people. */
async function withTrail(
  { store }: World,
  causes: readonly Cause[],
  incidents: readonly IncidentRecord[],
  groups: Groups,
): Promise<(Messages | null)[]> {
  const byId = new Map(incidents.map((incident) => [incident.incidentId, incident]));
  const entryIds = causes.slice(0, mostMessages).map(({ worst }) => {
    const incident = byId.get(worst.id);
    if (!incident || isPartly(incident, groups)) return null;
    return incident.notifiedVersions.map((version) => entryIdOf(incident.incidentId, version));
  });
  const ids = entryIds.flatMap((some) => some ?? []).slice(0, mostMessages);
  const found = ids.length === 0 ? [] : await store.get('incidentAudit', ids);
  const entries = new Map(found.flatMap((entry) => (entry ? [[entry.id, entry.data.notified] as const] : [])));
  return causes.map(({ messages }, index) => {
    const own = entryIds[index];
    if (!own) return messages;
    if (!own.every((id) => entries.has(id))) return null;
    const notified = own.flatMap((id) => entries.get(id) ?? []);
    return {
      deliveryIds: notified.flatMap(({ deliveryId }) => deliveryId ?? []),
      hasDigest: notified.some(({ digestId }) => digestId !== null),
    };
  });
}

/** Who was told of each cause, the worst causes first, as far as the outcomes of so many messages say it. */
async function toldOf(world: World, all: readonly (Messages | null)[]): Promise<(NotificationOutcome | null)[]> {
  let left = mostMessages;
  const looked = all.map((messages) => {
    left -= messages?.deliveryIds.length ?? 0;
    return left < 0 ? null : messages;
  });
  const ids = [...new Set(looked.flatMap((messages) => messages?.deliveryIds ?? []))];
  const [found, { teams }] = await Promise.all([
    ids.length === 0 ? [] : world.store.get('deliveries', ids),
    recentConfiguration(world),
  ]);
  const deliveries = new Map(found.flatMap((each) => (each ? [[each.id, each.data] as const] : [])));
  return looked.map((messages) => {
    if (!messages) return null;
    const own = messages.deliveryIds
      .flatMap((id) => deliveries.get(id) ?? [])
      .filter(({ channel }) => channel !== 'webhook');
    const receivers = (status: string) =>
      new Set(own.filter((each) => stateOf(each) === status).map((each) => receiverOf(each, teams)));
    const accepted = receivers('delivered');
    const waiting = [...receivers('pending')].filter((each) => !accepted.has(each));
    const digest = messages.hasDigest || own.some(({ dismissedReason }) => dismissedReason === 'digest');
    return { accepted: accepted.size, pending: waiting.length, digest };
  });
}

/** A message that somebody sent again has another outcome; the best of them counts. */
function stateOf(delivery: Delivery): Delivery['status'] {
  const isDelivered = delivery.outcomes.some(({ status }) => status === 'delivered');
  return isDelivered ? 'delivered' : delivery.status === 'pending' ? 'pending' : firstOutcomeOf(delivery).status;
}

function toWire(cause: Cause, told: NotificationOutcome | null): Omit<WireCause, 'spells'> {
  const { key, severity, code, incident, worst, place, among, places, cameras, of, since } = cause;
  const { about, id, deviceId, deviceName } = worst;
  const { status, timestamp, respondBy, escalatedAt, acknowledgedBy, team, priority } = worst;
  return {
    ...{ key, severity, code, place, places, cameras, of, since, told },
    incident: incident && {
      incidentId: id,
      ...(incident as Pick<NonNullable<WireCause['incident']>, 'kind' | 'title'>),
    },
    alert: about === 'alert' && deviceId !== null ? { alertId: id, deviceId, deviceName } : null,
    among: among.map((each) => ({ ...each.place, cameras: each.cameras })),
    ...{ status, startedAt: timestamp, respondBy, escalatedAt, acknowledgedBy, team, priority },
  };
}
