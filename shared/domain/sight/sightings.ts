import type { ConnectionReport, Report } from '../../schema/device/report.ts';
import type { Waits } from '../limits.ts';
import { type Instant, later, latest, msBetween, plus, toInstant } from '../time.ts';

/** A stretch in which no two sightings that are known are further apart than `closeMs`. Both ends are sightings. */
export type Run = { from: Instant; to: Instant };

/**
 * A loss of the connection that a broker or a last will reported.
 * `isSharp`: the broker saw the connection close, and did not only wait for it in vain.
 * `backAt`: the first sign of life after it. `isBackSharp`: that was the report of a connection, taken in the order of events.
 */
export type ToldLoss = {
  at: Instant;
  toldAt: Instant | null;
  isSharp: boolean;
  backAt: Instant | null;
  isBackSharp: boolean;
};

/**
 * What is remembered of when a device was seen. What was before `since` is forgotten; null: nothing is. It is written only together with
 * what is written anyway.
 */
export type Sightings = { since: Instant | null; runs: Run[]; losses: ToldLoss[] };

/** The parts of a device that its sightings are made from. */
type Seen = {
  sightings?: Sightings;
  lastSeenAt: Instant | null;
  patience: { periodSeconds?: number };
  presence: { connects: readonly { epoch: Instant; at: Instant }[] };
};

/** Runs and losses that are kept of a device. What is older is in the ledger, or counts as uncertain. */
const kept = 48;

/** A broker that gives these reasons saw another session take over, which is no loss. */
const replaced = new Set(['takenover', 'discarded']);
/** Reasons by which a broker only noticed that nothing came any more. */
const waitedInVain = /time|keep.?alive|ping/i;

/** How often the device reports by its settings, in milliseconds. A device that reports only on change counts as one of each minute. */
export function periodMs({ patience }: Pick<Seen, 'patience'>, waits: Waits): number {
  return (patience.periodSeconds || 60) * waits.settingsSecond;
}

/** Two sightings further apart than this enclose a time in which the device was not seen. */
export function closeMs(device: Pick<Seen, 'patience'>, waits: Waits): number {
  return 2 * periodMs(device, waits) + waits.lastSeenCoarse;
}

/**
 * The sightings after a report. The same object where it adds nothing. `isWritten`: the device is written in any case, so that a sighting
 * which only confirms the last one may be noted too.
 */
export function withReport(device: Seen, report: Report, isWritten: boolean, waits: Waits): Sightings {
  const { receivedAt, kind, isLeftover = false } = report;
  const before = rememberedOf(device);
  if (kind === 'guardian' || kind === 'guardian-health' || isLeftover) return before;
  if (kind === 'connection' && report.body.status === 'offline')
    return withLoss(before, device, receivedAt, report.body);
  return withSign(before, device, receivedAt, kind === 'connection', isWritten, waits);
}

/** The sightings after a message that shows only that the device is alive. */
export function withSignOfLife(device: Seen, at: Instant, isWritten: boolean, waits: Waits): Sightings {
  return withSign(rememberedOf(device), device, at, false, isWritten, waits);
}

/** The sightings of any device, also of one that was never seen. */
export function rememberedOf({ sightings, lastSeenAt }: Pick<Seen, 'sightings' | 'lastSeenAt'>): Sightings {
  return sightings ?? { since: lastSeenAt, runs: [], losses: [] };
}

function withSign(
  before: Sightings,
  device: Seen,
  at: Instant,
  isConnection: boolean,
  isWritten: boolean,
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

function answered(loss: ToldLoss, at: Instant, isConnection: boolean, waits: Waits): ToldLoss {
  const isAfter = isConnection ? at > loss.at : msBetween(loss.at, at) > waits.lossSettle;
  if (!isAfter || (loss.backAt !== null && loss.backAt <= at)) return loss;
  return { ...loss, backAt: at, isBackSharp: isConnection && loss.backAt === null };
}

/** Runs in order, those joined that are close to each other. */
function joined(runs: readonly Run[], close: number): Run[] {
  const joint: Run[] = [];
  for (const run of runs.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    const last = joint.at(-1);
    if (last && msBetween(last.to, run.from) <= close) last.to = later(last.to, run.to);
    else joint.push({ ...run });
  }
  return joint;
}

function withLoss(before: Sightings, { presence }: Seen, at: Instant, body: ConnectionReport): Sightings {
  const reason = body.reason ?? null;
  const isForgotten = before.since !== null && at < before.since;
  if (isForgotten || (reason !== null && replaced.has(reason))) return before;
  const epoch = body.connectedAt === undefined ? null : toInstant(body.connectedAt);
  // The will of a connection that a newer one had replaced by then.
  if (presence.connects.some((connect) => epoch !== null && connect.epoch > epoch && connect.at <= at)) return before;
  const toldAt = body.timestamp === undefined ? null : toInstant(body.timestamp);
  const isCopy = (loss: ToldLoss) => loss.at === at || (toldAt !== null && loss.toldAt === toldAt && loss.at < at);
  if (before.losses.some(isCopy)) return before;
  const backAt = firstAfter(before.runs, at);
  const isSharp = reason !== null && !waitedInVain.test(reason);
  const loss: ToldLoss = { at, toldAt, isSharp, backAt, isBackSharp: false };
  return bounded({ ...before, losses: [...before.losses, loss].toSorted((a, b) => (a.at < b.at ? -1 : 1)) });
}

/** The first sighting after an instant that is known for certain. */
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

/** The sightings without what was over before `since`. */
function prunedTo({ runs, losses }: Sightings, since: Instant): Sightings {
  return {
    since,
    runs: runs.filter(({ to }) => to >= since),
    losses: losses.filter(({ backAt }) => backAt === null || backAt >= since),
  };
}

/**
 * The last sighting that is known at an instant, or an instant before it: of those between the ends of a run it is known only how far apart
 * they are. `isLast`: no other one followed before the next run.
 */
export function seenBefore({ runs }: Sightings, at: Instant, close: number): { at: Instant; isLast: boolean } | null {
  const run = runs.findLast(({ from }) => from <= at);
  if (!run) return null;
  if (run.to <= at) return { at: run.to, isLast: true };
  return { at: later(run.from, plus(at, -close)), isLast: false };
}

export function seenAs<Device extends Seen>(device: Device, sightings: Sightings): Device {
  return device.sightings === sightings ? device : { ...device, sightings };
}

/** Whether the sightings say more than before, and not only that there is nothing to remember. */
export function isNewsOf(before: Seen, sightings: Sightings): boolean {
  return before.sightings !== undefined && before.sightings !== sightings;
}
