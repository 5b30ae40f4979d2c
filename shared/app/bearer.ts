import type { Scope } from '../schema/vocabulary.ts';

/** Who calls, and what the token lets them do. `groups` null: every device group. */
export type Bearer = { subject: string; scopes: ReadonlySet<Scope>; groups: readonly string[] | null };

export function maySee(bearer: Bearer, groupId: string): boolean {
  return bearer.groups === null || bearer.groups.includes(groupId);
}
