import type { Alert } from '../../../../shared/schema/alert/alert.ts';
import type { BatchRequest } from '../../../../shared/schema/alert/life.ts';
import { ask, type Failure, failureFrom } from '../../client/api.ts';
import { plural } from '../../format.ts';
import type { BatchResult } from '../../model.ts';
import { type ActionBody, actionNames, type ChangingAction, type LivelyKind, undoings } from '../action/actions.ts';
import { say } from '../toast.tsx';

export const alertKind: LivelyKind<Alert> = { noun: 'alerts', word: 'Alert', nameOf };

/** Maximum number of alerts that the service accepts in one request. */
const batchSize = 100;

/**
 * Performs one action on many alerts and shows how many succeeded.
 * @returns the failure of a request; some alerts may be changed by then, and repeating the call does no harm. Null: all
 * requests were answered
 */
export async function actOnMany(
  alertIds: readonly string[],
  action: ChangingAction,
  body: ActionBody,
  changed: () => unknown,
): Promise<Failure | null> {
  try {
    const results = await inBatches(alertIds, { action, ...body });
    const failed = results.filter(({ status }) => status >= 300);
    const done = results.filter(({ alert }) => alert?.undoUntil).map(({ alertId }) => alertId);
    const words = `${plural(results.length - failed.length, 'alert')} ${actionNames[action].done}`;
    const why = failed[0]?.problem?.detail ?? 'refused';
    const undoing = undoings[action];
    const undo = undoing && done.length > 0 ? () => undoMany(done, undoing, changed) : null;
    if (failed.length === 0) say(`${words}.`, { undo });
    else say(`${words}; ${plural(failed.length, 'alert')} not: ${why}`, { isProblem: true, undo });
    return null;
  } catch (error) {
    return failureFrom(error);
  }
}

async function undoMany(
  alertIds: readonly string[],
  action: BatchRequest['action'],
  changed: () => unknown,
): Promise<void> {
  const results = await inBatches(alertIds, { action }).finally(changed);
  const failed = results.filter(({ status }) => status >= 300);
  const words = `Undone: ${plural(results.length - failed.length, 'alert')}`;
  if (failed.length === 0) say(`${words}.`);
  else say(`${words}; ${failed.length} not: ${failed[0]?.problem?.detail ?? 'refused'}`, { isProblem: true });
}

async function inBatches(alertIds: readonly string[], request: Omit<BatchRequest, 'alertIds'>): Promise<BatchResult[]> {
  const results: BatchResult[] = [];
  for (let from = 0; from < alertIds.length; from += batchSize) {
    const body = { ...request, alertIds: alertIds.slice(from, from + batchSize) };
    results.push(...(await ask('post', '/v1/alerts/batch', { body })).data.results);
  }
  return results;
}

/** The name of an alert in messages: its code and its camera. */
export function nameOf({ code, deviceName, deviceId }: Pick<Alert, 'code' | 'deviceName' | 'deviceId'>): string {
  return `${code} of ${deviceName ?? deviceId}`;
}
