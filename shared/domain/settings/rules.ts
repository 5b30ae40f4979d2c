import type { AlertRule } from '../../schema/settings/rule.ts';
import type { Settings } from '../../schema/settings/settings.ts';
import type { AlertCode, Channel, Priority, Severity } from '../../schema/vocabulary.ts';
import type { Instant } from '../time.ts';
import { channelsOf } from './settings.ts';

/** A rule as it is stored, with all members present. */
export type RuleRecord = {
  ruleId: string;
  name: string;
  condition: { code: string; group: string[] };
  action: AlertRule['action'];
  enabled: boolean;
  createdAt: Instant;
  changedAt: Instant;
  version: number;
};

/** The properties that rules match. */
export type RuleSubject = { code: AlertCode; severity: Severity; groupId: string };

/** What rules and settings decide for one alert. */
export type Plan = {
  /** The rules that matched, in order of their names. */
  rules: { ruleId: string; name: string }[];
  channels: Channel[];
  /** The source of these channels: the settings' row of the severity, rules that name channels, or rules that suppress. */
  channelsBy: 'matrix' | 'rules' | 'suppressed';
  /** The team that is notified at once, and the rule that says so. */
  escalation: { team: string; ruleId: string } | null;
  priority: Priority | null;
};

export function matches({ condition, enabled }: RuleRecord, { code, groupId }: RuleSubject): boolean {
  if (!enabled) return false;
  if (condition.group.length > 0 && !condition.group.includes(groupId)) return false;
  return fitsCode(condition.code, code);
}

/** Whether a code equals the pattern or begins with it. */
export function fitsCode(pattern: string, code: AlertCode): boolean {
  return pattern.endsWith('*') ? code.startsWith(pattern.slice(0, -1)) : code === pattern;
}

/**
 * All matching rules apply and the strictest wins: the channels of all rules are merged, the most urgent priority counts, the first
 * escalating rule in order of name decides the team, and `suppress` counts only where no matching rule notifies or escalates.
 */
export function planOf(rules: readonly RuleRecord[], settings: Settings, subject: RuleSubject): Plan {
  const matching = rules.filter((rule) => matches(rule, subject));
  const named = new Set(matching.flatMap(({ action }) => action.notify ?? []));
  const escalating = matching.find(({ action }) => action.escalate_to !== undefined);
  const isSuppressed = named.size === 0 && !escalating && matching.some(({ action }) => action.suppress === true);
  const priorities = matching.flatMap(({ action }) => action.priority ?? []).toSorted();
  return {
    rules: matching.map(({ ruleId, name }) => ({ ruleId, name })),
    channels: isSuppressed ? [] : named.size > 0 ? [...named].toSorted() : channelsOf(settings, subject.severity),
    channelsBy: isSuppressed ? 'suppressed' : named.size > 0 ? 'rules' : 'matrix',
    escalation: escalating ? { team: escalating.action.escalate_to ?? '', ruleId: escalating.ruleId } : null,
    priority: priorities[0] ?? null,
  };
}

/** The order in which rules apply: by name, then by id. */
export function inOrder(rules: readonly RuleRecord[]): RuleRecord[] {
  const key = ({ name, ruleId }: RuleRecord) => JSON.stringify([name, ruleId]);
  return rules.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}
