import type { AlertRule } from '../../schema/settings/rule.ts';
import type { Settings } from '../../schema/settings/settings.ts';
import { type AlertCode, type Channel, channels, type Priority, type Severity } from '../../schema/vocabulary.ts';
import type { Instant } from '../time.ts';
import { channelsOf } from './settings.ts';

/** A rule as it is stored, with every member there. */
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

/** What rules look at. */
export type RuleSubject = {
  code: AlertCode;
  severity: Severity;
  groupId: string;
  deviceId: string;
  site?: string | null;
};

/** What the rules and the settings say of one alert. */
export type Plan = {
  /** The rules that matched, in order of their names. */
  rules: { ruleId: string; name: string }[];
  channels: Channel[];
  /** Why those channels: the settings' row of the severity, rules that name channels, or rules that silence. */
  channelsBy: 'matrix' | 'rules' | 'suppressed';
  /** The team that hears of it at once, and the rule that says so. */
  escalation: { team: string; ruleId: string } | null;
  priority: Priority | null;
};

export function matches(
  { condition, enabled }: RuleRecord,
  { code, severity, groupId, deviceId, site }: RuleSubject,
): boolean {
  if (!enabled) return false;
  if (condition.group.length > 0 && !condition.group.includes(groupId)) return false;
  if (!isAmong(condition.device, deviceId) || !isAmong(condition.severity, severity)) return false;
  if (!isAmong(condition.site, site ?? null)) return false;
  return fitsCode(condition.code, code);
}

/** None or an empty list asks nothing. */
function isAmong<T>(asked: readonly T[] | undefined, value: T | null): boolean {
  return asked === undefined || asked.length === 0 || (value !== null && asked.includes(value));
}

/** Whether a code is the one named, or one of those that begin so. */
export function fitsCode(pattern: string, code: AlertCode): boolean {
  return pattern.endsWith('*') ? code.startsWith(pattern.slice(0, -1)) : code === pattern;
}

/**
 * All matching rules apply, the strictest wins: channels that rules name are added to those of the settings and those that rules mute are left out, the most urgent priority holds, the first rule in
 * order of name that escalates names the team, and `suppress` counts only where no matching rule notifies or escalates.
 */
export function planOf(rules: readonly RuleRecord[], settings: Settings, subject: RuleSubject): Plan {
  const matching = rules.filter((rule) => matches(rule, subject));
  const named = new Set(matching.flatMap(({ action }) => action.notify ?? []));
  const escalating = matching.find(({ action }) => action.escalate_to !== undefined);
  const isSuppressed = named.size === 0 && !escalating && matching.some(({ action }) => action.suppress === true);
  const muted = new Set<Channel>(matching.flatMap(({ action }) => action.mute ?? []));
  const own = channelsOf(settings, subject.severity);
  // Machines heed no rule but one that suppresses: who counts events must get them all.
  const used = channels.filter((channel) =>
    channel === 'webhook'
      ? own.includes(channel)
      : (own.includes(channel) || named.has(channel)) && !muted.has(channel),
  );
  const priorities = matching.flatMap(({ action }) => action.priority ?? []).toSorted();
  return {
    rules: matching.map(({ ruleId, name }) => ({ ruleId, name })),
    channels: isSuppressed ? [] : used,
    channelsBy: isSuppressed ? 'suppressed' : used.join() === own.join() ? 'matrix' : 'rules',
    escalation: escalating ? { team: escalating.action.escalate_to ?? '', ruleId: escalating.ruleId } : null,
    priority: priorities[0] ?? null,
  };
}

/** The order in which rules apply: by name, and where two have one name by their ids. */
export function inOrder(rules: readonly RuleRecord[]): RuleRecord[] {
  const key = ({ name, ruleId }: RuleRecord) => JSON.stringify([name, ruleId]);
  return rules.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}
