import type { Members } from '../../domain/job/erasure.ts';
import type { Kind } from '../ports.ts';

/** What an erasure does with records of a kind that name its subject. */
type Fate =
  | 'deleted'
  /** An alias replaces the name in these members. */
  | { renamed: Members }
  /** A step of its own handles it. */
  | 'special'
  /** No record of the kind contains a name, or docs/recovery.md says how long it stays. */
  | 'left';

const anywhere: Fate = { renamed: null };
const inMembers = (...members: string[]): Fate => ({ renamed: members });

/**
 * What an erasure does with each kind of record. The compiler requires a row for a new kind. Configuration keeps an alias: a filter with an alias
 * matches nothing, while a filter without the name would match everything.
 */
export const erasedKinds: Record<Kind, { device: Fate; person: Fate }> = {
  activity: { device: 'deleted', person: anywhere },
  alerts: { device: 'deleted', person: anywhere },
  // Any of the files may show the device: all of them go, and a mail that has not left says so.
  attachments: { device: 'special', person: 'left' },
  audit: { device: 'deleted', person: anywhere },
  // The path and `resourceId` must stay as evidence that something was done with a device.
  auditStream: { device: 'special', person: anywhere },
  census: { device: 'left', person: 'left' },
  deliveries: { device: 'deleted', person: 'deleted' },
  detections: { device: 'deleted', person: 'left' },
  // The call that starts the job already removes the device. Its names belong to the registry.
  devices: { device: 'left', person: 'left' },
  drills: { device: 'left', person: 'left' },
  endpointHealth: { device: 'left', person: 'left' },
  events: { device: 'deleted', person: 'deleted' },
  fanOuts: { device: inMembers('body', 'deliveries'), person: anywhere },
  fleetCounters: { device: 'left', person: 'left' },
  fleetSummaries: { device: 'special', person: anywhere },
  guardianAlerts: { device: 'deleted', person: 'left' },
  incidentAudit: { device: inMembers('why', 'changes'), person: anywhere },
  incidents: { device: inMembers('title', 'message', 'evidence'), person: anywhere },
  jobs: { device: inMembers('work.filter'), person: anywhere },
  // Hashes and commitments, whose key is deleted with the entries.
  ledgerBatches: { device: 'left', person: 'left' },
  ledgerEntries: { device: 'deleted', person: 'left' },
  ledgerHeads: { device: 'deleted', person: 'left' },
  links: { device: 'left', person: anywhere },
  memberActions: { device: 'left', person: 'left' },
  notices: { device: inMembers('text'), person: anywhere },
  outagePlaces: { device: 'left', person: 'left' },
  paces: { device: 'left', person: 'left' },
  places: { device: 'left', person: 'left' },
  platform: { device: 'left', person: 'left' },
  quarantine: { device: 'deleted', person: anywhere },
  quarantineBudgets: { device: 'left', person: 'left' },
  // Deleted with its record in quarantine.
  quarantineBytes: { device: 'left', person: 'left' },
  reportSchedules: { device: inMembers('name'), person: 'special' },
  revisions: { device: 'left', person: 'left' },
  rules: { device: inMembers('name', 'condition.device'), person: inMembers('name') },
  sequenceCheckpoints: { device: 'left', person: 'left' },
  sequences: { device: 'deleted', person: 'left' },
  settings: { device: 'left', person: 'left' },
  targets: { device: inMembers('urgentDevices', 'left'), person: 'deleted' },
  teams: { device: 'left', person: 'special' },
  tombstones: { device: 'left', person: 'left' },
  trendCounters: { device: 'left', person: 'left' },
  trends: { device: 'left', person: 'left' },
  webhooks: { device: inMembers('filter.devices', 'description'), person: inMembers('description') },
  windows: {
    device: inMembers('name', 'reason', 'scope.devices'),
    person: inMembers('name', 'reason', 'createdBy'),
  },
};

/** Kinds that every process caches, by their revision. */
export const configurationKinds: readonly Kind[] = ['rules', 'teams', 'webhooks', 'windows'];
