import type { Device } from '../../domain/device/device.ts';
import { type Place, placesOf } from '../../domain/device/places.ts';
import { lostAtOf } from '../../domain/device/presence.ts';
import { stateOf } from '../../domain/device/view.ts';
import { type SeenPlace, seenPlace } from '../../domain/outage/places.ts';
import { type Neighbours, togetherMs, whyOf } from '../../domain/outage/why.ts';
import { placeIdOf } from '../../domain/place/place.ts';
import { type Instant, plus } from '../../domain/time.ts';
import type { DeviceWhy } from '../../schema/device/why.ts';
import { type Bearer, maySee } from '../bearer.ts';
import { countDark } from '../outages/load.ts';
import type { World } from '../ports.ts';
import { viewSight } from '../sight/sight.ts';
import { loadDevice } from './devices.ts';

type WhyReads = Pick<World, 'store' | 'now' | 'waits'>;

/**
 * Why a device is silent, in one sentence with its evidence. For a silent one, its neighbours are counted at each of its places; of a place that groups
 * share, those of groups that the bearer may see.
 * @throws AppError `not-found`
 */
export async function explainDevice(world: WhyReads, bearer: Bearer, deviceId: string): Promise<DeviceWhy> {
  const [{ data: device }, { state: sight, record }] = await Promise.all([
    loadDevice(world, bearer, deviceId),
    viewSight(world),
  ]);
  const now = world.now();
  const state = stateOf(device, sight === 'blind', now);
  const isDark = state === 'offline' || state === 'online' ? device.darkAt !== null && device.darkAt <= now : false;
  const darkAt = isDark ? device.darkAt : null;
  const until = record?.horizonAt ?? now;
  const [neighbours, incident] = await Promise.all([
    darkAt === null ? [] : neighboursOf(world, bearer, { device, darkAt, until }),
    incidentOf(world, device),
  ]);
  return {
    deviceId,
    state,
    since: darkAt === null && state !== 'unknown' ? null : lostAtOf(device, world.waits),
    ...whyOf({ device, state, darkAt, neighbours }, now, world.waits),
    neighbours: neighbours.map(({ place: { kind, id, name }, others, dark, together }) => ({
      ...{ kind, id, name, others, dark, together },
    })),
    incident,
  };
}

async function incidentOf({ store }: WhyReads, { open }: Device): Promise<DeviceWhy['incident']> {
  if (!open.CONN_001) return null;
  const [alert = null] = await store.get('alerts', [open.CONN_001.alertId]);
  if (!alert?.data.incidentId) return null;
  const [incident = null] = await store.get('incidents', [alert.data.incidentId]);
  return incident?.data.isOpen ? { incidentId: incident.data.incidentId, title: incident.data.title } : null;
}

type LossToExplain = { device: Device; darkAt: Instant; until: Instant };

async function neighboursOf(world: WhyReads, bearer: Bearer, loss: LossToExplain): Promise<Neighbours[]> {
  const own = placesOf(loss.device);
  const records = await world.store.get(
    'places',
    own.map(({ kind, id }) => placeIdOf(kind, id)),
  );
  return Promise.all(
    own.map((place, index) =>
      neighboursAt(world, visiblePart(seenPlace(place, records[index]?.data ?? null), place, bearer), loss),
    ),
  );
}

function visiblePart(place: SeenPlace, { groupId }: Place, bearer: Bearer): SeenPlace {
  const groups = place.groups.filter((group) => group === groupId || maySee(bearer, group));
  return { ...place, groups };
}

async function neighboursAt(
  world: WhyReads,
  place: SeenPlace,
  { device, darkAt, until }: LossToExplain,
): Promise<Neighbours> {
  const slack = togetherMs(device, world.waits);
  const last = plus(darkAt, slack);
  const [total, before, withIt, dark] = await Promise.all([
    countDark(world, place, null),
    countDark(world, place, plus(darkAt, -slack)),
    countDark(world, place, last < until ? last : until),
    countDark(world, place, until),
  ]);
  const others = Math.max(0, total - 1);
  // The camera itself is one of those that became dark with it, unless the horizon has not come so far.
  const together = Math.max(0, withIt - before - (darkAt <= until ? 1 : 0));
  return {
    place,
    others,
    alive: Math.max(0, others - before),
    together,
    dark: Math.max(0, dark - (darkAt <= until ? 1 : 0)),
  };
}
