import { v5 as uuidv5 } from 'uuid';
import { wayNames } from '../../schema/vocabulary.ts';
import { everybody } from '../event/event.ts';
import type { Expected } from '../sight/partitions.ts';
import type { SightRecord } from '../sight/sight.ts';
import { type Instant, msBetween, spell } from '../time.ts';
import { type IncidentRecord, seedIncident } from './incident.ts';

const namespace = 'b0d9f7a4-3c55-5b0c-9a53-7f5d1c2e8a16';

/** Overdue devices while the platform is blind, and all devices that count as online. */
export type Overdue = { unknown: number; online: number };

const wayTitles = { broker: 'the MQTT broker', ingest: 'Pub/Sub and ingest' } as const;

/** The incident for a time of blindness. Each sweep that finds the same blindness makes the same incident. */
export function blindIncident(
  sight: SightRecord,
  { unknown, online }: Overdue,
  bridges: readonly Expected[],
  at: Instant,
): IncidentRecord {
  const blind = wayNames.filter((name) => sight.ways[name].state === 'blind');
  const where = blind.map((name) => wayTitles[name]).join(' and ');
  return seedIncident(
    {
      incidentId: uuidv5(JSON.stringify(['blind', sight.since]), namespace),
      kind: 'blind',
      groups: [everybody],
      scope: { kind: 'platform', id: 'watchpost', name: null },
      title: 'Watchpost is blind',
      message:
        `Nothing comes through ${where} any more, not even what Watchpost itself sends. No camera is declared lost or silent meanwhile. ` +
        'The console, acknowledging, escalations and messages work as ever.',
      members: { now: unknown, peak: unknown, back: 0 },
      evidence: [
        ...blind.map((name) => `${wayTitles[name]}: everything came through up to ${sight.ways[name].horizonAt}`),
        ...(blind.includes('broker') ? silentBridges(bridges, sight.ways.broker.horizonAt) : []),
        `${unknown} of ${online} cameras that count as online are overdue`,
      ],
    },
    'CRITICAL',
    at,
  );
}

/** The bridges of several through which nothing came after `horizonAt`. A bridge that is alone need not be named. */
function silentBridges(bridges: readonly Expected[], horizonAt: Instant): string[] {
  const silent = bridges.filter(({ of, heardAt }) => of > 1 && (heardAt === null || heardAt <= horizonAt));
  return silent.map(
    ({ partition, of, heardAt }) =>
      `bridge ${partition} of ${of} not heard${heardAt === null ? '' : ` since ${heardAt}`}`,
  );
}

/** The incident when the blindness is over: how long it lasted and what was found afterwards. */
export function afterBlindness(incident: IncidentRecord, { unknown, online }: Overdue, at: Instant): IncidentRecord {
  const lasted = spell(msBetween(incident.timestamp, at));
  const found =
    unknown === 0
      ? `All ${online} cameras that count as online report again.`
      : `${unknown} of ${online} cameras that count as online have not reported again yet: they are looked at one by one now.`;
  const { peak } = incident.members;
  return {
    ...incident,
    endedAt: at,
    title: 'Watchpost was blind',
    message: `Watchpost sees again after ${lasted}. ${found}`,
    members: { now: unknown, peak: Math.max(peak, unknown), back: Math.max(0, peak - unknown) },
    evidence: [...incident.evidence, found],
  };
}
