import type { AlertRecord } from '../../domain/alert/alert.ts';
import type { Configuration } from '../../domain/notify/configuration.ts';
import { audienceOf } from '../../domain/notify/notifications.ts';
import { unique } from '../../domain/notify/team.ts';
import { inOrder, matches, type Plan, planOf, type RuleRecord } from '../../domain/settings/rules.ts';
import { plus } from '../../domain/time.ts';
import type { RulePreview, RulePreviewRequest } from '../../schema/settings/rule.ts';
import { channels } from '../../schema/vocabulary.ts';
import { type Bearer, contactsFor } from '../bearer.ts';
import { firstOf } from '../paging/paging.ts';
import type { Filter, Reads, World } from '../ports.ts';
import { loadConfiguration } from './configuration.ts';
import { requireNamed, ruleRecord } from './rules.ts';

const dayMs = 24 * 60 * 60_000;
/** Alerts that a preview examines, newest first, and how many of them it shows. */
const mostExamined = 10_000;
const mostShown = 100;
/** Until the rule is created, this id sorts and counts like that of an existing rule. */
const draftId = 'draft';

/** What a rule would have matched in the last days, and who would have been notified, compared with the present rules. Changes nothing. */
export async function previewRule(world: World, bearer: Bearer, request: RulePreviewRequest): Promise<RulePreview> {
  const now = world.now();
  const since = plus(now, -(request.days ?? 7) * dayMs);
  const configuration = await loadConfiguration(world);
  requireNamed(request.rule, configuration, now, '/rule');
  const ruleId = request.ruleId ?? draftId;
  const draft = ruleRecord({ enabled: true, ...request.rule }, { ruleId, createdAt: now, changedAt: now, version: 0 });
  const others = configuration.rules.filter((rule) => rule.ruleId !== ruleId);
  const withRule = { ...configuration, rules: inOrder([...others, draft]) };
  const { found: alerts, isComplete } = await recentAlerts(world, bearer, draft, since);
  const fates = alerts
    .filter((alert) => matches(draft, alert, configuration.settings, alert.timestamp))
    .map((alert) => ({ alert, today: fateOf(alert, configuration), withRule: fateOf(alert, withRule) }));
  const shown = contactsFor(bearer);
  return {
    since,
    examined: alerts.length,
    isComplete,
    matched: fates.length,
    changed: fates.filter((fate) => JSON.stringify(fate.today) !== JSON.stringify(fate.withRule)).length,
    messages: {
      today: countByChannel(fates.map(({ today }) => today)),
      withRule: countByChannel(fates.map((fate) => fate.withRule)),
    },
    alerts: fates.slice(0, mostShown).map(({ alert, ...fate }) => {
      const { alertId, deviceId, deviceName, groupId, code, severity, timestamp } = alert;
      const compared = { today: shownFate(fate.today, shown), withRule: shownFate(fate.withRule, shown) };
      return { alertId, deviceId, deviceName, groupId, code, severity, timestamp, ...compared };
    }),
  };
}

function recentAlerts(world: Reads<'alerts'>, bearer: Bearer, { condition }: RuleRecord, since: string) {
  const where: Filter<'alerts'>[] = [{ field: 'timestamp', is: '>=', value: since }];
  if (bearer.groups) where.push({ field: 'groupId', is: 'in', value: bearer.groups });
  if (!condition.code.endsWith('*')) where.push({ field: 'code', is: '==', value: condition.code });
  return firstOf<'alerts'>(world, { in: 'alerts', where, orderBy: [['timestamp', 'desc']] }, mostExamined);
}

type AlertEffect = RulePreview['alerts'][number]['today'];

function fateOf(alert: AlertRecord, configuration: Configuration): AlertEffect {
  const { rules, settings } = configuration;
  const plan = planOf(rules, settings, alert, alert.timestamp);
  const escalatesTo = alert.severity === 'INFO' ? null : (plan.escalation?.team ?? null);
  const born = { ...alert, ...plan, team: escalatesTo, step: null, notifyAfter: null, snoozedUntil: null };
  const opening = audienceOf(born, { action: 'open', from: null }, configuration);
  const escalation = escalatesTo
    ? audienceOf(born, { action: 'escalate', from: 'active' }, configuration).contacts
    : [];
  return {
    isSuppressed: plan.channelsBy === 'suppressed',
    escalatesTo,
    priority: plan.priority,
    notified: [
      ...unique([...opening.contacts, ...escalation]).map(({ channel, target, name }) => ({
        channel,
        team: target.team,
        target: name,
      })),
      ...webhooksNotified(plan),
    ],
  };
}

function shownFate(fate: AlertEffect, shown: (text: string) => string): AlertEffect {
  return { ...fate, notified: fate.notified.map((each) => ({ ...each, target: shown(each.target) })) };
}

/** Endpoints get events by subscription, so the preview names the channel and not each endpoint. */
function webhooksNotified({ channels }: Plan): AlertEffect['notified'] {
  return channels.includes('webhook')
    ? [{ channel: 'webhook', team: '', target: 'endpoints subscribed to alerts' }]
    : [];
}

function countByChannel(fates: readonly AlertEffect[]): Record<string, number> {
  const counts: Record<string, number> = Object.fromEntries(channels.map((channel) => [channel, 0]));
  for (const { notified } of fates) for (const { channel } of notified) counts[channel] = (counts[channel] ?? 0) + 1;
  return counts;
}
