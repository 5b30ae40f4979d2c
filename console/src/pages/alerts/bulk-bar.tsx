import type { JSX } from 'preact';
import type { Alert } from '../../../../shared/schema/alert/alert.ts';
import { actionNames, type ChangingAction } from '../../components/action/actions.ts';
import { plural } from '../../format.ts';

type Props = {
  /** All selected alerts, and how many of them the list does not show. */
  alerts: readonly Alert[];
  hidden: number;
  onAction: (action: ChangingAction) => void;
  onAll: () => void;
  onNone: () => void;
  onDropHidden: () => void;
};

const bulkActions = ['acknowledge', 'resolve', 'snooze', 'reopen'] as const;

/** The actions for the selected alerts: each one that at least one alert offers. It shows how many alerts an action applies to. */
export function BulkBar({ alerts, hidden, onAction, onAll, onNone, onDropHidden }: Props): JSX.Element | null {
  if (alerts.length === 0) return null;
  const offered = bulkActions.filter((action) =>
    alerts.some(({ availableActions }) => availableActions.includes(action)),
  );
  return (
    <div class="bulk" role="toolbar" aria-label="Selected alerts">
      <strong>
        {plural(alerts.length, 'alert')} selected
        {hidden > 0 ? `, ${hidden.toLocaleString()} not in this view` : ''}
      </strong>
      {hidden > 0 ? (
        <button type="button" class="button small" onClick={onDropHidden}>
          Drop {hidden === 1 ? 'it' : 'those'} <kbd>d</kbd>
        </button>
      ) : null}
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
