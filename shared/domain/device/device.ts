import type { Reporting } from '../../schema/common.ts';
import type { Parent } from '../../schema/device/registry.ts';
import { type AlertCode, type MeasureName, type ReportKind, unassigned } from '../../schema/vocabulary.ts';
import { type GuardianFacts, noGuardianFacts } from '../guardian/facts.ts';
import type { GuardianTrust } from '../guardian/trust.ts';
import { shardOf } from '../shards.ts';
import type { Sightings } from '../sight/sightings.ts';
import type { Instant } from '../time.ts';
import { type AuthFailures, noFailures } from './auth-failures.ts';
import type { StatedBy } from './description.ts';
import type { Measure, Stamp } from './measure.ts';
import { type OwnLimits, ownLimitsOf } from './own-limits.ts';
import {
  type DeviceSettings,
  noPresence,
  type Patience,
  type Presence,
  patienceOf,
  usualPatience,
} from './presence.ts';
import type { BrokerAttempt, CertificateFacts, KnownEvent } from './security-facts.ts';

/** An alert that is open on the device, and since when. */
export type OpenAlert = {
  alertId: string;
  since: Instant;
  /** Signs of deterioration that it has shown (`Finding.marks`). */
  marks?: string[];
  /** Of a loss: when its camera was lost, within the time in which such spells count as flapping. */
  spells?: Instant[];
  /** Set while it flaps: it stays open until its condition has been quiet for a while. `quietSince` is null while the condition holds. */
  flapping?: { quietSince: Instant | null };
  /** Set after a person reopened it: it ends by itself only after its condition was seen to end, begin again and end again. */
  reopened?: 'waits' | 'ended' | 'began-anew';
  /** Of a loss that was over when it was found: when it ended. The next decision ends the alert with this time. */
  overAt?: Instant;
};

/** How the last alert of a code ended. This decides whether the next sighting reopens it or is muted. */
export type EndedAlert = {
  alertId: string;
  endedAt: Instant;
  by: 'itself' | 'hand';
  /** Times at which it was reopened within the flapping window. */
  reopenedAt: Instant[];
  marks?: string[];
  spells?: Instant[];
};

/** Activity entries of a device on one day, by cloud time. */
export type ActivityCount = { day: string; count: number };
/** Why a section of a device's reports could not be read, when that was last recorded, and for which message. */
export type UnreadableSection = { reason: string; at: Instant; messageId: string };

/** One camera: the facts from its reports, and the alerts that are open on it. */
export type Device = {
  deviceId: string;
  groupId: string;
  /** Since when it belongs to its group, and the groups before that, oldest first: what was recorded of it belongs to the group of that time. */
  groupSince: Instant;
  formerGroups: { groupId: string; from: Instant; to: Instant }[];
  name: string;
  /** Members that a person has set. Reports no longer change them. */
  setByHand: ('name' | 'groupId' | 'reporting')[];
  /** Its site. Null: its group counts as its place. */
  site: string | null;
  /** What it is connected through (switch, uplink …), from narrow to wide. */
  parents: Parent[];
  tags: Record<string, string>;
  /** Zones that it observes. */
  coverage: string[];
  /** Search terms by which lists find it, made from its id, name, site, parents and tags. */
  labels: string[];
  /** Keys of the places that count it, and the time from which it counts as dark unless it reports. */
  places: string[];
  darkAt: Instant | null;
  /** How often it reports, where a person set that for this device. Null: the setting of its group applies, or of the fleet. */
  reporting: Reporting | null;
  /** The patience and the limits that result from the settings at the last write. Absent limits: those of the alert catalogue. */
  patience: Patience;
  limits?: OwnLimits;
  model: string | null;
  serial: string | null;
  firmware: string | null;
  ip: string | null;
  brokerHost: string | null;
  reconnectAttempts: number | null;
  statedBy: StatedBy;
  /** False until it, or its guardian, is heard of for the first time: until then it was only registered. */
  wasHeard: boolean;
  isOnline: boolean;
  presence: Presence;
  registeredAt: Instant;
  /** Newest sign of life; null before the first. */
  lastSeenAt: Instant | null;
  /** Newest report that only a device that is alive can have sent: not a report about its connection, of its guardian, or of a retained message. */
  aliveAt: Instant | null;
  /** The database was restored then: its absence before is judged as if it had been heard then. Absent: not so. */
  restoredAt?: Instant;
  /** Since when it has been silent, as a sweep found. Null: it is not. */
  silentSince: Instant | null;
  clockSkewSeconds: number | null;
  unreadable: UnreadableSection[];
  /** When the newest fault in `unreadable` was recorded, and the keys of the lasting ones, which count devices of the same model and firmware. */
  unreadableAt: Instant | null;
  faultKeys: string[];
  /** Stamp of the newest status report. No other kind sets one. */
  newest: Partial<Record<ReportKind, Stamp>>;
  /** The last report that came after a newer one. Two in a row show that the device's clock was set back. */
  lastLate: Stamp | null;
  measures: Partial<Record<MeasureName, Measure>>;
  certificate: CertificateFacts;
  authFailures: AuthFailures;
  attempts: BrokerAttempt[];
  /** Attempts that a person has settled with their alert. A copy of one is not a new attempt. */
  settledAttempts: string[];
  /** The last events, identified by their content. */
  events: KnownEvent[];
  guardian: GuardianFacts;
  /** Null if no guardian was ever enrolled. */
  guardianTrust: GuardianTrust | null;
  /** Since when its guardian has no effect, or from when on unless a health message arrives. Null where it has no guardian. */
  unguardedAt: Instant | null;
  activityCount: ActivityCount | null;
  texts: TextBudget;
  open: Partial<Record<AlertCode, OpenAlert>>;
  ended: Partial<Record<AlertCode, EndedAlert>>;
  /** End of the snooze that a person set for each code. */
  snoozed: Partial<Record<AlertCode, Instant>>;
  /** The latest time at which its conditions were compared with its open alerts. They are never evaluated for an earlier time. */
  decidedAt: Instant | null;
  /** The horizon at the last decision: no report published before it was missing. Absences are judged by it and never by the clock. */
  horizonAt: Instant | null;
  /** When it was seen and when not, for the ledger. */
  sightings: Sightings;
  /** Losses of its connection that were told up to this time are recorded in alerts, or need none. Absent: none is. */
  lossesJudgedTo?: Instant;
  /** When a condition of the device may change without a report. */
  dueAt: Instant | null;
  /** When a condition may change because a report stays away. It is evaluated once no report published before it is missing. */
  absentAt: Instant | null;
  /** When the device counts as silent unless it reports. */
  silentAt: Instant | null;
  shard: number;
  /** Number of writes. The wake at `dueAt` is named after it. */
  version: number;
};

/** Changes of text that are decided in the minute that begins at `from`, by the sort of message: how many more. */
export type TextBudget = Partial<Record<string, { from: Instant; left: number }>>;

/** The name that people gave to a device. Null where it has none, and its id is shown instead. */
export function nameOf({ deviceId, name }: Pick<Device, 'deviceId' | 'name'>): string | null {
  return name === deviceId ? null : name;
}

/** What an alert copies from its device, so that lists, rules and maintenance windows need not read the device. */
export type Whereabouts = { deviceName: string | null } & Pick<Device, 'site' | 'parents' | 'tags' | 'places'>;

export function whereaboutsOf(device: Device): Whereabouts {
  const { site, parents, tags, places } = device;
  return { deviceName: nameOf(device), site, parents, tags, places };
}

/** A device when its first report arrives. */
export function newDevice(deviceId: string, at: Instant): Device {
  return {
    deviceId,
    groupId: unassigned,
    groupSince: at,
    formerGroups: [],
    name: deviceId,
    setByHand: [],
    site: null,
    parents: [],
    tags: {},
    coverage: [],
    labels: [],
    places: [],
    darkAt: null,
    reporting: null,
    patience: usualPatience,
    ...{ model: null, serial: null, firmware: null, ip: null },
    brokerHost: null,
    reconnectAttempts: null,
    statedBy: {},
    wasHeard: false,
    isOnline: false,
    presence: noPresence,
    registeredAt: at,
    lastSeenAt: null,
    aliveAt: null,
    silentSince: null,
    clockSkewSeconds: null,
    unreadable: [],
    unreadableAt: null,
    faultKeys: [],
    newest: {},
    lastLate: null,
    measures: {},
    certificate: { validity: null, expiry: null },
    authFailures: noFailures,
    attempts: [],
    settledAttempts: [],
    events: [],
    guardian: noGuardianFacts,
    guardianTrust: null,
    unguardedAt: null,
    activityCount: null,
    texts: {},
    open: {},
    ended: {},
    snoozed: {},
    decidedAt: null,
    horizonAt: null,
    sightings: { since: null, runs: [], losses: [] },
    dueAt: null,
    absentAt: null,
    silentAt: null,
    shard: shardOf(deviceId),
    version: 0,
  };
}

/** The device as the settings judge it now. */
export function judgedBy(device: Device, settings: DeviceSettings): Device {
  const { limits: _, ...plain } = device;
  const limits = ownLimitsOf(device, settings.limits);
  return { ...plain, patience: patienceOf(device, settings), ...(limits ? { limits } : {}) };
}
