import type { Kind, Records, Store } from '../../../shared/app/ports.ts';

/** What the checker reads: members of records that the contract or the design names. */
export type Kept = {
  [K in
    | 'alerts'
    | 'audit'
    | 'deliveries'
    | 'detections'
    | 'guardianAlerts'
    | 'quarantine'
    | 'activity'
    | 'devices'
    | 'events'
    | 'incidents'
    | 'incidentAudit']: Records[K][];
};

export async function readKept(store: Store): Promise<Kept> {
  const all = async <K extends Kind>(kind: K) => (await store.find({ in: kind, limit: 1e7 })).map(({ data }) => data);
  const events = await all('events');
  const bodies = new Map(events.map(({ recordId, body }) => [recordId, body]));
  // A delivery refers to its event, which holds the bytes for all endpoints.
  const deliveries = (await all('deliveries')).map((each) => ({
    ...each,
    body: bodies.get(each.recordId ?? '') ?? each.body,
  }));
  return {
    alerts: await all('alerts'),
    audit: await all('audit'),
    deliveries,
    detections: await all('detections'),
    guardianAlerts: await all('guardianAlerts'),
    quarantine: await all('quarantine'),
    activity: await all('activity'),
    devices: await all('devices'),
    events,
    incidents: await all('incidents'),
    incidentAudit: await all('incidentAudit'),
  };
}

/** Faults: lost without a trace, in a wrong state, or duplicated. */
export type Findings = { lost: string[]; wrong: string[]; doubled: string[] };

/** Compares a list of what must exist once with what exists. */
export function compareOnce(findings: Findings, what: string, wanted: Iterable<string>, found: Iterable<string>): void {
  const counts = new Map<string, number>();
  for (const key of found) counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const key of wanted) {
    const count = counts.get(key) ?? 0;
    if (count === 0) findings.lost.push(`${what} ${key}`);
    if (count > 1) findings.doubled.push(`${what} ${key} ${count} times`);
    counts.delete(key);
  }
  for (const key of counts.keys()) findings.wrong.push(`${what} ${key} out of nothing`);
}

/** Longest time between a decision and its commit, milliseconds. */
export const commitMs = 7000;
