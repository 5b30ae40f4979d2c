import type { AlertChange } from '../alert/change.ts';
import type { AlertEventChange } from '../delivery/webhook-events.ts';

/** The event that endpoints get for a change of an alert or an incident. A change that is not listed is no event. */
export const eventChanges: Partial<Record<AlertChange['kind'], AlertEventChange>> = {
  open: 'opened',
  announce: 'opened',
  acknowledge: 'acknowledged',
  unacknowledge: 'unacknowledged',
  escalate: 'escalated',
  resolve: 'resolved',
  end: 'resolved',
  reopen: 'reopened',
  return: 'reopened',
};
