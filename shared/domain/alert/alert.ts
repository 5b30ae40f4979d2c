import type { Alert, AlertContext, DeviceAlert } from '../../schema/alert/alert.ts';
import type { Channel } from '../../schema/vocabulary.ts';
import type { Whereabouts } from '../device/device.ts';
import type { Plan } from '../settings/rules.ts';
import type { Instant } from '../time.ts';
import type { Undo } from '../undo.ts';
import { availableActions } from './actions.ts';
import { catalogue } from './catalogue.ts';

/** The members by which a lifecycle runs: alerts have one, and so have incidents. */
export type Life = Pick<
  AlertRecord,
  | 'severity'
  | 'timestamp'
  | 'status'
  | 'isOpen'
  | 'isSnoozed'
  | 'isFolded'
  | 'resolved'
  | 'resolvedAt'
  | 'resolution'
  | 'occurrences'
  | 'lastSeenAt'
  | 'flapping'
  | 'priority'
  | 'team'
  | 'acknowledgedAt'
  | 'acknowledgedBy'
  | 'escalatedAt'
  | 'snoozedUntil'
  | 'dueAt'
  | 'respondBy'
  | 'remindAt'
  | 'notifyAfter'
  | 'notifyTakenAt'
  | 'quietUntil'
  | 'announcedAt'
  | 'reminders'
  | 'responseMs'
  | 'rules'
  | 'channels'
  | 'channelsBy'
  | 'escalation'
  | 'notifiedTeam'
  | 'paused'
  | 'worsenedAt'
  | 'maintenance'
  | 'maintenanceUntil'
  | 'undo'
  | 'version'
  | 'expireAt'
>;

/** A life before its first change: `open` gives it its state. */
export function newLife(severity: Life['severity'], at: Instant, notifyAfter: Instant | null = null): Life {
  return {
    severity,
    timestamp: at,
    resolved: false,
    resolvedAt: null,
    status: 'active',
    isOpen: true,
    isSnoozed: false,
    isFolded: false,
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
    dueAt: null,
    respondBy: null,
    remindAt: null,
    notifyAfter,
    notifyTakenAt: null,
    quietUntil: null,
    announcedAt: null,
    reminders: 0,
    responseMs: null,
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

/** An alert as it is stored: the members of the wire that are not computed, and what drives it. */
export type AlertRecord = Omit<Alert, 'availableActions' | 'undoUntil'> & {
  /** Not resolved: lets "open" be one index entry. */
  isOpen: boolean;
  /** Has a `snoozedUntil`. */
  isSnoozed: boolean;
  /** Its incident speaks for it: it is told to nobody by itself, and no clock of it runs. */
  isFolded: boolean;
  /** Where its device hung when it began: how its incident finds it. */
  places: string[];
  /** When it must be looked at again without anybody's doing: the earliest of the instants below, and the end of a snooze or of maintenance. */
  dueAt: Instant | null;
  /** Until when somebody must have acknowledged it; null: no clock runs. */
  respondBy: Instant | null;
  remindAt: Instant | null;
  /** Its opening is told at this time and not before: a drift may heal, a flapping condition may settle. */
  notifyAfter: Instant | null;
  /** When those who know of it are notified that somebody has it, unless that is taken back. */
  notifyTakenAt?: Instant | null;
  /** When the quiet hours end that hold a message about it. */
  quietUntil?: Instant | null;
  /** When its opening was first told. */
  announcedAt: Instant | null;
  /** Reminders since it was escalated. */
  reminders: number;
  /** Milliseconds in which it must be acknowledged, as the settings were at its birth; null: it needs no action or is suppressed. */
  responseMs: number | null;
  /** What the rules and the settings said of it at its birth. */
  rules: Plan['rules'];
  channels: Channel[];
  channelsBy: Plan['channelsBy'];
  escalation: Plan['escalation'];
  /** The team that a rule has notified in place of `operations`. */
  notifiedTeam?: Plan['notifiedTeam'];
  /** What its end interrupted, in case its condition is back soon. */
  paused: PausedAlert | null;
  /** Until when its maintenance window keeps it quiet; null: none does. */
  maintenanceUntil: Instant | null;
  /** What the last action replaced, while it may be taken back. */
  undo: AlertUndo | null;
  /** What its camera hangs on, and its tags: what rules and maintenance windows ask for. */
  parents: Whereabouts['parents'];
  tags: Whereabouts['tags'];
  /** What is noted of targets, by which digests count it and which says who knows of it: `domain/notify/notes.ts`. */
  foldIds: string[];
  /** Counts the changes of its lifecycle: the ETag, and the number of the next audit entry. */
  version: number;
  /** When the store may forget it; null while it is open. */
  expireAt: Instant | null;
};

/** Where an alert stood when its condition ended: who had it, what was snoozed, and what was left of its clocks, milliseconds. */
export type PausedAlert = Pick<
  AlertRecord,
  'acknowledgedAt' | 'acknowledgedBy' | 'escalatedAt' | 'team' | 'reminders' | 'snoozedUntil'
> & { status: 'active' | 'acknowledged' | 'escalated'; respondInMs: number | null; remindInMs: number | null };

/** An acknowledgement or a snooze that can be taken back, with the state and the clock that it stopped. */
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
  /** Tells nobody before this time; absent: at once. */
  notifyAfter?: Instant | null;
  /** A snooze of its code on the device that is still in force. */
  snoozedUntil?: Instant | null;
  /** An incident speaks for it. */
  isFolded?: boolean;
};

const nowhere: Whereabouts = { deviceName: null, site: null, parents: [], tags: {}, places: [] };

/** A new alert before its first change: `open` gives it its state. */
export function seedAlert(seed: AlertSeed, at: Instant): AlertRecord {
  const { severity, category } = catalogue[seed.code];
  const { notifyAfter = null, snoozedUntil = null, isFolded = false, ...members } = seed;
  const begun = newLife(severity, at, notifyAfter);
  const life = { ...begun, isFolded, snoozedUntil, isSnoozed: snoozedUntil !== null };
  return { ...nowhere, ...life, ...members, incidentId: null, category, foldIds: [] };
}

/** The alert as the API and the webhooks show it: the members that the schema names, each by its name, since lists are made of thousands. */
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
    resolution: record.resolution,
    flapping: record.flapping,
    worsenedAt: record.worsenedAt ?? null,
    maintenance: record.maintenance ?? null,
  };
}
