import { v5 as uuidv5 } from 'uuid';
import { entryIdOf } from '../alert/lifecycle.ts';
import { everybody } from '../event/event.ts';
import { retention } from '../limits.ts';
import type { LostTime } from '../restored/restored.ts';
import { plus } from '../time.ts';
import { type IncidentEntry, type IncidentRecord, seedIncident } from './incident.ts';

const namespace = 'b0d9f7a4-3c55-5b0c-9a53-7f5d1c2e8a16';

export function restoreIncidentId(asOf: LostTime['asOf']): string {
  return uuidv5(JSON.stringify(['restored', asOf]), namespace);
}

/** The blindness of a restored database in the time that it lost. It is over when it is recorded, and nobody is notified of it. */
export function restoreIncident(
  { asOf, at }: LostTime,
  versionBefore: number,
): { incident: IncidentRecord; entry: IncidentEntry } {
  const incidentId = restoreIncidentId(asOf);
  const isNew = versionBefore === 0;
  const seed = seedIncident(
    {
      incidentId,
      kind: 'blind',
      groups: [everybody],
      scope: { kind: 'platform', id: 'watchpost', name: null },
      title: 'Watchpost was restored',
      message: `The database was restored to its state of ${asOf}. What was recorded until ${at} is lost, and no camera is declared lost or silent because of it.`,
      members: { now: 0, peak: 0, back: 0 },
      evidence: [],
    },
    'CRITICAL',
    asOf,
  );
  const incident: IncidentRecord = {
    ...seed,
    status: 'resolved',
    isOpen: false,
    resolved: true,
    resolvedAt: at,
    resolution: 'automatic',
    endedAt: at,
    version: versionBefore + 1,
    expireAt: plus(at, retention.resolvedAlert),
  };
  const entry: IncidentEntry = {
    entryId: entryIdOf(incidentId, incident.version),
    incidentId,
    at,
    recordedAt: at,
    who: 'system',
    action: isNew ? 'open' : 'update',
    from: isNew ? null : 'resolved',
    to: 'resolved',
    why: seed.message,
    changes: incident,
    notified: [],
    notNotified: [],
    expireAt: plus(at, retention.audit),
  };
  return { incident, entry };
}
