import type { Alert, AlertCode, AlertStatus, Severity } from '../../shared/schema/alert.ts';
import type { GuardianAlert } from '../../shared/schema/guardian-alert.ts';
import type { AlertRule, Channel } from '../../shared/schema/rule.ts';
import type { WebhookConfiguration, WebhookFilter } from '../../shared/schema/webhook.ts';

/** One change in an alert's audit trail. */
export type HistoryEntry = {
  entryId: string;
  at: string;
  who: string;
  action: string;
  from: AlertStatus | null;
  to: AlertStatus;
  why: string | null;
};
/** One line of what happened on a device. */
export type ActivityItem = {
  entryId: string;
  at: string;
  kind: string;
  who: string;
  summary: string;
  alertId: string | null;
  code: AlertCode | null;
};
export type Note = { noteId: string; at: string; author: string; text: string };
/** Why an alert told whom it told. */
export type Explanation = {
  rules: { ruleId: string; name: string }[];
  channels: Channel[];
  channelsBy: 'matrix' | 'rules' | 'suppressed';
  told: {
    at: string;
    because: string;
    channel: Channel;
    team: string | null;
    target: string;
    how: 'sent' | 'digest';
    deliveryId: string | null;
    deliveryStatus: string | null;
  }[];
  notTold: {
    at: string;
    because: string;
    channel: Channel | null;
    team: string | null;
    reason: string;
    detail: string;
  }[];
  next: { at: string; what: string }[];
};
export type GuardianRecord = {
  guardianAlertId: string;
  deviceId: string;
  receivedAt: string;
  guardianAlert: GuardianAlert;
};
export type BatchResult = { alertId: string; status: number; problem?: { code: string; detail: string } };

type Durations = { count: number; meanSeconds: number | null; p95Seconds: number | null };
export type TrendsAnswer = {
  since: string;
  until: string;
  buckets: { at: string; opened: Record<Severity, number> }[];
  timeToAcknowledge: Durations;
  timeToResolve: Durations;
};

export type Webhook = Required<
  Pick<WebhookConfiguration, 'url' | 'method' | 'events' | 'maxAttempts' | 'timeoutSeconds' | 'enabled'>
> & {
  webhookId: string;
  headers: Record<string, string>;
  filter: WebhookFilter | null;
  description: string | null;
  hasSecret: boolean;
  /** End of the overlap in which two secrets sign. */
  secretPromotesAt: string | null;
  disabledReason: string | null;
  /** Only where it was generated just now. */
  secret?: string;
};
/** What an endpoint is created or changed with; null takes a member away. */
export type WebhookDraft = Omit<WebhookConfiguration, 'filter' | 'headers' | 'description'> & {
  filter?: WebhookFilter | null;
  headers?: Record<string, string> | null;
  description?: string | null;
  generateSecret?: boolean;
};
export type FilterExplanation = {
  detections: {
    sessionId: string;
    deviceId: string;
    timestamp: string;
    wanted: boolean;
    refusedBy: { member: string; detail: string }[];
    deliveryStatus: string | null;
  }[];
};
export type ReplayAnswer = { matched: number; replayed: number; remaining: number };
export type Attempt = {
  number: number;
  at: string;
  durationMs: number;
  statusCode: number | null;
  errorClass: string | null;
  detail: string | null;
  responseExcerpt: string | null;
};
export type DeliveryStatus = 'pending' | 'held' | 'delivered' | 'failed' | 'dismissed';
export type Delivery = {
  deliveryId: string;
  channel: Channel;
  target: string;
  webhookId: string | null;
  eventType: string;
  eventId: string;
  status: DeliveryStatus;
  heldReason: string | null;
  attemptCount: number;
  maxAttempts: number;
  attempts: Attempt[];
  createdAt: string;
  nextAttemptAt: string | null;
  payload?: string | null;
};
export type EgressRange = { region: string; cidrs: string[] };
export type Rule = AlertRule & { ruleId: string; enabled: boolean };
export type Fate = {
  isSuppressed: boolean;
  escalatesTo: string | null;
  priority: string | null;
  told: { channel: Channel; team: string; target: string }[];
};
export type RulePreview = {
  since: string;
  examined: number;
  isComplete: boolean;
  matched: number;
  changed: number;
  messages: { today: Record<string, number>; withRule: Record<string, number> };
  alerts: (Pick<Alert, 'alertId' | 'deviceId' | 'groupId' | 'code' | 'severity' | 'timestamp'> & {
    today: Fate;
    withRule: Fate;
  })[];
};
export type ChatKind = 'slack' | 'google-chat' | 'teams';
export type Team = {
  name: string;
  emails: string[];
  chats: { chatId?: string; kind: ChatKind; url: string }[];
  phones: string[];
  changedAt?: string | null;
};
export type Weekday = 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun';
export type Period = { days: Weekday[]; from: string; to: string };
export type Settings = {
  responseSeconds: Record<'CRITICAL' | 'ERROR' | 'WARNING', number>;
  escalationTeam: string;
  channels: Record<Severity, Record<Channel, boolean>>;
  timeZone: string;
  businessHours: Period[];
  schedules: Record<string, { timeZone?: string; periods: Period[] }>;
};

export const severities = ['CRITICAL', 'ERROR', 'WARNING', 'INFO'] as const satisfies readonly Severity[];
export const severityNames: Record<Severity, string> = {
  CRITICAL: 'Critical',
  ERROR: 'Error',
  WARNING: 'Warning',
  INFO: 'Info',
};
export const channels = ['email', 'chat', 'sms', 'webhook'] as const satisfies readonly Channel[];
export const channelNames: Record<Channel, string> = { email: 'Email', chat: 'Chat', sms: 'SMS', webhook: 'Webhook' };

/** The codes of the contract and what they mean, in few words. */
export const codeTitles: Record<AlertCode, string> = {
  CONN_001: 'Connection lost',
  CONN_002: 'Connection unstable',
  CONN_003: 'Latency high',
  CONN_004: 'Connection restored',
  SEC_001: 'Certificate validation failed',
  SEC_002: 'Unauthorized broker attempt',
  SEC_003: 'Certificate expiring',
  SEC_004: 'Failed authentications',
  CFG_001: 'Critical configuration drift',
  CFG_002: 'Configuration healed',
  CFG_003: 'Configuration conflict',
  CFG_004: 'Configuration updated',
  RES_001: 'Memory critical',
  RES_002: 'Memory high',
  RES_003: 'Storage low',
  RES_004: 'Resources normal',
};
/** Their severities as the catalogue fixes them. */
export const codeSeverities: Record<AlertCode, Severity> = {
  CONN_001: 'CRITICAL',
  CONN_002: 'ERROR',
  CONN_003: 'WARNING',
  CONN_004: 'INFO',
  SEC_001: 'CRITICAL',
  SEC_002: 'CRITICAL',
  SEC_003: 'ERROR',
  SEC_004: 'WARNING',
  CFG_001: 'CRITICAL',
  CFG_002: 'WARNING',
  CFG_003: 'WARNING',
  CFG_004: 'INFO',
  RES_001: 'ERROR',
  RES_002: 'WARNING',
  RES_003: 'WARNING',
  RES_004: 'INFO',
};
export const alertCodes = Object.keys(codeTitles) as AlertCode[];
