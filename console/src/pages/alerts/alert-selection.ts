import { useState } from 'preact/hooks';
import type { Alert } from '../../../../shared/schema/alert/alert.ts';

export type Selection = {
  ids: ReadonlySet<string>;
  alerts: readonly Alert[];
  toggle: (alert: Alert, isIn: boolean) => void;
  replace: (alerts: readonly Alert[]) => void;
};

const none: ReadonlyMap<string, Alert> = new Map();

/**
 * The alerts that an operator has selected, by id. Another view (`key`) starts with none, so that no action applies to invisible alerts.
 */
export function useSelection(key: string, known: readonly Alert[]): Selection {
  const [state, setState] = useState({ key, picked: none });
  const picked = state.key === key ? state.picked : none;
  const fresh = new Map(known.map((alert) => [alert.alertId, alert]));
  const change = (made: (before: ReadonlyMap<string, Alert>) => ReadonlyMap<string, Alert>) =>
    setState((before) => ({ key, picked: made(before.key === key ? before.picked : none) }));
  return {
    ids: new Set(picked.keys()),
    alerts: [...picked].map(([alertId, alert]) => fresh.get(alertId) ?? alert),
    toggle: (alert, isIn) =>
      change((before) => {
        const next = new Map(before);
        if (isIn) next.set(alert.alertId, alert);
        else next.delete(alert.alertId);
        return next;
      }),
    replace: (alerts) => change(() => new Map(alerts.map((alert) => [alert.alertId, alert]))),
  };
}
