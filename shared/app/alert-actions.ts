import { type AlertRecord, toWireAlert } from '../domain/alert.ts';
import { type AlertChange, decideAlert } from '../domain/lifecycle.ts';
import { AppError, notFound } from '../errors.ts';
import type { Alert } from '../schema/alert.ts';
import { type Bearer, maySee } from './bearer.ts';
import { decideAndCommit } from './commit.ts';
import { alertWrites } from './device-orders.ts';
import type { Stored, World } from './ports.ts';

/** An alert on the wire with the version that `If-Match` names. */
export type VersionedAlert = { alert: Alert; version: number };

/** Reads one alert. @throws AppError `not-found`, also where it belongs to a group that is not the bearer's */
export async function getAlert(world: World, bearer: Bearer, alertId: string): Promise<VersionedAlert> {
  const { data } = await loadAlert(world, bearer, alertId);
  return { alert: toWireAlert(data), version: data.version };
}

/**
 * Acknowledges an alert; one that is acknowledged already stays as it is.
 * @throws AppError `not-found`; `invalid-transition` with the state and what is possible; `precondition-failed`
 */
export async function acknowledgeAlert(
  world: World,
  bearer: Bearer,
  alertId: string,
  request: { comment?: string; ifVersion: number | null },
): Promise<VersionedAlert> {
  const change: AlertChange = { kind: 'acknowledge', ...(request.comment ? { comment: request.comment } : {}) };
  return decideAndCommit(world, async () => {
    const stored = await loadAlert(world, bearer, alertId);
    requireVersion(stored.data, request.ifVersion);
    const outcome = decideAlert(stored.data, change, bearer.subject, world.now());
    if (outcome.kind === 'refused') throw refusal(change, outcome);
    const alert = outcome.kind === 'changed' ? outcome.alert : stored.data;
    return {
      writes: outcome.kind === 'changed' ? alertWrites(stored, outcome.alert, outcome.entry) : [],
      wakes: [],
      answer: { alert: toWireAlert(alert), version: alert.version },
    };
  });
}

async function loadAlert(world: World, bearer: Bearer, alertId: string): Promise<Stored<'alerts'>> {
  const [stored = null] = await world.store.get('alerts', [alertId]);
  if (!stored || !maySee(bearer, stored.data.groupId)) throw notFound(`alert ${alertId}`);
  return stored;
}

function requireVersion(alert: AlertRecord, ifVersion: number | null): void {
  if (ifVersion === null || ifVersion === alert.version) return;
  throw new AppError('precondition-failed', `The alert has changed: it is at version "${alert.version}".`);
}

function refusal(
  change: AlertChange,
  { status, availableActions }: { status: string; availableActions: string[] },
): AppError {
  return new AppError('invalid-transition', `An alert that is ${status} cannot ${change.kind}.`, {
    members: { alertStatus: status, availableActions },
  });
}
