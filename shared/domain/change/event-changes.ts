import type { AlertChange } from '../alert/change.ts';
import type { AlertEventChange } from '../delivery/webhook-events.ts';

/** What endpoints are told of a change in the life of an alert or an incident; what is not here is no event. */
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
