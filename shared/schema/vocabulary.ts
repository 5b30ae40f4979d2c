// Fixed lists of values and names, without a validator library: for the console, the settings, Terraform and the documents as well as for
// the schemas.

export const severities = ['CRITICAL', 'ERROR', 'WARNING', 'INFO'] as const;
export type Severity = (typeof severities)[number];
/** Severities that must be acknowledged in time. INFO needs no action. */
export const timedSeverities = ['CRITICAL', 'ERROR', 'WARNING'] as const satisfies readonly Severity[];
type TimedSeverity = (typeof timedSeverities)[number];

export const categories = ['connectivity', 'security', 'configuration', 'resource'] as const;
export type Category = (typeof categories)[number];

/** The alert catalogue of the contract: severity, category and a short name for each code. */
export const alertCatalogue = {
  CONN_001: { severity: 'CRITICAL', category: 'connectivity', title: 'MQTT connection lost' },
  CONN_002: { severity: 'ERROR', category: 'connectivity', title: 'MQTT connection unstable' },
  CONN_003: { severity: 'WARNING', category: 'connectivity', title: 'Network latency high' },
  CONN_004: { severity: 'INFO', category: 'connectivity', title: 'Connection restored' },
  SEC_001: { severity: 'CRITICAL', category: 'security', title: 'Certificate validation failed' },
  SEC_002: { severity: 'CRITICAL', category: 'security', title: 'Unauthorized broker connection attempt' },
  SEC_003: { severity: 'ERROR', category: 'security', title: 'Certificate expiring' },
  SEC_004: { severity: 'WARNING', category: 'security', title: 'Multiple failed authentication attempts' },
  CFG_001: { severity: 'CRITICAL', category: 'configuration', title: 'Critical configuration drift' },
  CFG_002: { severity: 'WARNING', category: 'configuration', title: 'Configuration healed' },
  CFG_003: { severity: 'WARNING', category: 'configuration', title: 'Configuration conflict' },
  CFG_004: { severity: 'INFO', category: 'configuration', title: 'Configuration updated' },
  RES_001: { severity: 'ERROR', category: 'resource', title: 'Memory usage critical' },
  RES_002: { severity: 'WARNING', category: 'resource', title: 'Memory usage high' },
  RES_003: { severity: 'WARNING', category: 'resource', title: 'Storage space low' },
  RES_004: { severity: 'INFO', category: 'resource', title: 'Resource usage normalized' },
} as const satisfies Record<string, { severity: Severity; category: Category; title: string }>;
export type AlertCode = keyof typeof alertCatalogue;
export const alertCodes = Object.keys(alertCatalogue) as AlertCode[];

/** The measurements of a status report, with everything that schemas, readings, conditions and texts need. Limits: `shared/domain/limits.ts`. */
export const measures = {
  memory: {
    section: 'memory',
    member: 'usedPercent',
    range: { minimum: 0, maximum: 100 },
    title: 'Memory',
    unit: '%',
    reading: 'memoryUsedPercent',
    limit: 'thresholdPercent',
  },
  storage: {
    section: 'storage',
    member: 'freeMegabytes',
    range: { minimum: 0 },
    title: 'Free storage',
    unit: 'MB',
    reading: 'storageFreeMegabytes',
    limit: 'thresholdMegabytes',
  },
  latency: {
    section: 'mqtt',
    member: 'latencyMs',
    range: { minimum: 0 },
    title: 'Network latency',
    unit: 'ms',
    reading: 'latencyMs',
    limit: null,
  },
} as const satisfies Record<string, MeasureRow>;

type MeasureRow = {
  /** The section of the report and its member that has the value. The section `mqtt` has further members. */
  section: string;
  member: string;
  range: { minimum?: number; maximum?: number };
  title: string;
  unit: string;
  /** Its value as a member of a device's readings and of an alert's context. */
  reading: string;
  /** The threshold that it passed, as a member of an alert's context. */
  limit: string | null;
};
export type MeasureName = keyof typeof measures;
export const measureNames = Object.keys(measures) as MeasureName[];

export const alertStatuses = ['active', 'acknowledged', 'escalated', 'resolved'] as const;
export type AlertStatus = (typeof alertStatuses)[number];
export const alertActions = ['acknowledge', 'resolve', 'snooze', 'add-note', 'view-history', 'reopen'] as const;
export type AlertAction = (typeof alertActions)[number];
/** What a person can do to an alert: all actions except viewing its history, and undoing an action of a moment ago. */
export const alertCommandKinds = [
  ...alertActions.filter((action) => action !== 'view-history'),
  'unacknowledge',
  'unsnooze',
] as const;
/** Priorities that sort before any other text. */
export const priorities = ['P1', 'P2', 'P3', 'P4', 'P5'] as const;

/**
 * The causes of incidents: a dark place, a blind platform, one firmware whose reports cannot be read completely, guardians of a group that have no
 * effect.
 */
export const incidentKinds = ['outage', 'blind', 'unreadable', 'guardians'] as const;
export type IncidentKind = (typeof incidentKinds)[number];

/** The channels, with everything that schemas, decisions, settings and pages need. `shared/adapters/channels/<channel>/` sends. */
export const channelTable = {
  email: {
    title: 'Email',
    contacts: {
      member: 'emails',
      hint: 'One a line.',
      maxLength: 254,
      pattern: "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9.-]{1,189}$",
      isCaseless: true,
      examples: ['operations@example.com'],
    },
    form: 'email',
    attempts: 5,
    isForNotices: true,
    notifies: ['CRITICAL', 'ERROR'],
    updates: { acknowledged: timedSeverities, resolved: timedSeverities },
  },
  chat: {
    title: 'Chat',
    // Null because chat addresses are secrets: `schema/settings/team.ts` defines them.
    contacts: null,
    form: null,
    attempts: 5,
    isForNotices: true,
    notifies: ['CRITICAL', 'ERROR'],
    updates: { acknowledged: timedSeverities, resolved: timedSeverities },
  },
  sms: {
    title: 'SMS',
    contacts: {
      member: 'phones',
      hint: 'International form, such as +46701234567; one a line.',
      maxLength: 16,
      pattern: '^\\+[1-9][0-9]{6,14}$',
      isCaseless: false,
      examples: ['+46701234567'],
    },
    form: 'sms',
    attempts: 3,
    isForNotices: false,
    notifies: ['CRITICAL'],
    updates: { acknowledged: [], resolved: ['CRITICAL'] },
  },
  webhook: { title: 'Webhook', notifies: ['CRITICAL', 'ERROR', 'WARNING'] },
} as const satisfies Record<string, PeopleChannelRow | MachineChannelRow>;

type MachineChannelRow = { title: string; notifies: readonly Severity[] };
/** A channel on which people are notified. */
export type PeopleChannelRow = MachineChannelRow & {
  /** How a team stores addresses: the member of the team, the schema of one address, and whether case is ignored. */
  contacts: {
    member: string;
    hint: string;
    maxLength: number;
    pattern: string;
    isCaseless: boolean;
    examples: readonly string[];
  } | null;
  /** The form of a message: `email` is JSON with subject, text and HTML; `sms` is one short text. Null: each contact has its own form. */
  form: 'email' | 'sms' | null;
  /** Attempts per message. A mail is still useful after an hour, a text message is not. */
  attempts: number;
  /** Whether `operations` gets notices about the platform itself on this channel. */
  isForNotices: boolean;
  /** Severities that are notified by default. */
  notifies: readonly Severity[];
  updates: { acknowledged: readonly TimedSeverity[]; resolved: readonly TimedSeverity[] };
};
export type Channel = keyof typeof channelTable;
export const channels = Object.keys(channelTable) as Channel[];
/** The occasions on which people get a message about an alert or an incident. */
export const occasions = [
  'opened',
  'reopened',
  'worsened',
  'updated',
  'recovering',
  'flapping',
  'snooze-ended',
  'maintenance-ended',
  'escalated',
  'reminded',
  'acknowledged',
  'resolved',
  'joined',
] as const;
export type Occasion = (typeof occasions)[number];
export const chatKinds = ['slack', 'google-chat', 'teams'] as const;
export type ChatKind = (typeof chatKinds)[number];
export const deliveryStatuses = ['pending', 'held', 'delivered', 'failed', 'dismissed'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];
export const deliveryActions = ['redeliver', 'dismiss', 'restore'] as const;
export type DeliveryAction = (typeof deliveryActions)[number];
/** How a request to an endpoint describes its event: by our headers, or also by those of CloudEvents. */
export const webhookFormats = ['native', 'cloudevents'] as const;

export const webhookEvents = ['detection', 'alert', 'guardian', 'audit', 'incident'] as const;
/** What the feed and the audit stream tell of endpoints themselves. */
export const endpointEvents = ['endpoint.failing', 'endpoint.disabled', 'endpoint.recovered'] as const;
/** The events that filters choose. */
export const explainedEvents = [
  'detection',
  'alert',
  'guardian',
  'incident',
] as const satisfies readonly (typeof webhookEvents)[number][];
/** The changes of an alert that are events; `incidentEventChanges` are those of an incident. */
export const alertEventChanges = [
  'opened',
  'acknowledged',
  'unacknowledged',
  'escalated',
  'resolved',
  'reopened',
] as const;
export const incidentEventChanges = [...alertEventChanges, 'updated'] as const;

/** Header names that suggest a credential. The values of such headers are stored and never shown. */
export const credentialHeader = /auth|cookie|credential|key|pass|secret|session|signature|token/i;

/** Whether a device is known to be connected; `unknown` while the platform cannot see; `never-seen` until it is heard for the first time. */
export const deviceStates = ['online', 'offline', 'unknown', 'never-seen'] as const;
export type DeviceState = (typeof deviceStates)[number];
/** How well the platform sees. `wayNames`: the two paths by which reports arrive. */
export const sightStates = ['sees', 'lags', 'blind'] as const;
export type SightState = (typeof sightStates)[number];
/** The state of one path. `unproven`: a message of our own never came through it, so that only the reports of the fleet show that it works. */
export const wayStates = [...sightStates, 'unproven'] as const;
export type WayState = (typeof wayStates)[number];
export const wayNames = ['broker', 'ingest'] as const;
export type WayName = (typeof wayNames)[number];
export const drillStates = ['passed', 'broken'] as const;
export type DrillState = (typeof drillStates)[number];
/** The steps that a drill tests, from the sweep that starts it to the channels that deliver. */
export const drillHops = [
  ...(['sweep', 'publish', 'ingest', 'broker', 'bridge', 'alert', 'wake'] as const),
  ...(['queue', 'deliver', 'outside'] as const),
  ...channels,
] as const;
export type DrillHop = (typeof drillHops)[number];

export const reportKinds = ['status', 'connection', 'event', 'guardian', 'guardian-health', 'detection'] as const;
export type ReportKind = (typeof reportKinds)[number];
/** Kinds of messages. A guardian alert comes without an envelope or, as `guardian-alert`, in a signed one. */
export const messageKinds = [...reportKinds, 'guardian-alert'] as const;
export type MessageKind = (typeof messageKinds)[number];
/** The dialects: the forms in which bridges write messages. */
export const dialectNames = ['native', 'topic', 'emqx', 'iotcore'] as const;
export type DialectName = (typeof dialectNames)[number];
export const quarantineStatuses = ['quarantined', 'retried', 'dismissed'] as const;
export const quarantineReasons = [
  'unreadable',
  'wrong-shape',
  'unknown-kind',
  'foreign-device',
  'unknown-device',
  'too-large',
  'dead-letter',
  'guardian-forged',
  'guardian-unenrolled',
] as const;
export const jobKinds = ['retry-quarantined', 'act-on-alerts', 'erase'] as const;
export const jobStatuses = ['running', 'done', 'cancelled'] as const;
export const activityKinds = [
  'event',
  'presence',
  'stale-report',
  'guardian-alert',
  'guardian-health',
  'device-changed',
  'device-removed',
  'more-not-kept',
] as const;
export type ActivityKind = (typeof activityKinds)[number];

export const guardianAlertCodes = ['CONFIG_DRIFT', 'CONFIG_HEALED', 'CONFIG_CONFLICT'] as const;
export const guardianStatuses = ['ok', 'blind', 'golden-refused', 'heal-failed'] as const;
/** Guardian states that are shown: the last one reported, or `silent`. */
export const shownGuardianStatuses = [...guardianStatuses, 'silent'] as const;
export type ShownGuardianStatus = (typeof shownGuardianStatuses)[number];
/** What to do with a heal that no guardian signed. */
export const unsignedHeals = ['accept', 'doubt'] as const;
export type UnsignedHeals = (typeof unsignedHeals)[number];
/** The group of devices that nobody has assigned. */
export const unassigned = 'unassigned';
/** The result for one device of an import. */
export const importOutcomes = ['created', 'changed', 'unchanged', 'refused'] as const;
export type ImportOutcome = (typeof importOutcomes)[number];
/** What to do with the group that a report names for an unassigned device. */
export const reportedGroups = ['ignore', 'trust'] as const;
export type ReportedGroups = (typeof reportedGroups)[number];
export const guardianSeverities = ['warning', 'info', 'critical'] as const;
/** From most to least severe. */
export const driftSeverities = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'] as const;
export type DriftSeverity = (typeof driftSeverities)[number];

/** Media types of frames. */
export const frameTypes = ['image/jpeg', 'image/png'] as const;
export type FrameType = (typeof frameTypes)[number];

/** Where the service runs: on a machine, or in a project of the cloud. */
export const environments = ['local', 'dev', 'staging', 'production'] as const;

/** Schedules that exist without being named in the settings. */
export const builtInSchedules = ['always', 'business_hours', 'outside_business_hours', 'night'] as const;
export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof weekdays)[number];

/** The state of a maintenance window. A recurring one is `planned` between two occurrences. */
export const windowStates = ['planned', 'active', 'over'] as const;

/** Days from the asked instant whose turns of a rotation an answer lists. */
export const daysOfTurns = 28;
