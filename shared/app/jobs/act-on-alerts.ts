import type { ActOnAlerts, JobStep } from '../../domain/job/job.ts';
import { earliest, plus, toInstant } from '../../domain/time.ts';
import { AppError } from '../../errors.ts';
import type { JobStarted, MatchingRequest } from '../../schema/job/job.ts';
import { actOnAlert, changeOf } from '../alerts/actions.ts';
import { alertFiltersOf, withoutSearch } from '../alerts/list.ts';
import type { Bearer } from '../bearer.ts';
import { sideBySide } from '../commit/side-by-side.ts';
import type { World } from '../ports.ts';
import { startJob } from './jobs.ts';

/** Alerts per step. */
const alertsOfStep = 50;

/**
 * Performs one action on all alerts that match now, in the background. `dryRun` only counts them.
 * @throws AppError `invalid-request` as for a list, and for a snooze without an end or one that is too long
 */
export async function actOnMatching(
  world: World,
  bearer: Bearer,
  jobId: string,
  { action, filter, dryRun = false, comment, until, minutes }: MatchingRequest,
): Promise<JobStarted> {
  const now = world.now();
  const why = comment === undefined ? {} : { comment };
  const lasts = { ...(until === undefined ? {} : { until }), ...(minutes === undefined ? {} : { minutes }) };
  const change = changeOf(action === 'snooze' ? { kind: action, ...why, ...lasts } : { kind: action, ...why }, now);
  const found = await withoutSearch(world, bearer, filter);
  // Times have milliseconds, and alerts of the present millisecond are already visible.
  const end = plus(now, 1);
  const latest = earliest([found?.until === undefined ? end : toInstant(found.until), end]) ?? end;
  const sought = found && { ...found, until: latest };
  const where = sought && alertFiltersOf(sought, bearer);
  const matched = where ? await world.store.count({ in: 'alerts', where }) : 0;
  if (dryRun || !sought || matched === 0) return { jobId: null, matched };
  const command = change as ActOnAlerts['command'];
  return startJob(
    world,
    bearer,
    jobId,
    { kind: 'act-on-alerts', filter: sought, groups: bearer.groups, command },
    matched,
  );
}

/**
 * Acts on the next alerts, oldest first. Alerts that do not allow the action are skipped, and alerts that already have its result do not change, so a
 * step can be repeated.
 */
export async function stepOfAction(
  world: World,
  { filter, groups, command }: ActOnAlerts,
  after: readonly string[] | null,
  createdBy: string,
): Promise<JobStep> {
  const bearer: Bearer = { subject: createdBy, scopes: new Set(), groups };
  const where = alertFiltersOf(filter, bearer);
  if (!where) return { done: 0, refused: 0, after: null };
  const found = await world.store.find({
    in: 'alerts',
    where,
    orderBy: [['timestamp', 'asc']],
    limit: alertsOfStep,
    ...(after === null ? {} : { after: [...after] }),
  });
  let done = 0;
  await sideBySide(found, async ({ id }) => {
    if (await isDone(world, bearer, id, command)) done += 1;
  });
  const last = found.at(-1);
  const isLast = found.length < alertsOfStep || !last;
  return { done, refused: found.length - done, after: isLast ? null : [last.data.timestamp, last.id] };
}

/** A refusal or an internal error for one alert does not stop the others. */
async function isDone(world: World, bearer: Bearer, alertId: string, command: ActOnAlerts['command']) {
  try {
    await actOnAlert(world, bearer, alertId, command, null);
    return true;
  } catch (error) {
    if (!(error instanceof AppError)) world.log.error('batch.failed', { alertId, error: String(error) });
    return false;
  }
}
