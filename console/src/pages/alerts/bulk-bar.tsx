import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Alert } from '../../../../shared/schema/alert/alert.ts';
import { actionNames, type ChangingAction } from '../../components/action/actions.ts';
import { KeyHint } from '../../components/keys/key-hint.tsx';
import { plural } from '../../format.ts';

type Props = {
  /** All selected alerts, and how many of them the list does not show. */
  alerts: readonly Alert[];
  hidden: number;
  /** The number of matching alerts if known, and whether the list has more than it shows. */
  total: number | null;
  hasMore: boolean;
  onAction: (action: ChangingAction) => void;
  /** For all alerts that match the filters, in a background job. */
  onMatching: (action: MatchingAction) => void;
  onAll: () => void;
  onNone: () => void;
  onDropHidden: () => void;
};

const bulkActions = ['acknowledge', 'resolve', 'snooze', 'reopen'] as const;
export type MatchingAction = (typeof bulkActions)[number];

/**
 * The actions for the selected alerts (each that at least one of them offers), or for all alerts that match the
 * filters.
 */
export function BulkBar(props: Props): JSX.Element | null {
  const { alerts, hidden, total, hasMore, onAction, onMatching, onAll, onNone, onDropHidden } = props;
  const [isAll, setAll] = useState(false);
  const isEmpty = alerts.length === 0;
  useEffect(() => {
    if (isEmpty) setAll(false);
  }, [isEmpty]);
  if (isEmpty) return null;
  const offered = isAll
    ? bulkActions.filter((action) => action !== 'reopen' || total === null)
    : bulkActions.filter((action) => alerts.some(({ availableActions }) => availableActions.includes(action)));
  const all = total === null ? 'all that match' : `all ${total.toLocaleString()} that match`;
  return (
    <div class="bulk" role="toolbar" aria-label="Selected alerts">
      <strong>
        {isAll ? `${all.charAt(0).toUpperCase()}${all.slice(1)}` : `${plural(alerts.length, 'alert')} selected`}
        {!isAll && hidden > 0 ? `, ${hidden.toLocaleString()} not in this view` : ''}
      </strong>
      {!isAll && hidden > 0 ? (
        <button type="button" class="button small" aria-keyshortcuts="d" onClick={onDropHidden}>
          Drop {hidden === 1 ? 'it' : 'those'} <KeyHint of="d" />
        </button>
      ) : null}
      {offered.map((action) => (
        <button
          type="button"
          class="button"
          key={action}
          aria-keyshortcuts={isAll ? undefined : actionNames[action].key}
          onClick={() => (isAll ? onMatching(action) : onAction(action))}
        >
          {actionNames[action].name} {isAll ? null : <KeyHint of={actionNames[action].key} />}
        </button>
      ))}
      <span class="spacer" />
      {isAll ? null : (
        <button type="button" class="button small" onClick={onAll}>
          All
        </button>
      )}
      {!isAll && (hasMore || (total ?? 0) > alerts.length) ? (
        <button type="button" class="button small" onClick={() => setAll(true)}>
          Select {all}
        </button>
      ) : null}
      <button type="button" class="button small" onClick={onNone}>
        None
      </button>
    </div>
  );
}
