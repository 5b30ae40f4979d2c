import type { AlertAction, AlertStatus } from '../../schema/vocabulary.ts';

/** The contract's table: what a person may do in each state. Viewing the history is possible in every state. */
const actions: Record<AlertStatus, AlertAction[]> = {
  active: ['acknowledge', 'resolve', 'snooze', 'view-history'],
  acknowledged: ['resolve', 'add-note', 'view-history'],
  escalated: ['acknowledge', 'resolve', 'view-history'],
  resolved: ['view-history', 'reopen'],
};

export function availableActions(status: AlertStatus): AlertAction[] {
  return actions[status];
}
