import type { Delivery } from '../../domain/delivery/delivery.ts';
import type { TeamRecord } from '../../domain/notify/team.ts';

/** Whom a message went to: mail and phone of one person are one receiver, an address of nobody, a room or a system is one by itself. */
export function receiverOf({ target }: Delivery, teams: ReadonlyMap<string, TeamRecord>): string {
  if (!('address' in target)) return JSON.stringify(target);
  const { address, team } = target;
  const isOwn = (each: string | undefined) => each?.toLowerCase() === address.toLowerCase();
  const person = teams.get(team)?.people?.find(({ email, phone }) => isOwn(email) || isOwn(phone));
  return person ? `person ${person.personId}` : address.toLowerCase();
}
