import { withoutContacts } from '../domain/notify/masked.ts';
import type { Scope } from '../schema/vocabulary.ts';

/** Who calls, and what the token lets them do. `groups` null: every device group. */
export type Bearer = { subject: string; scopes: ReadonlySet<Scope>; groups: readonly string[] | null };

export function maySee(bearer: Bearer, groupId: string): boolean {
  return bearer.groups === null || bearer.groups.includes(groupId);
}

/** The groups asked for that the bearer may see; null: no restriction at all. */
export function visibleGroups(
  asked: readonly string[] | undefined,
  allowed: readonly string[] | null,
): readonly string[] | null {
  if (!asked) return allowed;
  return allowed === null ? asked : asked.filter((group) => allowed.includes(group));
}

/** How a bearer is shown a text that may name mails and phones: masked where the token is limited to groups and does not say otherwise. */
export function contactsFor({ groups, scopes }: Bearer): (text: string) => string {
  return groups === null || scopes.has('contacts:read') ? (text) => text : withoutContacts;
}
