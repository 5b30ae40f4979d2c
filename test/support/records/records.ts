import type { Kind, Records, Store } from '../../../shared/app/ports.ts';

/** Every kind of record. The compiler requires new kinds here. */
const isKind: Record<keyof Records, true> = {
  devices: true,
  alerts: true,
  attachments: true,
  audit: true,
  deliveries: true,
  detections: true,
  events: true,
  channelHealth: true,
  endpointHealth: true,
  notices: true,
  now: true,
  drills: true,
  fanOuts: true,
  sequences: true,
  sequenceCheckpoints: true,
  ledgerBatches: true,
  ledgerEntries: true,
  ledgerHeads: true,
  links: true,
  reportSchedules: true,
  rules: true,
  teams: true,
  settings: true,
  targets: true,
  tombstones: true,
  auditStream: true,
  fleetCounters: true,
  fleetSummaries: true,
  trends: true,
  trendCounters: true,
  activity: true,
  guardianAlerts: true,
  incidents: true,
  incidentAudit: true,
  memberActions: true,
  jobs: true,
  outagePlaces: true,
  paces: true,
  places: true,
  platform: true,
  quarantine: true,
  quarantineBytes: true,
  quarantineBudgets: true,
  revisions: true,
  webhooks: true,
  windows: true,
};

export const kinds = Object.keys(isKind) as Kind[];

/** The whole content of a store, each record as text with its kind and id. */
export async function allRecords(store: Store): Promise<string[]> {
  const found = await Promise.all(
    kinds.map(async (kind) => {
      const records = await store.find({ in: kind, limit: 100_000 });
      return records.map(({ id, data }) => `${kind} ${id} ${JSON.stringify(data)}`);
    }),
  );
  return found.flat();
}
