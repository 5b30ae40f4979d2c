import { useRef, useState } from 'preact/hooks';
import type { Alert } from '../../../../shared/schema/alert/alert.ts';

export type Selection = {
  ids: ReadonlySet<string>;
  alerts: readonly Alert[];
  /** Selects or deselects one alert. `isRange`: also all alerts between it and the previous one. */
  pick: (alert: Alert, isIn: boolean, isRange: boolean, shown: readonly Alert[]) => void;
  replace: (alerts: readonly Alert[]) => void;
};

const none: ReadonlyMap<string, Alert> = new Map();

/**
 * The selected alerts by id. An alert that leaves the list stays selected. A new view (`key`) starts without a
 * selection, so that no action applies to alerts of an earlier view.
 */
export function useSelection(key: string, known: readonly Alert[]): Selection {
  const [state, setState] = useState({ key, picked: none });
  const picked = state.key === key ? state.picked : none;
  // Builds the index of the list, which may have thousands of alerts, only while something is selected.
  const fresh = new Map(picked.size === 0 ? [] : known.map((alert) => [alert.alertId, alert]));
  const anchor = useRef<string | null>(null);
  const change = (made: (before: ReadonlyMap<string, Alert>) => ReadonlyMap<string, Alert>) =>
    setState((before) => ({ key, picked: made(before.key === key ? before.picked : none) }));
  return {
    ids: new Set(picked.keys()),
    alerts: [...picked].map(([alertId, alert]) => fresh.get(alertId) ?? alert),
    pick: (alert, isIn, isRange, shown) => {
      const picks = isRange ? between(shown, anchor.current, alert) : [alert];
      anchor.current = alert.alertId;
      change((before) => {
        const next = new Map(before);
        for (const each of picks) {
          if (isIn) next.set(each.alertId, each);
          else next.delete(each.alertId);
        }
        return next;
      });
    },
    replace: (alerts) => change(() => new Map(alerts.map((alert) => [alert.alertId, alert]))),
  };
}

/** The alerts from one to another, both included. Only the second if the first is no longer shown. */
function between(shown: readonly Alert[], from: string | null, to: Alert): readonly Alert[] {
  const [a, b] = [from, to.alertId].map((id) => shown.findIndex(({ alertId }) => alertId === id)) as [number, number];
  return a < 0 || b < 0 ? [to] : shown.slice(Math.min(a, b), Math.max(a, b) + 1);
}
