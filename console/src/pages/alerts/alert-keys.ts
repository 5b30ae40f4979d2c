import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Alert } from '../../../../shared/schema/alert/alert.ts';
import { href, navigate } from '../../client/router.ts';
import type { ChangingAction } from '../../components/action/actions.ts';
import { focusedRow } from '../../components/virtual-list.tsx';
import { useKeys } from '../../keys.ts';
import type { Selection } from './alert-selection.ts';

type Given = {
  /** The filters and order of the list. With a new view the cursor returns to the first row. */
  view: string;
  shown: readonly Alert[];
  openId: string | null;
  selection: Selection;
  mayWrite: boolean;
  ask: (action: ChangingAction, alerts: readonly Alert[]) => void;
  /** Starts an action on the open alert. */
  askOpen: (action: ChangingAction) => void;
  addressOf: (alertId: string) => string;
  search: { readonly current: HTMLInputElement | null };
};

/**
 * Controls the list by keyboard. When a key goes down, its action applies to the selected alerts, or else to the
 * focused row, or else to the open alert. A note is never added to a selection. Rows that appear, disappear or move do
 * not change this.
 */
export function useListKeys(given: Given) {
  const { shown, openId, selection } = given;
  const { act, pick, dropHidden } = actionsOf(given);
  const cursor = useCursor(shown, openId, given.view);
  const step = (by: number) => {
    const alert = shown[Math.min(Math.max(cursor.next(by), 0), shown.length - 1)];
    if (!alert) return;
    if (openId) navigate(given.addressOf(alert.alertId), { replace: true });
    cursor.focus(alert.alertId);
  };
  useKeys({
    next: () => step(1),
    previous: () => step(-1),
    search: () => given.search.current?.focus(),
    pick: () => pick(false),
    pickRange: () => pick(true),
    drop: dropHidden,
    acknowledge: () => act('acknowledge'),
    resolve: () => act('resolve'),
    snooze: () => act('snooze'),
    'add-note': () => act('add-note'),
    reopen: () => act('reopen'),
    close: () => {
      if (selection.alerts.length > 0) selection.replace([]);
      else if (openId) navigate(href(['alerts'], new URLSearchParams(location.hash.split('?')[1] ?? '')));
    },
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const by = rowsMoved(event, shown.length);
    if (by === null) return;
    event.preventDefault();
    step(by);
  };
  return { cursorId: cursor.id, tabStop: cursor.tabStop, onFocus: cursor.onFocus, onKeyDown, dropHidden };
}

/** What the keys do with the alerts of a list. */
function actionsOf({ shown, openId, selection, mayWrite, ask, askOpen }: Given) {
  const ringed = () => shown.find(({ alertId }) => alertId === focusedRow()) ?? null;
  return {
    act(action: ChangingAction): void {
      if (!mayWrite) return;
      const row = ringed();
      if (selection.alerts.length > 0 && action !== 'add-note') ask(action, selection.alerts);
      else if (row && row.alertId !== openId) ask(action, row.availableActions.includes(action) ? [row] : []);
      else if (openId) askOpen(action);
    },
    pick(isRange: boolean): void {
      const alert = ringed() ?? shown.find(({ alertId }) => alertId === openId);
      if (alert && mayWrite) selection.pick(alert, isRange || !selection.ids.has(alert.alertId), isRange, shown);
    },
    /** Drops the selected alerts that the list no longer shows. */
    dropHidden(): void {
      const ids = new Set(shown.map(({ alertId }) => alertId));
      selection.replace(selection.alerts.filter(({ alertId }) => ids.has(alertId)));
    },
  };
}

/** By how many rows of a list a key moves the cursor. Null: it does not. */
function rowsMoved({ key, ctrlKey, metaKey, altKey }: KeyboardEvent, rows: number): number | null {
  if (ctrlKey || metaKey || altKey) return null;
  const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, Home: -rows, End: rows };
  return moves[key] ?? null;
}

/** The keyboard position in the list, by id: the row that has or last had the focus. */
function useCursor(shown: readonly Alert[], openId: string | null, view: string) {
  const [id, setId] = useState<string | null>(null);
  const wanted = useRef<string | null>(null);
  /** Its last known index. If the row is gone, the next key goes to a row beside that index. */
  const place = useRef(-1);
  const viewOfPlace = useRef(view);
  if (viewOfPlace.current !== view) {
    viewOfPlace.current = view;
    place.current = -1;
  }
  const at = shown.findIndex(({ alertId }) => alertId === id);
  if (at >= 0) place.current = at;
  useLayoutEffect(() => {
    if (wanted.current !== null && focusRow(wanted.current)) wanted.current = null;
  });
  const next = (by: number) => {
    const here = focusedRow() ?? openId ?? id;
    const index = shown.findIndex(({ alertId }) => alertId === here);
    if (index >= 0) return index + by;
    return by > 0 && place.current >= 0 ? place.current : place.current + by;
  };
  const focus = (alertId: string) => {
    setId(alertId);
    if (!focusRow(alertId)) wanted.current = alertId;
  };
  return { id, next, focus, onFocus: setId, tabStop: at >= 0 ? id : (shown[0]?.alertId ?? null) };
}

/** @returns whether the row is drawn */
function focusRow(alertId: string): boolean {
  const link = document.querySelector<HTMLElement>(`.rows [data-alert="${alertId}"]`);
  link?.focus();
  return link !== null;
}
