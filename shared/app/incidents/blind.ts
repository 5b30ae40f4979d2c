import { openingOf } from '../../domain/change/incident-decision.ts';
import { afterBlindness, blindIncident, type Overdue } from '../../domain/incident/blind.ts';
import { memberAction } from '../../domain/incident/member-action.ts';
import { allShards } from '../../domain/shards.ts';
import { heardBridges } from '../../domain/sight/canary.ts';
import { expectedPartitions } from '../../domain/sight/partitions.ts';
import type { SightRecord } from '../../domain/sight/sight.ts';
import type { Instant } from '../../domain/time.ts';
import { put } from '../commit/commit.ts';
import type { Wake, World, Write } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';
import { loadCanaries } from '../sight/sight.ts';
import { givenAt, incidentFact } from './incident-written.ts';
import { memberActionWrites } from './members.ts';

type BlindnessWrites = { sight: SightRecord; writes: Write[]; wakes: Wake[] };

/** Opens or ends the incident of a blindness, in the commit of the sweep that detects it. */
export async function followBlindness(world: World, sight: SightRecord, now: Instant): Promise<BlindnessWrites> {
  const isBlind = sight.state === 'blind';
  if (isBlind === (sight.incidentId !== null)) return { sight, writes: [], wakes: [] };
  const [overdue, configuration] = await Promise.all([countOverdue(world, now), loadConfiguration(world)]);
  if (sight.incidentId === null) {
    const bridges = expectedPartitions(heardBridges(await loadCanaries(world)));
    const incident = blindIncident(sight, overdue, bridges, now);
    const change = openingOf(incident, configuration, givenAt(world, now));
    const written = incidentFact(world, { incident, stored: null, change, configuration, at: now });
    return { sight: { ...sight, incidentId: incident.incidentId }, ...written };
  }
  const [stored = null] = await world.store.get('incidents', [sight.incidentId]);
  const seeing = { ...sight, incidentId: null };
  if (!stored) return { sight: seeing, writes: [], wakes: [] };
  const ended = afterBlindness(stored.data, overdue, now);
  const change = { kind: 'end', resolution: 'automatic', why: ended.message } as const;
  const { writes, wakes } = incidentFact(world, { incident: ended, stored, change, configuration, at: now });
  // If a person has already resolved it, its end causes no notification.
  const kept = writes.length > 0 ? writes : [put('incidents', stored.id, ended, stored)];
  const release = memberActionWrites(memberAction(ended, { kind: 'release' }, now));
  return { sight: seeing, writes: [...kept, ...release.writes], wakes: [...wakes, ...release.wakes] };
}

async function countOverdue({ store }: World, now: Instant): Promise<Overdue> {
  const [unknown, online] = await Promise.all([
    store.count({
      in: 'devices',
      where: [
        { field: 'shard', is: 'in', value: allShards },
        { field: 'silentAt', is: '<=', value: now },
      ],
    }),
    store.count({ in: 'devices', where: [{ field: 'isOnline', is: '==', value: true }] }),
  ]);
  return { unknown, online };
}
