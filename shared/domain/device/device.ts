import type { Reporting } from '../../schema/common.ts';
import type { Parent } from '../../schema/device/registry.ts';
import { type AlertCode, type ReportKind, unassigned } from '../../schema/vocabulary.ts';
import { type GuardianFacts, noGuardianFacts } from '../guardian/facts.ts';
import type { GuardianTrust } from '../guardian/trust.ts';
import { shardOf } from '../shards.ts';
import type { Instant } from '../time.ts';
import { type AuthFailures, noFailures } from './auth-failures.ts';
import type { ToldBy } from './description.ts';
import type { Measure, MeasureName } from './measure.ts';
import { type Patience, usualPatience } from './patience.ts';
import { noPresence, type Presence } from './presence.ts';
import type { Attempt, CertificateFacts, KnownEvent } from './security-facts.ts';
import type { Stamp } from './stamp.ts';

/** An alert that is open on the device, and since when. */
export type OpenAlert = {
  alertId: string;
  since: Instant;
  /** The steps that it has reached on the way to worse. */
  marks?: string[];
  /** Since it flaps it stays open until its condition has been quiet for a while: since when it is, null while it holds. */
  flapping?: { quietSince: Instant | null };
  /** A person has reopened it: it ends by itself only after its condition was seen to end, to begin anew and to end again. */
  reopened?: 'waits' | 'ended' | 'began-anew';
};

/** How the last alert of a code ended: decides whether the next sighting reopens it, or is muted. */
export type EndedAlert = {
  alertId: string;
  endedAt: Instant;
  by: 'itself' | 'hand';
  /** Times at which it was reopened within the flapping window. */
  reopenedAt: Instant[];
  marks?: string[];
};

/** Lines of its own that a device has had in its activity on one day, by cloud time. */
export type ActivityCount = { day: string; count: number };
/** Why a section of a device's reports could not be read, when that was last recorded, and of which message. */
export type UnreadableSection = { reason: string; at: Instant; messageId: string };

/** One camera: the facts its reports told, and the alerts that are open on it. */
export type Device = {
  deviceId: string;
  groupId: string;
  name: string;
  /** Members that a person has set; reports no longer change them. */
  setByHand: ('name' | 'groupId' | 'reporting')[];
  /** Where it stands; null: its group is its place. */
  site: string | null;
  /** What it hangs on, narrow to wide. */
  parents: Parent[];
  tags: Record<string, string>;
  /** Zones that it watches. */
  coverage: string[];
  /** What lists find it by, made of its id, name, site, parents and tags. */
  labels: string[];
  /** Keys of the places that count it, and since when it is dark unless it reports. */
  places: string[];
  darkAt: Instant | null;
  /** How it reports, where that was set for this device; null: as its group does, or the fleet. */
  reporting: Reporting | null;
  /** What that comes to, by the settings as they were when it was last written. */
  patience: Patience;
  model: string | null;
  serial: string | null;
  firmware: string | null;
  ip: string | null;
  brokerHost: string | null;
  reconnectAttempts: number | null;
  /** When the device says it connected; the connection reports of `presence` are the better witness. */
  reportedConnectedAt: Instant | null;
  toldBy: ToldBy;
  isOnline: boolean;
  presence: Presence;
  registeredAt: Instant;
  /** Newest sign of life; null before the first. */
  lastSeenAt: Instant | null;
  /** Newest report that only a device which lives can have sent: all but those about its connection. */
  aliveAt: Instant | null;
  /** Since when a sweep has found it silent. */
  silentSince: Instant | null;
  clockSkewSeconds: number | null;
  unreadable: UnreadableSection[];
  /** Newest report applied of each kind. */
  newest: Partial<Record<ReportKind, Stamp>>;
  /** The last report that came behind a newer one: two in a row tell a clock that was set back. */
  lastLate: Stamp | null;
  measures: Partial<Record<MeasureName, Measure>>;
  certificate: CertificateFacts;
  authFailures: AuthFailures;
  attempts: Attempt[];
  /** What attempts a person has put to rest with their alert: a copy of one is no new one. */
  settledAttempts: string[];
  /** The last events, by what they say. */
  events: KnownEvent[];
  guardian: GuardianFacts;
  /** Null while no guardian of it was ever enrolled; not there in records of before there were keys. */
  guardianTrust?: GuardianTrust | null;
  /** Not there in records of before lines were counted. */
  activityCount?: ActivityCount | null;
  open: Partial<Record<AlertCode, OpenAlert>>;
  ended: Partial<Record<AlertCode, EndedAlert>>;
  /** Until when a person wants to hear nothing of a code. */
  snoozed: Partial<Record<AlertCode, Instant>>;
  /** The latest time at which conditions were held against the open alerts: they are never judged by an earlier one. */
  decidedAt: Instant | null;
  /** Up to when it was known, at the last look, that no report was missing: absences are judged by that time, never by the clock. */
  horizonAt: Instant | null;
  /** When a condition of the device may change without a report. */
  dueAt: Instant | null;
  /** When a condition may change because a report stays away: looked at once nothing published up to then is still missing. */
  absentAt: Instant | null;
  /** When the device counts as silent, unless it reports. */
  silentAt: Instant | null;
  shard: number;
  /** Counts the writes; names the alarm clock of `dueAt`. */
  version: number;
};

/** What people call a device; null where nobody has named it: its id stands for it then. */
function nameOf({ deviceId, name }: Pick<Device, 'deviceId' | 'name'>): string | null {
  return name === deviceId ? null : name;
}

/** What an alert keeps of its device, so that neither a list nor a rule or maintenance window need look for it. */
export type Whereabouts = { deviceName: string | null } & Pick<Device, 'site' | 'parents' | 'tags' | 'places'>;

export function whereaboutsOf(device: Device): Whereabouts {
  const { site, parents, tags, places } = device;
  return { deviceName: nameOf(device), site, parents, tags, places };
}

/** A device at its first report. */
export function newDevice(deviceId: string, at: Instant): Device {
  return {
    deviceId,
    groupId: unassigned,
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
    model: null,
    serial: null,
    firmware: null,
    ip: null,
    brokerHost: null,
    reconnectAttempts: null,
    reportedConnectedAt: null,
    toldBy: {},
    isOnline: false,
    presence: noPresence,
    registeredAt: at,
    lastSeenAt: null,
    aliveAt: null,
    silentSince: null,
    clockSkewSeconds: null,
    unreadable: [],
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
    activityCount: null,
    open: {},
    ended: {},
    snoozed: {},
    decidedAt: null,
    horizonAt: null,
    dueAt: null,
    absentAt: null,
    silentAt: null,
    shard: shardOf(deviceId),
    version: 0,
  };
}
