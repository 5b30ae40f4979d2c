import { type AlertRecord, toWireAlert } from '../../domain/alert/alert.ts';
import type { AlertChange } from '../../domain/alert/change.ts';
import { decideAction } from '../../domain/change/decide.ts';
import { type Instant, msBetween, plus, toInstant } from '../../domain/time.ts';
import { undoUntilOf } from '../../domain/undo.ts';
import { AppError, notFound } from '../../errors.ts';
import type { Alert } from '../../schema/alert/alert.ts';
import { type Bearer, maySee } from '../bearer.ts';
import { decided, nothingRead } from '../change/written.ts';
import { decideAndCommit, requireVersion } from '../commit/commit.ts';

import type { Reads, Stored, World } from '../ports.ts';
import { configurationAt, configurationIds } from '../settings/configuration.ts';

/** An alert as the API returns it, with the version that `If-Match` refers to. */
export type VersionedAlert = { alert: Alert; version: number };

/** An action that a person requests on an alert. */
export type AlertCommand =
  | { kind: 'acknowledge' | 'resolve' | 'reopen' | 'unacknowledge' | 'unsnooze'; comment?: string }
  | { kind: 'snooze'; until?: string; minutes?: number; comment?: string }
  | { kind: 'add-note'; text: string };

const longestSnoozeMs = 30 * 24 * 60 * 60_000;

/** Reads one alert. @throws AppError `not-found`, also where it belongs to a group outside the bearer's */
export async function getAlert(world: Reads<'alerts'>, bearer: Bearer, alertId: string): Promise<VersionedAlert> {
  const { data } = await loadAlert(world, bearer, alertId);
  return { alert: toWireAlert(data), version: data.version };
}

/**
 * Performs a person's action on an alert. Where its result holds already, the alert does not change.
 * @throws AppError `not-found`; `invalid-request` for a snooze without an end or one that is too long; `invalid-transition` with the state
 * and the possible actions; `precondition-failed`
 */
export async function actOnAlert(
  world: World,
  bearer: Bearer,
  alertId: string,
  command: AlertCommand,
  ifVersion: number | null,
): Promise<VersionedAlert> {
  return decideAndCommit(world, async () => {
    const found = await world.store.getMany({ alerts: [alertId], ...configurationIds });
    const stored = requireVisible(found.alerts[0] ?? null, bearer, alertId);
    requireVersion('alert', stored.data.version, ifVersion);
    const now = world.now();
    const change = changeOf(command, now);
    const configuration = await configurationAt(world.store, found.revisions[0] ?? null);
    const read = { ...nothingRead, configuration, alerts: new Map([[alertId, stored]]) };
    const outcome = await decided(world, read, now, (known, given) =>
      decideAction(stored.data, change, bearer.subject, known, given),
    );
    if (outcome.kind === 'refused') throw refusalOf('alert', change, outcome);
    const { change: made, ...written } = outcome.kind === 'change' ? outcome : unchanged;
    return { ...written, answer: answerOf(made.alerts[0] ?? stored.data, change, bearer, now) };
  });
}

const unchanged = { writes: [], wakes: [], change: { alerts: [] as AlertRecord[] } };

/** The alert after an action, with the time until which the actor may undo it. */
function answerOf(record: AlertRecord, { kind }: AlertChange, { subject }: Bearer, now: Instant): VersionedAlert {
  const undo = record.undo?.action === kind ? undoUntilOf(record.undo, subject, now) : {};
  return { alert: { ...toWireAlert(record), ...undo }, version: record.version };
}

/** Translates a command into a change. @throws AppError `invalid-request` for a snooze without an end or one that is too long */
export function changeOf(command: AlertCommand, now: Instant): Exclude<AlertChange, { kind: 'open' }> {
  if (command.kind !== 'snooze') return command;
  const { until, minutes, comment } = command;
  if ((until === undefined) === (minutes === undefined)) {
    throw invalid('', 'must contain either `until` or `minutes`');
  }
  const end = until === undefined ? plus(now, (minutes ?? 0) * 60_000) : toInstant(until);
  const pointer = until === undefined ? '/minutes' : '/until';
  if (end <= now) throw invalid(pointer, 'must lie ahead');
  if (msBetween(now, end) > longestSnoozeMs) throw invalid(pointer, 'must be at most 30 days in the future');
  return { kind: 'snooze', until: end, ...(comment ? { comment } : {}) };
}

function invalid(pointer: string, detail: string): AppError {
  return new AppError('invalid-request', `${pointer || 'The body'} ${detail}.`, { errors: [{ pointer, detail }] });
}

/** Reads an alert that the bearer may see. @throws AppError `not-found` */
export async function loadAlert(world: Reads<'alerts'>, bearer: Bearer, alertId: string): Promise<Stored<'alerts'>> {
  const [stored = null] = await world.store.get('alerts', [alertId]);
  return requireVisible(stored, bearer, alertId);
}

function requireVisible(stored: Stored<'alerts'> | null, bearer: Bearer, alertId: string): Stored<'alerts'> {
  if (!stored || !maySee(bearer, stored.data.groupId)) throw notFound(`alert ${alertId}`);
  return stored;
}

/** The error for an action that is not possible, with the actions that are. */
export function refusalOf(
  what: 'alert' | 'incident',
  change: AlertChange,
  { status, availableActions, openAlertId }: { status: string; availableActions: string[]; openAlertId?: string },
): AppError {
  const action = change.kind === 'add-note' ? 'take a note' : change.kind;
  const terms = action.startsWith('un') ? ': only the person who did it can undo it, for 60 s' : '';
  const why =
    openAlertId === undefined
      ? `An ${what} that is ${status} cannot ${action}${terms}.`
      : 'Another alert of its code is open on this device.';
  const other = openAlertId === undefined ? {} : { openAlertId };
  return new AppError('invalid-transition', why, { members: { alertStatus: status, availableActions, ...other } });
}
