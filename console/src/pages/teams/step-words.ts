import type { EscalationStep } from '../../../../shared/schema/settings/escalation.ts';
import { channelNames } from '../../model.ts';

/**
 * Whom a step tells, in words: `on call, now Anna Berg (also by SMS)`.
 * @param nameOf the name of a person of the policy's team
 * @param onCall who is on call there now; null: not known
 */
export function stepWords(
  { team, personId, onCall: isOnCall, channels }: EscalationStep,
  nameOf: (personId: string) => string = (id) => id,
  onCall: readonly string[] | null = null,
): string {
  const also = channels ? ` (also by ${channels.map((channel) => channelNames[channel]).join(', ')})` : '';
  if (team) return `team ${team}${also}`;
  if (personId) return `${nameOf(personId)}${also}`;
  if (!isOnCall) return `the escalation team${also}`;
  if (onCall === null) return `whoever is on call${also}`;
  return `on call, now ${onCall.join(' and ') || 'nobody: operations is told'}${also}`;
}
