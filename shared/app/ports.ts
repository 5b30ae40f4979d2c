import type { AlertRecord } from '../domain/alert/alert.ts';
import type { AuditEntry } from '../domain/alert/lifecycle.ts';
import type { AttachmentRecord } from '../domain/attachment.ts';
import type { AuditRecord } from '../domain/audit/entry.ts';
import type { ChannelHealth } from '../domain/delivery/channel-health.ts';
import type { Delivery, SendOutcome } from '../domain/delivery/delivery.ts';
import type { FanOut } from '../domain/delivery/fan-out.ts';
import type { PaceRecord } from '../domain/delivery/handoff/pace.ts';
import type { SequenceCheckpoint, SequenceRecord } from '../domain/delivery/sequence.ts';
import type { EndpointHealth, Webhook } from '../domain/delivery/webhook.ts';
import type { DetectionRecord } from '../domain/detection/detection.ts';
import type { ActivityEntry } from '../domain/device/activity.ts';
import type { Device } from '../domain/device/device.ts';
import type { Tombstone } from '../domain/device/tombstone.ts';
import type { DrillRecord, DrillTargets } from '../domain/drill/drill.ts';
import type { EventRecord } from '../domain/event/event.ts';
import type { FleetCounter, FleetSummary } from '../domain/fleet/summary.ts';
import type { TrendCounter, TrendRecord } from '../domain/fleet/trends.ts';
import type { GuardianAlertRecord } from '../domain/guardian/guarding.ts';
import type { GatheringRecord, IncidentEntry, IncidentRecord } from '../domain/incident/incident.ts';
import type { MemberAction } from '../domain/incident/member-action.ts';
import type { QuarantineBudget, QuarantinedBytes, QuarantineRecord } from '../domain/intake/quarantined.ts';
import type { JobRecord } from '../domain/job/job.ts';
import type { LedgerRecords, LedgerState } from '../domain/ledger/entry.ts';
import type { ReportScheduleRecord } from '../domain/ledger/schedule.ts';
import type { Waits } from '../domain/limits.ts';
import type { WindowRecord } from '../domain/maintenance/window.ts';
import type { Configuration } from '../domain/notify/configuration.ts';
import type { LinkRecord } from '../domain/notify/link.ts';
import type { Notice } from '../domain/notify/notice.ts';
import type { TargetRecord } from '../domain/notify/target.ts';
import type { TeamRecord } from '../domain/notify/team.ts';
import type { NowRecord } from '../domain/now/record.ts';
import type { OutagePlace } from '../domain/outage/places.ts';
import type { PlaceRecord } from '../domain/place/place.ts';
import type { RestoredRecord } from '../domain/restored/restored.ts';
import type { RuleRecord } from '../domain/settings/rules.ts';
import type { SettingsRecord } from '../domain/settings/settings.ts';
import type { CanaryRecord } from '../domain/sight/canary.ts';
import type { SightRecord } from '../domain/sight/sight.ts';
import type { Instant } from '../domain/time.ts';
import type { ReportedGroups, UnsignedHeals } from '../schema/vocabulary.ts';
import type { OrderedKind, Position } from './commit-order.ts';
import type { Frames, ReportPress } from './outside.ts';

export type { CanarySeal, CanarySender, Frames, ReportPress, SecretBox } from './outside.ts';
export { Conflict, Refused } from './refused.ts';

/** Every kind of record and its shape: one collection each. */
export type Records = LedgerRecords & {
  devices: Device;
  alerts: AlertRecord;
  audit: AuditEntry;
  deliveries: Delivery;
  detections: DetectionRecord;
  events: EventRecord;
  channelHealth: ChannelHealth;
  endpointHealth: EndpointHealth;
  sequences: SequenceRecord;
  sequenceCheckpoints: SequenceCheckpoint;
  notices: Notice;
  now: NowRecord;
  drills: DrillRecord;
  fanOuts: FanOut;
  links: LinkRecord;
  rules: RuleRecord;
  reportSchedules: ReportScheduleRecord;
  attachments: AttachmentRecord;
  teams: TeamRecord;
  settings: SettingsRecord;
  targets: TargetRecord;
  tombstones: Tombstone;
  auditStream: AuditRecord;
  fleetCounters: FleetCounter;
  fleetSummaries: FleetSummary;
  trends: TrendRecord;
  trendCounters: TrendCounter;
  activity: ActivityEntry;
  guardianAlerts: GuardianAlertRecord;
  incidents: IncidentRecord;
  incidentAudit: IncidentEntry;
  memberActions: MemberAction;
  jobs: JobRecord;
  outagePlaces: OutagePlace;
  paces: PaceRecord;
  places: PlaceRecord;
  platform: SightRecord | CanaryRecord | GatheringRecord | LedgerState | RestoredRecord;
  quarantine: QuarantineRecord;
  quarantineBytes: QuarantinedBytes;
  quarantineBudgets: QuarantineBudget;
  /** Counts the commits that change configuration, so that one read shows whether a cached copy is still valid. */
  revisions: { count: number };
  webhooks: Webhook;
  windows: WindowRecord;
};
export type Kind = keyof Records;
/** Kinds of records that `deadline` handles when their `dueAt` has come. `deliver` handles deliveries. */
export type DueKind = Exclude<
  { [K in Kind]: Records[K] extends { dueAt: Instant | null } ? K : never }[Kind],
  'deliveries'
>;

/** A record as it was read, with the revision that a later write can require. */
export type Stored<K extends Kind> = { id: string; data: Records[K]; revision: Revision };
declare const revisionBrand: unique symbol;
/** Identifies the state of a record that was read. Opaque to all code except the store. */
export type Revision = { readonly [revisionBrand]: true };

/** The store by which a process keys what it remembers. */
export function rootOf(store: Store): Store {
  return store.behind ? rootOf(store.behind) : store;
}

/** One write of an atomic commit. */
export type Write = { [K in Kind]: WriteTo<K> }[Kind];
type WriteTo<K extends Kind> =
  /** Fails where the record exists. */
  | { kind: 'create'; in: K; id: string; data: Records[K] }
  /** Fails where the record has changed since it was read. */
  | { kind: 'replace'; in: K; id: string; data: Records[K]; revision: Revision }
  /** Sets and increments members without a read. Fails where the record does not exist. */
  | { kind: 'patch'; in: K; id: string; set: Partial<Records[K]>; add?: Increments<K> }
  /** Sets and increments members, also of maps, without a read. Creates a missing record. Never conflicts with other writes. */
  | { kind: 'accrue'; in: K; id: string; set: Partial<Records[K]>; add: Sums }
  /** Fails where the record has changed since it was read. */
  | { kind: 'delete'; in: K; id: string; revision: Revision };

type Increments<K extends Kind> = Partial<Record<keyof Records[K] & string, number>>;

/** Amounts to add, by member. */
export type Sums = { [member: string]: number | Sums };

export type Comparison = '==' | 'in' | '<' | '<=' | '>' | '>=' | 'array-contains' | 'array-contains-any';
export type Filter<K extends Kind> = { field: keyof Records[K] & string; is: Comparison; value: unknown };

/** A bounded query. `in` and `array-contains-any` take any number of values, also none. Ties sort by id, in the direction of the last order. */
export type Query<K extends Kind> = {
  in: K;
  where?: Filter<K>[];
  orderBy?: [field: keyof Records[K] & string, direction: 'asc' | 'desc'][];
  limit: number;
  /** The position to continue after: the values of `orderBy`, then the id. */
  after?: unknown[];
};

/** Ids by kind, and the records that they name. */
export type Ids<K extends Kind> = { [P in K]: readonly string[] };
export type RecordsByKind<K extends Kind> = { [P in K]: (Stored<P> | null)[] };

/** A query for records committed after a position. `after` null: returns only the present position. */
export type Tail<K extends OrderedKind> = {
  in: K;
  where?: Filter<K>[];
  after: Position | null;
  limit: number;
};

/** A record with its position in the order of commits. */
export type PositionedRecord<K extends OrderedKind> = Stored<K> & { position: Position };

export type TailPage<K extends OrderedKind> = {
  /** In the order of their commits. No later commit can have a position before one of them. */
  found: PositionedRecord<K>[];
  /** Records that are too new for that guarantee: others may still appear before them, and later queries return them again. */
  ahead: PositionedRecord<K>[];
  /** Everything before this position has been returned. Never before `after`. */
  end: Position;
};

/**
 * The store of all records. Every implementation passes the same conformance tests, and throws `Refused` for everything that Firestore would refuse.
 */
export type Store = {
  /** The store that this one stands before, for the messages of one pack. */
  behind?: Store;
  /** The records in the order of the ids. Null where one does not exist. */
  get<K extends Kind>(kind: K, ids: readonly string[]): Promise<(Stored<K> | null)[]>;
  /** Records of several kinds in one round trip. */
  getMany<K extends Kind>(ids: Ids<K>): Promise<RecordsByKind<K>>;
  /**
   * Writes all or nothing, at most 500 writes.
   * @returns for each write, in order, the revision of the record that it created or replaced; undefined for other writes
   * @throws Conflict when a precondition does not hold
   */
  commit(writes: readonly Write[]): Promise<(Revision | undefined)[]>;
  find<K extends Kind>(query: Query<K>): Promise<Stored<K>[]>;
  count<K extends Kind>(query: Pick<Query<K>, 'in' | 'where'>): Promise<number>;
  /** Records in the order of their commits, after a position. */
  tail<K extends OrderedKind>(tail: Tail<K>): Promise<TailPage<K>>;
};

/** The needs of a use case that only reads these kinds of records. */
export type Reads<K extends Kind> = {
  store: {
    get<P extends K>(kind: P, ids: readonly string[]): Promise<(Stored<P> | null)[]>;
    find<P extends K>(query: Query<P>): Promise<Stored<P>[]>;
  };
};

/** Requests a later call about a record. A wake may be lost or come twice: the record has its due time, and the sweep finds it. */
export type Waker = { wake(wakes: readonly Wake[]): Promise<void> };
/** `fleetCounters`: all of them, due as long as they exist; `shards`: the due devices of one shard; `sweeps`: the sweep, should it not run. */
export type WakeKind = DueKind | 'fleetCounters' | 'shards' | 'sweeps';
export type Wake = { id: string; version: number; dueAt: Instant } & (
  | { in: WakeKind }
  /** `target` chooses the queue, so that a slow target delays only its own queue; `webhookId` is the endpoint, if the target is one. */
  | { in: 'deliveries'; target: string; webhookId: string | null }
);

/** A channel that makes one attempt. A receiver's failure is an outcome; only our fault throws. `endpoint` is the receiver of a webhook. */
export type Sender = { send(delivery: Delivery, attempt: number, endpoint: Webhook | null): Promise<SendOutcome> };

export type Log = Record<'info' | 'warn' | 'error', (event: string, fields: Record<string, unknown>) => void>;

export type Timer = { stop(): void };

export function pause({ after }: Pick<World, 'after'>, ms: number): Promise<void> {
  return new Promise((resolve) => after(ms, resolve));
}

/** Judges the changes of a commit. @throws AppError for one that the bearer of the call may not make (`writes/may-write.ts`) */
export type Admission = { admit(writes: readonly Write[], read?: DecisionReads): Promise<void> };
/** What a decision has read already, so that nobody reads it again. */
export type DecisionReads = {
  /** Undefined: not read. */
  device?: Stored<'devices'> | null;
  alerts: ReadonlyMap<string, Stored<'alerts'> | null>;
  configuration: Configuration | null;
};

/** Adds the entry of the audit stream to the commit by which a person's or a service's call changes something. */
export type Trail = {
  /** What to commit together with `writes`: the entry and its deliveries, where they belong to this commit. */
  beside(
    writes: readonly Write[],
    read?: DecisionReads,
  ): Promise<{ writes: Write[]; wakes: Wake[]; hasEntry: boolean }>;
  /** Reports that a commit of the call has taken effect. */
  committed(hasEntry: boolean): void;
  /** Reports that the call named a record that its bearer cannot see, and continues with the others. */
  missed(): void;
};

/** Reads gzip, up to so many bytes. `fault`: it is none, or holds more. */
export type Unzip = (data: Buffer, mostBytes: number) => { bytes: Buffer } | { fault: 'unreadable' | 'too-large' };

/** Everything that use cases need from outside. */
export type World = {
  store: Store;
  waker: Waker;
  log: Log;
  now: () => Instant;
  /** A random number from 0 to 1, only where no record depends on it. */
  random: () => number;
  /** 128 random bits in base64url, for secrets. */
  newToken: () => string;
  /** Calls back after this many milliseconds, unless the returned timer is stopped. */
  after: (ms: number, call: () => void) => Timer;
  waits: Waits;
  admission?: Admission;
  /** The audit trail of the present call, where it may change something. */
  trail?: Trail;
  /** The captured frames, for work that may have to sign an address later. */
  frames?: Frames;
  /** Makes the files of reports, where reports are mailed. */
  press?: ReportPress;
  /** The targets of the standing drill, if it is set up. */
  drill?: DrillTargets;
  /** Address of the console, for links in messages. */
  consoleUrl: string;
  /** Whether a report may name the group of a device that nobody has assigned. */
  reportedGroups: ReportedGroups;
  /** How to treat a heal that no guardian has signed. */
  unsignedHeals: UnsignedHeals;
};
