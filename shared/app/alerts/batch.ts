import { AppError } from '../../errors.ts';
import type { BatchRequest, BatchResult } from '../../schema/alert/life.ts';
import type { Bearer } from '../bearer.ts';
import type { World } from '../ports.ts';
import { type AlertCommand, actOnAlert } from './actions.ts';

/** Alerts that are changed concurrently. */
const width = 10;

/**
 * Performs one action on many alerts. Each gets a result of its own, and an internal error for one does not hide the results of the others.
 */
export async function actOnAlerts(world: World, bearer: Bearer, request: BatchRequest): Promise<BatchResult> {
  const command = commandOf(request);
  const results: BatchResult['results'] = [];
  for (let index = 0; index < request.alertIds.length; index += width) {
    const ids = request.alertIds.slice(index, index + width);
    results.push(...(await Promise.all(ids.map((alertId) => resultOf(world, bearer, alertId, command)))));
  }
  return { results };
}

function commandOf({ action, comment, until, minutes, text }: BatchRequest): AlertCommand {
  const why = comment === undefined ? {} : { comment };
  if (action === 'add-note') {
    if (text !== undefined) return { kind: action, text };
    throw new AppError('invalid-request', '/text is required.', {
      errors: [{ pointer: '/text', detail: 'is required' }],
    });
  }
  if (action !== 'snooze') return { kind: action, ...why };
  return {
    kind: action,
    ...why,
    ...(until === undefined ? {} : { until }),
    ...(minutes === undefined ? {} : { minutes }),
  };
}

async function resultOf(world: World, bearer: Bearer, alertId: string, command: AlertCommand) {
  try {
    const { alert } = await actOnAlert(world, bearer, alertId, command, null);
    return { alertId, status: 200, alert };
  } catch (error) {
    if (!(error instanceof AppError)) {
      world.log.error('batch.failed', { alertId, error: String(error) });
      return { alertId, status: 500, problem: { code: 'internal', detail: 'The service failed.' } };
    }
    if (error.code === 'not-found') world.trail?.missed();
    return { alertId, status: error.status, problem: { code: error.code, detail: error.message } };
  }
}
