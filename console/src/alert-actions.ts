import type { Alert } from '../../shared/schema/alert/alert.ts';
import type { AlertAction } from '../../shared/schema/vocabulary.ts';
import { ask, at, call, failureFrom } from './api.ts';
import { say, sayFailure } from './components/toast.tsx';
import { plural } from './format.ts';
import type { BatchResult } from './model.ts';

/** An action that changes an alert; `view-history` only shows it. */
export type ChangingAction = Exclude<AlertAction, 'view-history'>;

export const actionNames: Record<ChangingAction, { name: string; done: string; key: string }> = {
  acknowledge: { name: 'Acknowledge', done: 'acknowledged', key: 'a' },
  resolve: { name: 'Resolve', done: 'resolved', key: 'r' },
  snooze: { name: 'Snooze', done: 'snoozed', key: 's' },
  'add-note': { name: 'Add note', done: 'noted', key: 'n' },
  reopen: { name: 'Reopen', done: 'reopened', key: 'o' },
};

const segments: Record<ChangingAction, string> = {
  acknowledge: 'acknowledge',
  resolve: 'resolve',
  snooze: 'snooze',
  'add-note': 'notes',
  reopen: 'reopen',
};

export type ActionBody = { comment?: string; minutes?: number; until?: string; text?: string };

/**
 * Does one thing to one alert and says how it went. A conflict is explained; `changed` then brings what is true now.
 * @returns true when it was done
 */
export async function act(
  alertId: string,
  action: ChangingAction,
  { body = {}, etag, changed }: { body?: ActionBody; etag?: string | null; changed: (alert: Alert | null) => unknown },
): Promise<boolean> {
  try {
    const answer = await call<unknown>('POST', at('alerts', alertId, segments[action]), {
      body,
      ifMatch: etag ?? null,
    });
    changed(isAlert(answer.data) ? answer.data : null);
    say(action === 'add-note' ? 'Note added.' : `Alert ${actionNames[action].done}.`);
    return true;
  } catch (error) {
    const failure = failureFrom(error);
    if (failure.kind === 'conflict') {
      const why = failure.status === 412 ? 'It changed while you were looking at it' : failure.detail || failure.title;
      say(
        `Not ${actionNames[action].done}: ${why.replace(/\.$/, '')}. You now see it as it is; look again and decide.`,
        { isProblem: true },
      );
      changed(null);
    } else sayFailure(error);
    return false;
  }
}

/** Most alerts that the service takes in one request. */
const batchSize = 100;

/** Does one thing to many alerts and says how many it was done to. */
export async function actOnMany(
  alertIds: readonly string[],
  action: ChangingAction,
  body: ActionBody = {},
): Promise<void> {
  const results: BatchResult[] = [];
  try {
    for (let from = 0; from < alertIds.length; from += batchSize) {
      const request = { action, alertIds: alertIds.slice(from, from + batchSize), ...body };
      results.push(...(await ask('post', '/v1/alerts/batch', { body: request })).data.results);
    }
  } catch (error) {
    sayFailure(error);
    return;
  }
  const failed = results.filter(({ status }) => status >= 300);
  const done = `${plural(results.length - failed.length, 'alert')} ${actionNames[action].done}`;
  const why = failed[0]?.problem?.detail ?? 'refused';
  if (failed.length === 0) say(`${done}.`);
  else say(`${done}; ${plural(failed.length, 'alert')} not: ${why}`, { isProblem: true });
}

function isAlert(data: unknown): data is Alert {
  return typeof data === 'object' && data !== null && 'availableActions' in data;
}
