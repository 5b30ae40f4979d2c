import type { ConnectionReport, Report } from '../../schema/device/report.ts';
import type { Waits } from '../limits.ts';
import { earliest, type Instant, later, latest, msBetween, plus, toInstant } from '../time.ts';

/** A period in which consecutive known sightings are at most `closeMs` apart. Both ends are sightings. */
export type Run = { from: Instant; to: Instant };

/**
 * A lost connection that a broker or a last will reported. `epoch`: the connection, if the report names it. `isSharp`: the broker saw the connection
 * close and did not only wait for a timeout. `backAt`: the first sign of life after it. `isBackSharp`: that sign was a connection report.
 */
export type ReportedLoss = {
  at: Instant;
  epoch: Instant | null;
  statedAt: Instant | null;
  isSharp: boolean;
  backAt: Instant | null;
  isBackSharp: boolean;
};

/**
 * The remembered sightings of a device. Sightings before `since` are forgotten; null: none are. It is only written when the device is written anyway.
 */
export type Sightings = { since: Instant | null; runs: Run[]; losses: ReportedLoss[] };

/** The members of a device that sightings are derived from. */
type SightingState = {
  sightings: Sightings;
  lastSeenAt: Instant | null;
  patience: { periodSeconds: number };
  presence: { connects: readonly { epoch: Instant; at: Instant }[] };
};

/** Runs and losses kept of a device. Older ones are in the ledger, or count as uncertain. */
const kept = 48;

/** Broker reasons for a session that another one replaced, which is no loss. */
const replaced = new Set(['takenover', 'discarded']);
/** Broker reasons that mean a timeout. */
const waitedInVain = /time|keep.?alive|ping/i;

/** The report interval from the settings, milliseconds. A device that reports only on change counts as reporting each minute. */
export function periodMs({ patience }: Pick<SightingState, 'patience'>, waits: Waits): number {
  return (patience.periodSeconds || 60) * waits.settingsSecond;
}

/** If two sightings are further apart, the device was not seen between them. */
export function closeMs(device: Pick<SightingState, 'patience'>, waits: Waits): number {
  return 2 * periodMs(device, waits) + waits.lastSeenCoarse;
}

/**
 * The sightings after a report; the same object if it adds nothing. `isWritten`: the device is written in any case, so a sighting that only confirms
 * the last one can be recorded too.
 */
export function withReport(device: SightingState, report: Report, isWritten: boolean, waits: Waits): Sightings {
  const { receivedAt, kind, isLeftover = false } = report;
  const before = device.sightings;
  if (kind === 'guardian' || kind === 'guardian-health' || isLeftover) return before;
  if (kind === 'connection' && report.body.status === 'offline')
    return withLoss(before, device, receivedAt, report.body, waits);
  const isConnection = kind === 'connection';
  const known = isConnection ? withoutReplaced(before, connectOf(receivedAt, report.body)) : before;
  return withSign(known, device, { at: receivedAt, isConnection, isWritten }, waits);
}

/** The sightings after a message that shows only that the device is alive. */
export function withSignOfLife(device: SightingState, at: Instant, isWritten: boolean, waits: Waits): Sightings {
  return withSign(device.sightings, device, { at, isConnection: false, isWritten }, waits);
}

/** A message that shows that a device is alive. `isWritten`: the device is written anyway. */
type SignOfLife = { at: Instant; isConnection: boolean; isWritten: boolean };

function withSign(
  before: Sightings,
  device: SightingState,
  { at, isConnection, isWritten }: SignOfLife,
  waits: Waits,
): Sightings {
  if (before.since !== null && at < before.since) return before;
  const last = before.runs.at(-1);
  const losses = before.losses.map((loss) => answered(loss, at, isConnection, waits));
  const isAnswer = losses.some((loss, index) => loss !== before.losses[index]);
  const isLate = last !== undefined && at <= last.to;
  if (!isAnswer && (isLate ? isInRun(before.runs, at) : !isWritten)) return before;
  const runs = joined([...before.runs, { from: at, to: at }], closeMs(device, waits));
  return bounded({ ...before, runs, losses: isAnswer ? losses : before.losses });
}

function isInRun(runs: readonly Run[], at: Instant): boolean {
  return runs.some(({ from, to }) => from <= at && at <= to);
}

function answered(loss: ReportedLoss, at: Instant, isConnection: boolean, waits: Waits): ReportedLoss {
  const isAfter = isConnection ? at > loss.at : msBetween(loss.at, at) > waits.lossSettle;
  if (!isAfter || (loss.backAt !== null && loss.backAt <= at)) return loss;
  return { ...loss, backAt: at, isBackSharp: isConnection && loss.backAt === null };
}

/** Runs in order, with close ones joined. */
function joined(runs: readonly Run[], close: number): Run[] {
  const joint: Run[] = [];
  for (const run of runs.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    const last = joint.at(-1);
    if (last && msBetween(last.to, run.from) <= close) last.to = later(last.to, run.to);
    else joint.push({ ...run });
  }
  return joint;
}

type ToldConnect = SightingState['presence']['connects'][number];

function connectOf(at: Instant, { connectedAt }: ConnectionReport): ToldConnect {
  return { at, epoch: connectedAt === undefined ? at : toInstant(connectedAt) };
}

/** Whether a loss belongs to a connection that a newer one had already replaced. */
function isReplaced(loss: Pick<ReportedLoss, 'at' | 'epoch'>, connect: ToldConnect): boolean {
  return loss.epoch !== null && connect.epoch > loss.epoch && connect.at <= loss.at;
}

function withoutReplaced(before: Sightings, connect: ToldConnect): Sightings {
  const losses = before.losses.filter((loss) => !isReplaced(loss, connect));
  return losses.length === before.losses.length ? before : { ...before, losses };
}

function withLoss(
  before: Sightings,
  { presence }: SightingState,
  at: Instant,
  body: ConnectionReport,
  waits: Waits,
): Sightings {
  const reason = body.reason ?? null;
  const isForgotten = before.since !== null && at < before.since;
  if (isForgotten || (reason !== null && replaced.has(reason))) return before;
  const epoch = body.connectedAt === undefined ? null : toInstant(body.connectedAt);
  if (presence.connects.some((connect) => isReplaced({ at, epoch }, connect))) return before;
  const statedAt = body.timestamp === undefined ? null : toInstant(body.timestamp);
  const isCopy = (loss: ReportedLoss) =>
    loss.at === at || (statedAt !== null && loss.statedAt === statedAt && loss.at < at);
  if (before.losses.some(isCopy)) return before;
  const signAt = firstAfter(before.runs, plus(at, waits.lossSettle));
  const connectedAt = earliest(presence.connects.map((connect) => connect.at).filter((each) => each > at));
  const backAt = earliest([signAt, connectedAt]);
  const isSharp = reason !== null && !waitedInVain.test(reason);
  const loss: ReportedLoss = { at, epoch, statedAt, isSharp, backAt, isBackSharp: false };
  return bounded({ ...before, losses: [...before.losses, loss].toSorted((a, b) => (a.at < b.at ? -1 : 1)) });
}

/** The first certain sighting after an instant. */
function firstAfter(runs: readonly Run[], at: Instant): Instant | null {
  for (const { from, to } of runs) {
    if (from > at) return from;
    if (to > at) return to;
  }
  return null;
}

function bounded(sightings: Sightings): Sightings {
  const { runs, losses } = sightings;
  if (runs.length <= kept && losses.length <= kept) return sightings;
  const [run, loss] = [runs.at(-kept), losses.at(-kept)];
  const ends = [runs.length > kept ? run?.from : null, losses.length > kept ? loss?.at : null];
  const since = ends.reduce<Instant | null>((newest, at) => latest(newest, at ?? null), sightings.since);
  return since === null ? sightings : prunedTo(sightings, since);
}

/** The sightings without those that ended before `since`. */
function prunedTo({ runs, losses }: Sightings, since: Instant): Sightings {
  return {
    since,
    runs: runs.filter(({ to }) => to >= since),
    losses: losses.filter(({ backAt }) => backAt === null || backAt >= since),
  };
}

/**
 * The last known sighting at or before an instant. Inside a run only the distance between sightings is known, so the earliest possible instant is
 * returned. `isLast`: no other sighting came before the next run.
 */
export function seenBefore({ runs }: Sightings, at: Instant, close: number): { at: Instant; isLast: boolean } | null {
  const run = runs.findLast(({ from }) => from <= at);
  if (!run) return null;
  if (run.to <= at) return { at: run.to, isLast: true };
  return { at: later(run.from, plus(at, -close)), isLast: false };
}

export function seenAs<Device extends SightingState>(device: Device, sightings: Sightings): Device {
  return device.sightings === sightings ? device : { ...device, sightings };
}

/** Whether the sightings changed so that the device must be written. */
export function isNewsOf(before: SightingState, sightings: Sightings): boolean {
  return before.sightings !== sightings;
}
