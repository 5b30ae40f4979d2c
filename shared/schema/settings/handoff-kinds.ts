// Like the vocabulary, this file needs no validator library: the console and decisions use it as well as the schemas.
import type { Severity } from '../vocabulary.ts';

/** A kind of hand-off: its settings and its names for severities. `shared/adapters/channels/<kind>/` builds its requests. */
type HandoffRow = {
  title: string;
  /** The default address. Null: the settings must give one. */
  url: string | null;
  /** Settings that are required, and settings that are allowed, in addition to `url`. */
  needs: readonly HandoffSetting[];
  takes: readonly HandoffSetting[];
  /** The credential. Null pattern: any text. */
  credential: { title: string; isNeeded: boolean; pattern: string | null };
  acknowledges: boolean;
  /** The receiver drops alerts that are not sent again, so open ones are repeated. */
  repeats: boolean;
  /** Requests that the receiver accepts per minute. Null: no limit is known. */
  perMinute: number | null;
  severities: Record<Severity, string>;
};
export type HandoffSetting = 'user' | 'labels' | 'header' | 'template';

const inLowerCase = { CRITICAL: 'critical', ERROR: 'error', WARNING: 'warning', INFO: 'info' };
/** Every kind of hand-off, and what it calls our severities. */
export const handoffTable = {
  pagerduty: {
    title: 'PagerDuty',
    url: 'https://events.pagerduty.com/v2/enqueue',
    needs: [],
    takes: [],
    credential: { title: 'Integration key', isNeeded: true, pattern: '^[A-Za-z0-9]{32}$' },
    acknowledges: true,
    repeats: false,
    // PagerDuty accepts 120 a minute per key (developer.pagerduty.com/docs/events-api-v2-overview). The rest is left for retries.
    perMinute: 100,
    severities: inLowerCase,
  },
  opsgenie: {
    title: 'Opsgenie or Jira Service Management',
    url: 'https://api.opsgenie.com/v2/alerts',
    needs: [],
    takes: [],
    credential: { title: 'API key', isNeeded: true, pattern: null },
    acknowledges: true,
    repeats: false,
    perMinute: 100,
    severities: { CRITICAL: 'P1', ERROR: 'P2', WARNING: 'P3', INFO: 'P5' },
  },
  servicenow: {
    title: 'ServiceNow',
    url: null,
    needs: ['user'],
    takes: ['user'],
    credential: { title: 'Password', isNeeded: true, pattern: null },
    acknowledges: false,
    repeats: false,
    perMinute: null,
    severities: { CRITICAL: '1', ERROR: '2', WARNING: '4', INFO: '5' },
  },
  alertmanager: {
    title: 'Alertmanager',
    url: null,
    needs: [],
    takes: ['user', 'labels'],
    credential: { title: 'Password or bearer token', isNeeded: false, pattern: null },
    acknowledges: false,
    repeats: true,
    perMinute: null,
    severities: inLowerCase,
  },
  generic: {
    title: 'Generic',
    url: null,
    needs: ['template'],
    takes: ['template', 'header'],
    credential: { title: 'Value of the header', isNeeded: false, pattern: null },
    acknowledges: true,
    repeats: false,
    perMinute: null,
    severities: { CRITICAL: 'CRITICAL', ERROR: 'ERROR', WARNING: 'WARNING', INFO: 'INFO' },
  },
} as const satisfies Record<string, HandoffRow>;
export type HandoffKind = keyof typeof handoffTable;
export const handoffKinds = Object.keys(handoffTable) as HandoffKind[];
export type HandoffAction = 'trigger' | 'acknowledge' | 'resolve';
/** The words that a template may contain between double braces. */
export const handoffWords = [
  'action',
  'key',
  'about',
  'severity',
  'priority',
  'title',
  'text',
  'code',
  'deviceId',
  'groupId',
  'site',
  'startedAt',
  'at',
  'link',
] as const;
export type HandoffWord = (typeof handoffWords)[number];
