import type { Alert, AlertContext, DeviceAlert } from '../../schema/alert/alert.ts';
import { urgencyOf } from '../../schema/alert/urgency.ts';
import type { DeliveryChannel } from '../../schema/channels.ts';
import type { Channel } from '../../schema/vocabulary.ts';
import type { Handed } from '../delivery/handoff.ts';
import type { Whereabouts } from '../device/device.ts';
import type { TakenStep } from '../settings/escalation.ts';
import type { Plan } from '../settings/rules.ts';
import type { Instant } from '../time.ts';
import type { Undo } from '../undo.ts';
import { catalogue } from './catalogue.ts';
import { type Actor, availableActions } from './change.ts';

/** A receiver that was notified of a change: at once by a delivery, or later by the digest of a window. */
export type NotifiedReceiver = {
  channel: DeliveryChannel;
  team: string | null;
  target: string;
  deliveryId: string | null;
  digestId: string | null;
};

type NotNotifiedReason =
  | 'suppressed'
  | 'matrix'
  | 'rules'
  | 'no-contact'
  | 'snoozed'
  | 'maintenance'
  | 'held'
  | 'quiet-hours'
  | 'restored'
  | 'lone-camera'
  | 'incident'
  | 'over';
/** A channel that a change of an alert did not use, and why. */
export type UnusedChannel = { channel: Channel | null; team: string | null; reason: NotNotifiedReason; detail: string };

/** What a lifecycle shows to clients. */
type LifeState = Pick<
  Alert,
  | 'severity'
  | 'priority'
  | 'timestamp'
  | 'status'
  | 'team'
  | 'flapping'
  | 'occurrences'
  | 'lastSeenAt'
  | 'worsenedAt'
  | 'acknowledgedAt'
  | 'acknowledgedBy'
  | 'escalatedAt'
  | 'resolved'
  | 'resolvedAt'
  | 'resolution'
> & {
  /** True until it is resolved. A query for open alerts then compares one member with one value, not `status` with three. */
  isOpen: boolean;
};

/** When something is due without an event. */
type Clocks = Pick<Alert, 'respondBy'> & {
  /** When it must be evaluated again without an event: the earliest of the instants in `dueOf`. */
  dueAt: Instant | null;
  remindAt: Instant | null;
  /** Nobody is notified of its opening before this time, because a drift may heal. */
  notifyAfter: Instant | null;
  /** When people who were notified of the opening are notified of an acknowledgement, unless it is undone before. */
  notifyTakenAt?: Instant | null;
  /** Time allowed for an acknowledgement, milliseconds, from the settings at its opening. Null: no action is needed, or it is suppressed. */
  responseMs: number | null;
  /** When people were told of what nobody has answered since: the planned instant of the first message on any channel. Null: nobody was. */
  toldAt: Instant | null;
};

/** Why people are not notified at present: a snooze, a maintenance window, quiet hours. */
type Silence = Pick<Alert, 'snoozedUntil' | 'maintenance'> & {
  /** True while `snoozedUntil` is set. */
  isSnoozed: boolean;
  /** True while `maintenanceUntil` is set. */
  isMaintained: boolean;
  /** When the maintenance window that silences it ends. Null: no window silences it. */
  maintenanceUntil: Instant | null;
  /** End of the quiet hours that hold a message about it. */
  quietUntil?: Instant | null;
  /** It began before the database was restored: nobody is notified of it before then, because it may be over. */
  restoredUntil?: Instant;
};

/** Who is notified, by the rules and settings at its opening, and how far that has come. */
type Routing = Plan & {
  /** When its opening was first notified. */
  announcedAt: Instant | null;
  /** The last event sent to each hand-off. Absent: no hand-off got one. */
  handed?: readonly Handed[];
  /** Reminders sent since its last step was reached. */
  reminders: number;
  /** The step that its escalation has reached. */
  step?: TakenStep | null;
};

/** Its place in an incident. */
type IncidentMembership = {
  /** Its incident notifies people instead: the alert sends no message to people, and of its clocks only a snooze and a maintenance window run. */
  isMember: boolean;
  /** Nobody is notified of it before the next look (`domain/outage/look.ts`), because it may be part of an outage. */
  awaitsLook: boolean;
  /** False until a look has decided whether it belongs to an outage, and again when its incident or a maintenance window lets it go. */
  isJudged: boolean;
  /** The number of cameras at its place, if it stands alone there as the only one that is lost. Null: not known. */
  loneOf: number | null;
};

/** Its versions: how it was before, and how long it is kept. */
type History = {
  /** Who moved its camera to another group, or deleted it. Absent: it ended otherwise. */
  leftBy?: Actor;
  /** Who resolved it, and what he said. Absent: nobody did. */
  closing?: { by: Actor; comment: string | null };
  /** The state when its condition ended, restored if the condition returns soon. */
  paused: PausedAlert | null;
  /** What the last action replaced, kept while that action can be undone. */
  undo: AlertUndo | null;
  /** Number of changes in its lifecycle: the ETag, and the number of the latest audit entry. */
  version: number;
  /** When the store may delete it. Null while it is open. */
  expireAt: Instant | null;
};

/** The members that a lifecycle needs. Alerts and incidents both have them. */
export type Life = LifeState & Clocks & Silence & Routing & IncidentMembership & History;

/** A life before its first change. The change `open` sets its state. */
export function newLife(severity: Life['severity'], at: Instant, notifyAfter: Instant | null = null): Life {
  return {
    severity,
    timestamp: at,
    resolved: false,
    resolvedAt: null,
    status: 'active',
    isOpen: true,
    isSnoozed: false,
    isMember: false,
    awaitsLook: false,
    isJudged: true,
    loneOf: null,
    occurrences: 1,
    lastSeenAt: at,
    priority: null,
    team: null,
    acknowledgedAt: null,
    acknowledgedBy: null,
    escalatedAt: null,
    snoozedUntil: null,
    resolution: null,
    flapping: false,
    worsenedAt: null,
    maintenance: null,
    maintenanceUntil: null,
    isMaintained: false,
    dueAt: null,
    respondBy: null,
    remindAt: null,
    notifyAfter,
    notifyTakenAt: null,
    quietUntil: null,
    announcedAt: null,
    reminders: 0,
    step: null,
    responseMs: null,
    toldAt: null,
    rules: [],
    channels: [],
    channelsBy: 'matrix',
    escalation: null,
    notifiedTeam: null,
    paused: null,
    undo: null,
    version: 0,
    expireAt: null,
  };
}

/** An alert as it is stored: the wire members that are not computed, and the members that drive its lifecycle. */
export type AlertRecord = Omit<Alert, 'availableActions' | 'undoUntil'> &
  Life & {
    /** By this text the most urgent alert sorts first: `schema/alert/urgency.ts`. */
    urgency: string;
    /** When a lost camera was known to be connected for the last time. Null in other alerts. */
    lostAt: Instant | null;
    /** The places of its device when the alert began. Its incident finds it by them. */
    places: string[];
    /** It was announced while it stood alone. Whoever was told of it then is told of its end, in an incident too. */
    isKnownAlone: boolean;
    /** What its camera is connected through (parents), and its tags. Rules and maintenance windows filter by them. */
    parents: Whereabouts['parents'];
    tags: Whereabouts['tags'];
    /** Digest windows and occasions noted for each target (`domain/notify/notes.ts`): digests count by them, and they show who knows of the alert. */
    digestIds: string[];
  };

/** The state of an alert when its condition ended: who acknowledged it, its snooze, and the time left on its clocks in milliseconds. */
export type PausedAlert = Pick<
  AlertRecord,
  'acknowledgedAt' | 'acknowledgedBy' | 'escalatedAt' | 'team' | 'reminders' | 'step' | 'snoozedUntil'
> & { status: 'active' | 'acknowledged' | 'escalated'; respondInMs: number | null; remindInMs: number | null };

/** An acknowledgement or a snooze that can be undone, with the state and the clock that it replaced. */
export type AlertUndo = Undo & {
  action: 'acknowledge' | 'snooze';
  before: Pick<
    AlertRecord,
    'status' | 'snoozedUntil' | 'isSnoozed' | 'respondBy' | 'remindAt' | 'notifyAfter' | 'quietUntil'
  >;
};

export type AlertSeed = Partial<Whereabouts> & {
  alertId: string;
  deviceId: string;
  groupId: string;
  code: DeviceAlert['code'];
  message: string;
  context: AlertContext;
  /** Nobody is notified before this time. Absent: people are notified at once. */
  notifyAfter?: Instant | null;
  /** End of a snooze of this code on the device that is still in force. */
  snoozedUntil?: Instant | null;
  /** True where an incident notifies people in its place. */
  isMember?: boolean;
  /** Of a loss that the next look judges: since when its camera is lost. */
  lostAt?: Instant | null;
};

const nowhere: Whereabouts = { deviceName: null, site: null, parents: [], tags: {}, places: [] };

/** A new alert before its first change. The change `open` sets its state. */
export function seedAlert(seed: AlertSeed, at: Instant): AlertRecord {
  const { severity, category } = catalogue[seed.code];
  const { notifyAfter = null, snoozedUntil = null, isMember = false, lostAt = null, ...members } = seed;
  const begun = newLife(severity, at, notifyAfter);
  const awaitsLook = lostAt !== null;
  const looked = { isMember, awaitsLook, isJudged: !awaitsLook };
  const life = { ...begun, ...looked, snoozedUntil, isSnoozed: snoozedUntil !== null };
  return {
    ...nowhere,
    ...life,
    lostAt,
    ...members,
    incidentId: null,
    category,
    digestIds: [],
    isKnownAlone: false,
    urgency: urgencyOf(life, null),
  };
}

/**
 * The alert as the API and the webhooks show it. Members are copied one by one because lists hold thousands of alerts and this is the
 * fastest way.
 */
export function toWireAlert(record: AlertRecord): Alert {
  return {
    alertId: record.alertId,
    deviceId: record.deviceId,
    deviceName: record.deviceName ?? null,
    site: record.site ?? null,
    groupId: record.groupId,
    code: record.code,
    severity: record.severity,
    category: record.category,
    message: record.message,
    timestamp: record.timestamp,
    context: record.context,
    resolved: record.resolved,
    resolvedAt: record.resolvedAt,
    incidentId: record.incidentId ?? null,
    status: record.status,
    availableActions: availableActions(record.status),
    occurrences: record.occurrences,
    lastSeenAt: record.lastSeenAt,
    priority: record.priority,
    team: record.team,
    acknowledgedAt: record.acknowledgedAt,
    acknowledgedBy: record.acknowledgedBy,
    escalatedAt: record.escalatedAt,
    snoozedUntil: record.snoozedUntil,
    respondBy: record.respondBy,
    resolution: record.resolution,
    flapping: record.flapping,
    worsenedAt: record.worsenedAt ?? null,
    maintenance: record.maintenance ?? null,
  };
}
