import { isPeopleChannel } from '../../schema/channels.ts';
import type { AlertRule, TagFilter } from '../../schema/settings/rule.ts';
import type { Settings } from '../../schema/settings/settings.ts';
import { type AlertCode, type Channel, channels, priorities, type Severity } from '../../schema/vocabulary.ts';
import type { Instant } from '../time.ts';
import { isWithin } from './schedules.ts';
import { channelsOf } from './settings.ts';

/** A rule as it is stored, with all members present. */
export type RuleRecord = {
  ruleId: string;
  name: string;
  condition: AlertRule['condition'] & { group: string[] };
  action: AlertRule['action'];
  enabled: boolean;
  createdAt: Instant;
  changedAt: Instant;
  version: number;
};

/** The properties of an alert that rules match. */
export type RuleSubject = {
  code: AlertCode;
  severity: Severity;
  groupId: string;
  deviceId: string;
  site?: string | null;
  tags?: Readonly<Record<string, string>>;
};

/** What rules and settings decide for one alert. */
export type Plan = {
  /** The rules that matched, in order of their names. */
  rules: { ruleId: string; name: string }[];
  channels: Channel[];
  /** The source of these channels: the settings' row of the severity, rules that name channels, or rules that suppress. */
  channelsBy: 'matrix' | 'rules' | 'suppressed';
  /** The team that is notified at once, and the rule that requires it. */
  escalation: { team: string; ruleId: string } | null;
  priority: string | null;
  /** The team that is notified in place of `operations`. */
  notifiedTeam: string | null;
};

/** @param at when people would be notified, for schedules; a schedule that no longer exists never matches */
export function matches(
  { condition, enabled }: RuleRecord,
  { code, severity, groupId, deviceId, site, tags = {} }: RuleSubject,
  settings: Settings,
  at: Instant,
): boolean {
  if (!enabled || !hasTags(condition.tags, tags)) return false;
  if (condition.schedule !== undefined && !isWithin(condition.schedule, at, settings)) return false;
  if (condition.group.length > 0 && !condition.group.includes(groupId)) return false;
  if (!isAmong(condition.device, deviceId) || !isAmong(condition.severity, severity)) return false;
  if (!isAmong(condition.site, site ?? null)) return false;
  return fitsCode(condition.code, code);
}

/** Whether each requested tag is present with one of its values. */
export function hasTags(asked: TagFilter | undefined, tags: Readonly<Record<string, string>>): boolean {
  return Object.entries(asked ?? {}).every(
    ([key, values]) => Object.hasOwn(tags, key) && values.includes(tags[key] ?? ''),
  );
}

/** An absent or empty list matches everything. */
function isAmong<T>(asked: readonly T[] | undefined, value: T | null): boolean {
  return asked === undefined || asked.length === 0 || (value !== null && asked.includes(value));
}

/** Whether a code is the named one, or has the named prefix. */
export function fitsCode(pattern: string, code: string): boolean {
  return pattern.endsWith('*') ? code.startsWith(pattern.slice(0, -1)) : code === pattern;
}

/**
 * All matching rules apply. Named channels are added to those of the settings, and muted ones are removed. The most urgent priority wins. Of the
 * rules that name a team or an escalation, the first by name wins. `suppress` counts only if no matching rule notifies or escalates.
 */
export function planOf(rules: readonly RuleRecord[], settings: Settings, subject: RuleSubject, at: Instant): Plan {
  const matching = rules.filter((rule) => matches(rule, subject, settings, at));
  const named = new Set(matching.flatMap(({ action }) => action.notify ?? []));
  const escalating = matching.find(({ action }) => action.escalate_to !== undefined);
  const notifiedTeam = matching.find(({ action }) => action.team !== undefined)?.action.team ?? null;
  const isSpoken = named.size > 0 || escalating !== undefined || notifiedTeam !== null;
  const isSuppressed = !isSpoken && matching.some(({ action }) => action.suppress === true);
  const muted = new Set<Channel>(matching.flatMap(({ action }) => action.mute ?? []));
  const own = channelsOf(settings, subject.severity);
  // For machines only a suppressing rule counts, because clients that count events must get all of them.
  const used = channels.filter((channel) =>
    isPeopleChannel(channel)
      ? (own.includes(channel) || named.has(channel)) && !muted.has(channel)
      : own.includes(channel),
  );
  const urgent = matching.flatMap(({ action }) => action.priority ?? []).toSorted(byUrgency);
  return {
    rules: matching.map(({ ruleId, name }) => ({ ruleId, name })),
    channels: isSuppressed ? [] : used,
    channelsBy: isSuppressed ? 'suppressed' : used.join() === own.join() ? 'matrix' : 'rules',
    escalation: escalating ? { team: escalating.action.escalate_to ?? '', ruleId: escalating.ruleId } : null,
    priority: urgent[0] ?? null,
    notifiedTeam,
  };
}

/** P1 to P5 first, then other texts in alphabetical order. */
function byUrgency(a: string, b: string): number {
  const first: readonly string[] = priorities;
  const rank = (text: string) => first.indexOf(text) + 1 || first.length + 1;
  return rank(a) - rank(b) || (a < b ? -1 : Number(a > b));
}

/** The order in which rules apply: by name, then by id. */
export function inOrder(rules: readonly RuleRecord[]): RuleRecord[] {
  const key = ({ name, ruleId }: RuleRecord) => JSON.stringify([name, ruleId]);
  return rules.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}
