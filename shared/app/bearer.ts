import { withoutContacts } from '../domain/notify/team.ts';
import type { Scope } from '../schema/scopes.ts';

/** The caller and what the token allows. `groups` null: every device group. */
export type Bearer = { subject: string; scopes: ReadonlySet<Scope>; groups: readonly string[] | null };

export function maySee(bearer: Bearer, groupId: string): boolean {
  return bearer.groups === null || bearer.groups.includes(groupId);
}

/** The requested groups that the bearer may see. Null: no restriction. */
export function visibleGroups(
  asked: readonly string[] | undefined,
  allowed: readonly string[] | null,
): readonly string[] | null {
  if (!asked) return allowed;
  return allowed === null ? asked : asked.filter((group) => allowed.includes(group));
}

/**
 * How to show a bearer a text that may contain email addresses and phone numbers: masked where the token is limited to groups, unless a
 * scope allows them.
 */
export function contactsFor({ groups, scopes }: Bearer): (text: string) => string {
  return groups === null || scopes.has('contacts:read') ? (text) => text : withoutContacts;
}
