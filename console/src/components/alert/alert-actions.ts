import type { Alert } from '../../../../shared/schema/alert/alert.ts';
import type { BatchRequest } from '../../../../shared/schema/alert/life.ts';
import type { AlertAction } from '../../../../shared/schema/vocabulary.ts';
import { ask, at, call, type Failure, failureFrom, write } from '../../client/api.ts';
import { plural } from '../../format.ts';
import type { BatchResult } from '../../model.ts';
import { say } from '../toast.tsx';

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
/** What takes an action back. */
const undoings: Partial<Record<ChangingAction, 'unacknowledge' | 'unsnooze'>> = {
  acknowledge: 'unacknowledge',
  snooze: 'unsnooze',
};

export type ActionBody = { comment?: string; minutes?: number; until?: string; text?: string };

/** `changed` is told of every new state of an alert, and of null where the state must be read anew. */
type Doing = { body?: ActionBody; etag?: string | null; changed: (alert: Alert | null) => unknown };

/**
 * Does one thing to one alert, says that it was done and offers to take it back.
 * @returns why it was not done; null when it was
 */
export async function act(
  alertId: string,
  action: ChangingAction,
  { body = {}, etag, changed }: Doing,
): Promise<Failure | null> {
  try {
    const path = at('alerts', alertId, segments[action]);
    const { data } = await call<Alert>('POST', path, { body, ifMatch: etag ?? null });
    changed(isAlert(data) ? data : null);
    say(`${isAlert(data) ? nameOf(data) : 'Alert'} ${actionNames[action].done}.`, { undo: undoOf(data, changed) });
    return null;
  } catch (error) {
    const failure = failureFrom(error);
    if (failure.kind === 'conflict') changed(null);
    return failure;
  }

  function undoOf(alert: Alert, told: Doing['changed']) {
    const undoing = undoings[action];
    if (!undoing || !isAlert(alert) || !alert.undoUntil) return null;
    return async () => {
      const undone = await write<Alert>('POST', at('alerts', alertId, undoing)).finally(() => told(null));
      told(undone);
      say(`Undone: ${nameOf(undone)} is ${undone.status} again.`);
    };
  }
}

/** Why an action was not done, as a sentence: a conflict is explained. */
export function refusalOf(failure: Failure, action: ChangingAction): Failure {
  if (failure.kind !== 'conflict') return failure;
  const why = failure.status === 412 ? 'It changed while you were looking at it' : failure.detail || failure.title;
  return {
    ...failure,
    kind: 'failed',
    title: `Not ${actionNames[action].done}: ${why.replace(/\.$/, '')}`,
    detail: 'You now see it as it is; look again and decide.',
  };
}

/** Most alerts that the service takes in one request. */
const batchSize = 100;

/**
 * Does one thing to many alerts and says how many it was done to.
 * @returns what kept the service from answering; asked again, it finds done what was done
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

/** Code and camera: what a message says of an alert. */
export function nameOf({ code, deviceName, deviceId }: Pick<Alert, 'code' | 'deviceName' | 'deviceId'>): string {
  return `${code} of ${deviceName ?? deviceId}`;
}

function isAlert(data: unknown): data is Alert {
  return typeof data === 'object' && data !== null && 'availableActions' in data;
}
