import type { Device } from '../../domain/device/device.ts';
import { placesOf } from '../../domain/device/places.ts';
import { type CensusRecord, censusIdOf, censusOf, darkFrom, isLossUnseen } from '../../domain/incident/census.ts';
import type { IncidentRecord } from '../../domain/incident/incident.ts';
import type { OpenIncident, Standing } from '../../domain/incident/standing.ts';
import type { Instant } from '../../domain/time.ts';
import { decideAndCommit } from '../commit/commit.ts';
import type { Reads, World } from '../ports.ts';
import { blindIncidentId } from '../sight/sight.ts';
import { countPlaces } from './count-places.ts';
import { outageFor } from './open-outage.ts';

const alone: Standing = { incident: null, isHeld: false };

/**
 * The situation at the places of a lost device: the incident that is open there, which this call may open or widen. A loss that is declared
 * while the platform is blind belongs to the incident of the blindness.
 */
export async function standingOf(world: World, device: Device): Promise<Standing> {
  const { horizonAt } = device;
  if (isLossUnseen(device, horizonAt, world.waits)) {
    const incident = await openIncident(world, await blindIncidentId(world));
    if (incident) return { incident, isHeld: true };
  }
  if (horizonAt === null || device.places.length === 0) return alone;
  const { incidentId, isHeld } = await census(world, device, horizonAt);
  return { incident: await openIncident(world, incidentId), isHeld };
}

/** The incident, unless it is over. */
async function openIncident({ store }: Reads<'incidents'>, incidentId: string | null): Promise<OpenIncident | null> {
  if (incidentId === null) return null;
  const [stored = null] = await store.get('incidents', [incidentId]);
  return stored && isStanding(stored.data) ? stored.data : null;
}

function isStanding({ endedAt }: IncidentRecord): boolean {
  return endedAt === null;
}

async function census(world: World, device: Device, horizon: Instant): Promise<CensusRecord> {
  const from = darkFrom(device, horizon, world.waits);
  const id = censusIdOf(device.places, from, horizon);
  return decideAndCommit(world, async () => {
    const [known = null] = await world.store.get('census', [id]);
    if (known) return { writes: [], wakes: [], answer: known.data };
    const counted = await countPlaces(world, placesOf(device), { from, until: horizon });
    const { incidentId, writes, wakes } = await outageFor(world, counted, { from, until: horizon });
    const data = censusOf(id, counted, incidentId, horizon);
    return { writes: [{ kind: 'create', in: 'census', id, data }, ...writes], wakes, answer: data };
  });
}
