// Without a validator library, as the vocabulary: for the console and decisions as well as for the schemas.
import type { Severity } from '../vocabulary.ts';

/** A kind of hand-off: what its settings are and what it understands. What is sent stands in `shared/adapters/channels/<kind>/`. */
type HandoffRow = {
  title: string;
  /** Where it is reached, unless the settings say otherwise; null: they must. */
  url: string | null;
  /** The settings that it needs and those that it takes, beside `url`. */
  needs: readonly HandoffSetting[];
  takes: readonly HandoffSetting[];
  /** What its credential is. Null pattern: any. */
  credential: { title: string; isNeeded: boolean; pattern: string | null };
  acknowledges: boolean;
  /** It forgets what is not told again. */
  repeats: boolean;
  /** Requests that it takes in a minute; null: no bound is known. */
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
    // 120 a minute are taken for one key (developer.pagerduty.com/docs/events-api-v2-overview); retries need a part of them.
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
/** What a template may name, between double braces. */
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
