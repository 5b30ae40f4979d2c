import type { Kind, Records, Store } from '../../../shared/app/ports.ts';

/** What the checker reads: the members of records that the contract or the design names, and no code of the service. */
export type Kept = {
  [K in
    | 'alerts'
    | 'audit'
    | 'deliveries'
    | 'detections'
    | 'guardianAlerts'
    | 'quarantine'
    | 'activity'
    | 'devices']: Records[K][];
};

export async function readKept(store: Store): Promise<Kept> {
  const all = async <K extends Kind>(kind: K) => (await store.find({ in: kind, limit: 1e7 })).map(({ data }) => data);
  const [alerts, audit, deliveries, detections, guardianAlerts, quarantine, activity, devices] = await Promise.all([
    all('alerts'),
    all('audit'),
    all('deliveries'),
    all('detections'),
    all('guardianAlerts'),
    all('quarantine'),
    all('activity'),
    all('devices'),
  ]);
  return { alerts, audit, deliveries, detections, guardianAlerts, quarantine, activity, devices };
}

/** What is amiss: lost without a trace, in a wrong state, or there twice. */
export type Findings = { lost: string[]; wrong: string[]; doubled: string[] };

/** Holds a list of what must be there once against what is there. */
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

/** Longest way of a commit to the store, from the decision that it is of. */
export const commitMs = 7000;
