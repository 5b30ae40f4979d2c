import { useState } from 'preact/hooks';
import type { Alert } from '../../../../shared/schema/alert/alert.ts';
import type { Failure } from '../../client/api.ts';
import { type Asked, askedBefore } from '../../components/action/action-dialogs.tsx';
import { type ActionBody, act, type ChangingAction, isPlain, refusalOf } from '../../components/action/actions.ts';
import { actOnMany, alertKind, nameOf } from '../../components/alert/alert-actions.ts';
import { sayProblem } from '../../components/toast.tsx';
import { plural } from '../../format.ts';
import { severities, severityNames } from '../../model.ts';
import type { AlertList } from './alert-list.ts';

/** An action on more alerts than this asks for confirmation. */
const manyAtOnce = 25;

/** Performs the operator's actions: at once, or after a dialog. `done` counts them, so that an open alert reads itself again. */
export function useDoing(list: AlertList, dropSelection: () => void) {
  const [asked, setAsked] = useState<Asked | null>(() => askedBefore('alerts'));
  const [done, setDone] = useState(0);
  const told = (alert: Alert | null) => {
    if (alert) list.put(alert);
    list.reload();
    setDone((count) => count + 1);
  };
  const submit = async ({ action, ids, etag }: Asked, body: ActionBody = {}): Promise<Failure | null> => {
    const [alertId] = ids;
    if (ids.length === 1 && alertId) {
      const failure = await act(alertKind, alertId, action, { body, etag, changed: told });
      return failure && refusalOf(failure, action);
    }
    const failure = await actOnMany(ids, action, body, () => told(null));
    if (!failure) dropSelection();
    told(null);
    return failure;
  };
  /** Starts an action on alerts that are in view. `etag` requires the version that was seen. */
  const ask = (action: ChangingAction, alerts: readonly Alert[], etag: string | null = null) => {
    const [first] = alerts;
    if (!first) return;
    const ids = alerts.map(({ alertId }) => alertId);
    const what = alerts.length === 1 ? nameOf(first) : countsOf(alerts);
    const one: Asked = { noun: 'alerts', ids, action, etag, what };
    if (!isPlain(action) || alerts.length > manyAtOnce) setAsked(one);
    else void submit(one).then((failure) => failure && sayProblem(failure));
  };
  return { asked, close: () => setAsked(null), submit, ask, done };
}

/** `30 alerts: 12 critical, 18 warning` */
function countsOf(alerts: readonly Alert[]): string {
  const counts = severities.flatMap((severity) => {
    const count = alerts.filter((alert) => alert.severity === severity).length;
    return count > 0 ? `${count} ${severityNames[severity].toLowerCase()}` : [];
  });
  return `${plural(alerts.length, 'alert')}: ${counts.join(', ')}`;
}
