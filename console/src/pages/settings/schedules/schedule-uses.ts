import type { Rule } from '../../../../../shared/schema/settings/rule.ts';
import type { Team } from '../../../../../shared/schema/settings/team.ts';
import type { Webhook } from '../../../../../shared/schema/webhook/webhook.ts';
import { plural } from '../../../format.ts';

/** How many records use a schedule, by kind. */
export type Uses = { endpoints: number; rules: number; teams: number };
type Users = { webhooks: readonly Webhook[]; rules: readonly Rule[]; teams: readonly Team[] };

/** The uses of each schedule outside the settings themselves, which the service checks. */
export function usesOf({ webhooks, rules, teams }: Users): ReadonlyMap<string, Uses> {
  const uses = new Map<string, Uses>();
  const count = (schedule: string | undefined, kind: keyof Uses) => {
    if (schedule === undefined) return;
    const known = uses.get(schedule) ?? { endpoints: 0, rules: 0, teams: 0 };
    uses.set(schedule, { ...known, [kind]: known[kind] + 1 });
  };
  for (const { filter } of webhooks) count(filter?.schedule, 'endpoints');
  for (const { condition } of rules) count(condition.schedule, 'rules');
  for (const { quietHours } of teams) count(quietHours?.schedule, 'teams');
  return uses;
}

/** Says who uses a schedule, and what happens to them if it is renamed or removed. */
export function usesText({ endpoints, rules, teams }: Uses): string {
  const parts = [
    { count: endpoints, noun: 'endpoint', loss: 'endpoints with it get nothing' },
    { count: rules, noun: 'rule', loss: 'rules with it match nothing' },
    { count: teams, noun: 'team', loss: 'quiet hours with it hold nothing' },
  ].filter(({ count }) => count > 0);
  const users = parts.map(({ count, noun }) => plural(count, noun));
  return `Used by ${listed(users)}. If it is renamed or removed, ${listed(parts.map(({ loss }) => loss))}.`;
}

const listed = (parts: string[]) => new Intl.ListFormat('en').format(parts);
