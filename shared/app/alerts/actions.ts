import { type AlertRecord, toWireAlert } from '../../domain/alert/alert.ts';
import { type AlertChange, availableActions } from '../../domain/alert/lifecycle.ts';
import type { Device } from '../../domain/device/device.ts';
import type { Waits } from '../../domain/limits.ts';
import { earliest, type Instant, msBetween, plus, toInstant } from '../../domain/time.ts';
import { AppError, notFound } from '../../errors.ts';
import type { Alert } from '../../schema/alert/alert.ts';
import { type Bearer, maySee } from '../bearer.ts';
import { decideAndCommit } from '../commit/commit.ts';
import type { Stored, Wake, World, Write } from '../ports.ts';
import { configurationAt, configurationIds } from '../settings/configuration.ts';
import { changeAlert } from './change.ts';

/** An alert on the wire with the version that `If-Match` names. */
export type VersionedAlert = { alert: Alert; version: number };

/** What a person asks to be done to an alert. */
export type AlertCommand =
  | { kind: 'acknowledge' | 'resolve' | 'reopen'; comment?: string }
  | { kind: 'snooze'; until?: string; minutes?: number; comment?: string }
  | { kind: 'add-note'; text: string };

const longestSnoozeMs = 30 * 24 * 60 * 60_000;

/** Reads one alert. @throws AppError `not-found`, also where it belongs to a group that is not the bearer's */
export async function getAlert(world: World, bearer: Bearer, alertId: string): Promise<VersionedAlert> {
  const { data } = await loadAlert(world, bearer, alertId);
  return { alert: toWireAlert(data), version: data.version };
}

/**
 * Does what a person asks; where its result holds already, the alert stays as it is.
 * @throws AppError `not-found`; `invalid-request` for a snooze without an end or too long a one; `invalid-transition` with the state and
 * what is possible; `precondition-failed`
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
    requireVersion(stored.data, ifVersion);
    const now = world.now();
    const change = changeOf(command, now);
    const configuration = await configurationAt(world.store, found.revisions[0] ?? null);
    const outcome = await changeAlert(world, stored, change, bearer.subject, now, configuration);
    if (outcome.kind === 'refused') throw refusal(change, outcome);
    if (outcome.kind === 'unchanged') return { writes: [], wakes: [], answer: versionedOf(stored.data) };
    const device = await changeOfDevice(world, stored.data, change, now);
    return {
      writes: [...outcome.writes, ...device.writes],
      wakes: [...outcome.wakes, ...device.wakes],
      answer: versionedOf(outcome.alert),
    };
  });
}

function versionedOf(alert: AlertRecord): VersionedAlert {
  return { alert: toWireAlert(alert), version: alert.version };
}

function changeOf(command: AlertCommand, now: Instant): Exclude<AlertChange, { kind: 'open' }> {
  if (command.kind !== 'snooze') return command;
  const { until, minutes, comment } = command;
  if ((until === undefined) === (minutes === undefined)) {
    throw invalid('', 'names either `until` or `minutes`');
  }
  const end = until === undefined ? plus(now, (minutes ?? 0) * 60_000) : toInstant(until);
  const pointer = until === undefined ? '/minutes' : '/until';
  if (end <= now) throw invalid(pointer, 'must lie ahead');
  if (msBetween(now, end) > longestSnoozeMs) throw invalid(pointer, 'must lie at most 30 days ahead');
  return { kind: 'snooze', until: end, ...(comment ? { comment } : {}) };
}

function invalid(pointer: string, detail: string): AppError {
  return new AppError('invalid-request', `${pointer || 'The body'} ${detail}.`, { errors: [{ pointer, detail }] });
}

/**
 * The device holds the open alert of each code, so resolving and reopening by hand change it in the same commit. One that was resolved by
 * hand stays quiet for a while although its condition holds, and the device is looked at when that while is over: it may never report again.
 * @throws AppError `invalid-transition` where another alert of the code is open on the device
 */
async function changeOfDevice(
  world: World,
  alert: AlertRecord,
  change: AlertChange,
  now: Instant,
): Promise<{ writes: Write[]; wakes: Wake[] }> {
  const nothing = { writes: [], wakes: [] };
  if (change.kind !== 'resolve' && change.kind !== 'reopen') return nothing;
  const [stored = null] = await world.store.get('devices', [alert.deviceId]);
  if (!stored) return nothing;
  const { data: before, revision } = stored;
  const device =
    change.kind === 'resolve' ? withEnded(before, alert, now, world.waits) : withReopened(before, alert, now);
  if (!device) return nothing;
  const data = { ...device, version: device.version + 1 };
  const { deviceId: id, version, dueAt } = data;
  return {
    writes: [{ kind: 'replace', in: 'devices', id, data, revision }],
    wakes: dueAt && dueAt !== before.dueAt ? [{ in: 'devices', id, version, dueAt }] : [],
  };
}

function withEnded(device: Device, { code, alertId }: AlertRecord, now: Instant, waits: Waits): Device | null {
  if (device.open[code]?.alertId !== alertId) return null;
  const { [code]: _, ...open } = device.open;
  const ended = { ...device.ended, [code]: { alertId, endedAt: now, by: 'hand' as const, reopenedAt: [] } };
  return { ...device, open, ended, dueAt: earliest([device.dueAt, plus(now, waits.manualMute)]) };
}

function withReopened(device: Device, { code, alertId, severity }: AlertRecord, now: Instant): Device | null {
  const other = device.open[code];
  if (other && other.alertId !== alertId) {
    throw new AppError('invalid-transition', `Another alert of ${code} is open on this device.`, {
      members: { alertStatus: 'resolved', availableActions: availableActions('resolved'), openAlertId: other.alertId },
    });
  }
  if (severity === 'INFO') return null;
  const { [code]: _, ...ended } = device.ended;
  return { ...device, ended, open: { ...device.open, [code]: { alertId, since: now } } };
}

/** Reads an alert that the bearer may see. @throws AppError `not-found` */
export async function loadAlert(world: World, bearer: Bearer, alertId: string): Promise<Stored<'alerts'>> {
  const [stored = null] = await world.store.get('alerts', [alertId]);
  return requireVisible(stored, bearer, alertId);
}

function requireVisible(stored: Stored<'alerts'> | null, bearer: Bearer, alertId: string): Stored<'alerts'> {
  if (!stored || !maySee(bearer, stored.data.groupId)) throw notFound(`alert ${alertId}`);
  return stored;
}

function requireVersion(alert: AlertRecord, ifVersion: number | null): void {
  if (ifVersion === null || ifVersion === alert.version) return;
  throw new AppError('precondition-failed', `The alert has changed: it is at version "${alert.version}".`);
}

function refusal(
  change: AlertChange,
  { status, availableActions: possible }: { status: string; availableActions: string[] },
): AppError {
  const what = change.kind === 'add-note' ? 'take a note' : change.kind;
  return new AppError('invalid-transition', `An alert that is ${status} cannot ${what}.`, {
    members: { alertStatus: status, availableActions: possible },
  });
}
