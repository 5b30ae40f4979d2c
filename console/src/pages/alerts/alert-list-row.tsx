import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { Alert } from '../../../../shared/schema/alert/alert.ts';
import { AlertRow } from '../../components/alert/alert-row.tsx';
import type { Selection } from './alert-selection.ts';

type Given = {
  addressOf: (alertId: string) => string;
  openId: string | null;
  ids: Selection['ids'];
  tabStop: string | null;
  /** Null: this person may not select. */
  pick: Selection['pick'] | null;
  shown: readonly Alert[];
};
type Kept = { from: readonly unknown[]; row: JSX.Element };

/**
 * Draws one row of the list. A row that looks as before is the same element as before, and Preact does not compare it
 * again: a key that moves the focus changes two rows and not all that are visible.
 */
export function useRow(given: Given): (alert: Alert) => JSX.Element {
  const latest = useRef(given);
  latest.current = given;
  const kept = useRef(new WeakMap<Alert, Kept>());
  const { addressOf, openId, ids, tabStop, pick } = given;
  return (alert) => {
    const { alertId } = alert;
    const [isCurrent, isSelected, isTabStop] = [alertId === openId, ids.has(alertId), alertId === tabStop];
    const from = [addressOf, isCurrent, isSelected, isTabStop, pick === null];
    const before = kept.current.get(alert);
    if (before?.from.every((value, at) => value === from[at])) return before.row;
    const onSelect = (isIn: boolean, isRange: boolean) =>
      latest.current.pick?.(alert, isIn, isRange, latest.current.shown);
    const row = (
      <AlertRow
        {...{ alert, isCurrent, isSelected, isTabStop }}
        address={addressOf(alertId)}
        onSelect={pick ? onSelect : undefined}
      />
    );
    kept.current.set(alert, { from, row });
    return row;
  };
}
