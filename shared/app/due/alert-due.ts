import { dueChange } from '../../domain/alert/due.ts';
import { thresholds } from '../../domain/limits.ts';
import { plus } from '../../domain/time.ts';
import { changeAlert } from '../alerts/change.ts';
import { decideAndCommit } from '../commit/commit.ts';
import { handleFanOutDue } from '../deliveries/fan-out-due.ts';
import { handleFoldDue } from '../notify/fold-due.ts';
import { handleGuardianMailDue } from '../notify/guardian-mail.ts';
import { tellNotice } from '../notify/notices.ts';
import type { Wake, World } from '../ports.ts';
import { configurationAt, configurationIds } from '../settings/configuration.ts';
import { forEachOf, inTurn } from './sweep-pages.ts';

/** Changes that one alarm may bring about in a row: a snooze that ended, a response time that passed meanwhile, a reminder … */
const mostChanges = 4;
/** Most records of a kind that one sweep looks at: the next, a minute later, goes on. */
const batchSize = 400;

/** Looks at an alert whose time has come. Early, late or doubled, it does what is due now and no more. */
export async function handleAlertDue(world: World, alertId: string): Promise<void> {
  for (let count = 0; count < mostChanges; count += 1) {
    const isMore = await decideAndCommit(world, () => decideOne(world, alertId));
    if (!isMore) return;
  }
}

async function decideOne(world: World, alertId: string) {
  const nothing = { writes: [], wakes: [], answer: false };
  const found = await world.store.getMany({ alerts: [alertId], ...configurationIds });
  const [[stored = null], [revision = null]] = [found.alerts, found.revisions];
  const now = world.now();
  if (!stored?.data.dueAt || stored.data.dueAt > now) return nothing;
  const configuration = await configurationAt(world.store, revision);
  const { settings } = configuration;
  const change = dueChange(stored.data, now, {
    escalationTeam: stored.data.escalation?.team ?? settings.escalationTeam,
    reminderMs: world.waits.reminder,
    maxReminders: thresholds.reminders,
  });
  if (!change || change.kind === 'open') return nothing;
  const outcome = await changeAlert(world, stored, change, 'system', now, configuration);
  return outcome.kind === 'changed' ? { writes: outcome.writes, wakes: outcome.wakes, answer: true } : nothing;
}

const handlers = {
  alerts: handleAlertDue,
  folds: handleFoldDue,
  guardianAlerts: handleGuardianMailDue,
  notices: tellNotice,
  fanOuts: handleFanOutDue,
};

/** Whether a callback is about a record of this file's kinds. */
export function isAlertWake(kind: unknown): kind is keyof typeof handlers {
  return typeof kind === 'string' && Object.hasOwn(handlers, kind);
}

/** Answers one callback. */
export function handleAlertWake(world: World, kind: keyof typeof handlers, id: Wake['id']): Promise<void> {
  return handlers[kind](world, id);
}

/** The parts of a sweep that find what no alarm woke: alerts, folds, notices and deliveries still to be made that have been due for longer than the grace an alarm has. */
export const alertParts = {
  alerts: (world: World) => sweepKind(world, 'alerts'),
  folds: (world: World) => sweepKind(world, 'folds'),
  guardianAlerts: (world: World) => sweepKind(world, 'guardianAlerts'),
  notices: (world: World) => sweepKind(world, 'notices'),
  fanOuts: (world: World) => sweepKind(world, 'fanOuts'),
} satisfies Record<keyof typeof handlers, unknown>;

/** Finds them all. */
export function sweepAlerts(world: World): Promise<Record<keyof typeof handlers, number>> {
  return inTurn(world, alertParts);
}

async function sweepKind(world: World, kind: keyof typeof handlers): Promise<number> {
  const grace = kind === 'alerts' ? world.waits.alertGrace : world.waits.alarmGrace;
  const overdue = await world.store.find({
    in: kind,
    where: [{ field: 'dueAt', is: '<=', value: plus(world.now(), -grace) }],
    orderBy: [['dueAt', 'asc']],
    limit: batchSize,
  });
  await forEachOf(world, overdue, ({ id }) => handlers[kind](world, id));
  if (overdue.length > 0) world.log.warn('sweep.found', { [kind]: overdue.length });
  return overdue.length;
}
