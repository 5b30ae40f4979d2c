import type { Configuration } from '../../domain/notify/configuration.ts';
import type { RuleRecord } from '../../domain/settings/rules.ts';
import { faultsOfSchedule } from '../../domain/settings/schedules.ts';
import type { Instant } from '../../domain/time.ts';
import { AppError, notFound } from '../../errors.ts';
import type { AlertRule, Rule } from '../../schema/settings/rule.ts';
import { decideAndCommit, requireVersion } from '../commit/commit.ts';

import { listKey, type Page, type PageTokens, pageOfQuery } from '../paging/paging.ts';
import type { Reads, Stored, World } from '../ports.ts';
import { lockedConfiguration, maxRules, requireQuota, revisionWrite } from './configuration.ts';
import { faultsOfRuleTeams } from './team-references.ts';

export type VersionedRule = { rule: Rule; version: number };

/** Lists rules in the order in which they apply: by name. @throws AppError `invalid-request` for the page token of another list */
export async function listRules(
  world: Reads<'rules'>,
  page: Page,
  tokens: PageTokens,
): Promise<{ rules: Rule[]; nextPageToken?: string }> {
  const asked = { tokens, key: listKey('rules', {}, null), page };
  const { items, next } = await pageOfQuery(world, asked, { in: 'rules', orderBy: [['name', 'asc']] });
  return { rules: items.map(({ data }) => toWireRule(data)), ...next };
}

/** @throws AppError `not-found` */
export async function getRule(world: Reads<'rules'>, ruleId: string): Promise<VersionedRule> {
  return versionedOf((await load(world, ruleId)).data);
}

/** Creates a rule. @throws AppError `already-exists` for a name that another rule has; `invalid-request` for an unknown schedule or team; `quota-exceeded` */
export async function createRule(world: World, rule: AlertRule, newId: string): Promise<VersionedRule> {
  return decideAndCommit(world, async () => {
    const now = world.now();
    const [{ rules, teams, settings }, revision] = await lockedConfiguration(world);
    requireFreeName(rules, rule.name, null);
    if (rules.length >= maxRules)
      throw new AppError('quota-exceeded', `There are already ${maxRules} rules, the maximum.`);
    requireRoom(rules, rule);
    requireNamed(rule, { teams, settings }, now);
    const data = ruleRecord(rule, { ruleId: newId, createdAt: now, changedAt: now, version: 1 });
    return {
      writes: [{ kind: 'create', in: 'rules', id: newId, data }, revision],
      wakes: [],
      answer: versionedOf(data),
    };
  });
}

/** Replaces a rule. @throws AppError `not-found`; `already-exists`; `invalid-request`; `precondition-failed`; `quota-exceeded` */
export async function putRule(
  world: World,
  ruleId: string,
  rule: AlertRule,
  ifVersion: number | null,
): Promise<VersionedRule> {
  return decideAndCommit(world, async () => {
    const stored = await load(world, ruleId);
    const { createdAt, version } = stored.data;
    requireVersion('rule', version, ifVersion);
    const [{ rules, teams, settings }, revision] = await lockedConfiguration(world);
    requireFreeName(rules, rule.name, ruleId);
    requireNamed(rule, { teams, settings }, world.now());
    requireRoom(rules, rule, stored.data);
    const data = ruleRecord(rule, { ruleId, createdAt, changedAt: world.now(), version: version + 1 });
    const write = { kind: 'replace', in: 'rules', id: ruleId, data, revision: stored.revision } as const;
    return {
      writes: [write, revision],
      wakes: [],
      answer: versionedOf(data),
    };
  });
}

/** @throws AppError `not-found`; `precondition-failed` */
export async function deleteRule(world: World, ruleId: string, ifVersion: number | null): Promise<void> {
  await decideAndCommit(world, async () => {
    const { data, revision } = await load(world, ruleId);
    requireVersion('rule', data.version, ifVersion);
    const write = { kind: 'delete', in: 'rules', id: ruleId, revision } as const;
    return {
      writes: [write, await revisionWrite(world.store)],
      wakes: [],
      answer: undefined,
    };
  });
}

/** A rule as a person wrote it, with all stored members. */
export function ruleRecord(
  { name, condition, action, enabled }: AlertRule,
  kept: Pick<RuleRecord, 'ruleId' | 'createdAt' | 'changedAt' | 'version'>,
): RuleRecord {
  return { ...kept, name, condition: { ...condition, group: condition.group ?? [] }, action, enabled: enabled ?? true };
}

function toWireRule({ version: _, ...rule }: RuleRecord): Rule {
  return rule as Rule;
}

function versionedOf(data: RuleRecord): VersionedRule {
  return { rule: toWireRule(data), version: data.version };
}

async function load({ store }: Reads<'rules'>, ruleId: string): Promise<Stored<'rules'>> {
  const [stored = null] = await store.get('rules', [ruleId]);
  if (!stored) throw notFound(`rule ${ruleId}`);
  return stored;
}

/** Rules apply in order of their names, so two rules with one name would have no order that a person can see. */
function requireFreeName(rules: readonly RuleRecord[], name: string, ruleId: string | null): void {
  if (!rules.some((other) => other.name === name && other.ruleId !== ruleId)) return;
  throw new AppError('already-exists', `Another rule has the name "${name}".`);
}

/** @throws AppError `invalid-request` for a schedule or a team that does not exist */
export function requireNamed(
  rule: AlertRule,
  known: Pick<Configuration, 'teams' | 'settings'>,
  now: Instant,
  within = '',
): void {
  const errors = [
    ...faultsOfSchedule(rule.condition.schedule, known.settings, now, `${within}/condition/schedule`),
    ...faultsOfRuleTeams(rule, known, within),
  ];
  const [first] = errors;
  if (first) throw new AppError('invalid-request', `${first.pointer}: ${first.detail}.`, { errors });
}

/** An existing rule may keep its groups even if a quota is now exceeded. */
function requireRoom(rules: readonly RuleRecord[], { condition }: AlertRule, before?: RuleRecord): void {
  const others = rules.filter(({ ruleId }) => ruleId !== before?.ruleId).map((other) => other.condition.group);
  requireQuota('rules', { groups: condition.group ?? [], before: before?.condition.group ?? [], others });
}
