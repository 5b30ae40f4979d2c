import type { JSX } from 'preact';
import type { Alert } from '../../../shared/schema/alert/alert.ts';
import { actionNames, type ChangingAction } from '../alert-actions.ts';
import { plural } from '../format.ts';

type Props = {
  alerts: readonly Alert[];
  onAction: (action: ChangingAction) => void;
  onAll: () => void;
  onNone: () => void;
};

const bulkActions = ['acknowledge', 'resolve', 'snooze', 'reopen'] as const;

/** What can be done with the selected alerts: an action that at least one of them offers. */
export function BulkBar({ alerts, onAction, onAll, onNone }: Props): JSX.Element | null {
  if (alerts.length === 0) return null;
  const offered = bulkActions.filter((action) =>
    alerts.some(({ availableActions }) => availableActions.includes(action)),
  );
  return (
    <div class="bulk" role="toolbar" aria-label="Selected alerts">
      <strong>{plural(alerts.length, 'alert')} selected</strong>
      {offered.map((action) => (
        <button type="button" class="button" key={action} onClick={() => onAction(action)}>
          {actionNames[action].name} <kbd>{actionNames[action].key}</kbd>
        </button>
      ))}
      <span class="spacer" />
      <button type="button" class="button small" onClick={onAll}>
        All
      </button>
      <button type="button" class="button small" onClick={onNone}>
        None
      </button>
    </div>
  );
}
