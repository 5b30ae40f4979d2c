import { isSignOfLife } from './check-devices.ts';
import type { Span, Trails } from './check-trails.ts';
import { commitMs, type Findings } from './records.ts';
import type { Run, Sent } from './simulation.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** A loss counts after five minutes. A camera that reports each minute is silent after seven, and sightings have a resolution of two minutes. */
const lostMs = 5 * minute;
const silentMs = 7 * minute;
const coarseMs = 2 * minute;
/** A loss that the broker reported and no sign of life contradicted is declared after this time, even if the horizon is further behind. */
const declaredAnywayMs = 15 * minute;
/** A message that is published this soon after a loss was already on its way, so it does not contradict the loss. */
const settleMs = 5 * second;
/**
 * An alert begins at most `boundMs` after the horizon allows it in calm weather. With lost sweeps and store outages it takes at most `stormMs`, or
 * longer if fewer than `stormSweeps` sweeps ran in that time.
 */
const boundMs = 2 * minute + 10 * second;
const stormMs = 12 * minute;
const stormSweeps = 8;
/** The duration of a sweep with slow calls. */
const sweepMs = 45 * second;

/** Compares what the platform claims to see with what was published, without using the service's device records. */
export function checkSight(findings: Findings, run: Run, trails: Trails): void {
  const horizonAt = horizonOf(run);
  checkHorizon(findings, run);
  const byDevice = Map.groupBy(run.sent, ({ deviceId }) => deviceId);
  for (const { deviceId } of run.story.cameras) {
    const sent = byDevice.get(deviceId) ?? [];
    const spans = trails.spans.get(`${deviceId} CONN_001`) ?? [];
    for (const span of spans) checkDeclared(findings, sent, span, horizonAt);
    checkOverdue(findings, run, sent, spans);
    for (const code of codes) checkRaisedAgain(findings, sent, code, trails.spans.get(`${deviceId} ${code}`) ?? []);
  }
  checkSamples(findings, run, byDevice, horizonAt);
}

/** In calm weather the horizon is never far behind. */
function checkHorizon(findings: Findings, { horizons, weather }: Run): void {
  for (const { at, horizonAt, state } of horizons) {
    if (at < weather.calmFrom + 15 * minute) continue;
    if (at - horizonAt > 3 * minute || state === 'blind') {
      findings.wrong.push(`horizon ${iso(horizonAt)} (${state}) at ${iso(at)}, in clear sight`);
    }
  }
}

/** The horizon that the service claimed at a time. */
function horizonOf({ horizons }: Run): (at: number) => number {
  return (at) => {
    const index = horizons.findLastIndex((each) => each.at <= at);
    return horizons[index]?.horizonAt ?? 0;
  };
}

/** No device may be declared lost that had reported before the horizon. */
function checkDeclared(findings: Findings, sent: Sent[], { alertId, begin }: Span, horizonAt: (at: number) => number) {
  if (begin.who !== 'system' && begin.who !== 'device') return;
  const at = Date.parse(begin.recordedAt);
  const horizon = horizonAt(at + commitMs);
  const livedIn = (from: number, until: number, isHandled = false) =>
    sent.some(
      (each) =>
        isSignOfLife(each) &&
        each.at > from &&
        each.at <= until &&
        (!isHandled || (each.publication.ackedAt ?? Number.POSITIVE_INFINITY) < at - commitMs),
    );
  if (!livedIn(horizon - silentMs, horizon)) return;
  const losses = sent.filter(isLoss).filter((loss) => loss.at <= at - lostMs);
  // The loss is declared anyway 15 minutes after it was handled, if no later message contradicts it.
  const isDeclaredAnyway = ({ at: lostAt, publication }: Sent) =>
    (publication.takenAt ?? Number.POSITIVE_INFINITY) <= at - declaredAnywayMs && !livedIn(lostAt + settleMs, at, true);
  const isLost = losses.some((loss) => loss.at + lostMs <= horizon && !livedIn(loss.at + settleMs, horizon));
  // A loss that was over when the horizon passed it is recorded with its own time: the camera had said nothing for all of the five minutes.
  const isPast = ({ at: lostAt }: Sent) =>
    lostAt + lostMs === Date.parse(begin.at) && !livedIn(lostAt + settleMs, lostAt + lostMs);
  if (isLost || losses.some(isDeclaredAnyway) || losses.some(isPast)) return;
  findings.wrong.push(
    `CONN_001 ${alertId} of ${sent[0]?.deviceId} at ${begin.recordedAt}, which had reported before ${iso(horizon)}`,
  );
}

function isLoss({ kind, body, isRetained, isPoison }: Sent): boolean {
  const { status, reason } = body as { status?: string; reason?: string };
  return kind === 'connection' && status === 'offline' && !reason && !isRetained && !isPoison;
}

/** Every real loss and every real silence has an alert within the bounds, after the horizon has passed it. */
function checkOverdue(findings: Findings, run: Run, sent: Sent[], spans: Span[]): void {
  const lives = sent.filter((each) => isSignOfLife(each));
  for (const [index, last] of lives.entries()) {
    const backAt = lives[index + 1]?.at ?? run.endedAt;
    const loss = sent.find((each) => isLoss(each) && each.at > last.at && each.at < backAt);
    const takenAt = last.publication.ackedAt ?? Number.POSITIVE_INFINITY;
    const statedAt = loss?.publication.ackedAt ?? Number.POSITIVE_INFINITY;
    const silentAt = passedAt(run, last.at + silentMs + coarseMs, takenAt);
    // If the broker reports the loss before the silence is due, the camera counts as connected until then, and only the loss is checked.
    const silent = silentAt !== null && statedAt < silentAt - commitMs ? null : silentAt;
    const lost = loss ? passedAt(run, loss.at + lostMs, statedAt) : null;
    for (const [what, dueAt] of [
      ['silence', silent],
      ['loss', lost],
    ] as const) {
      if (dueAt === null) continue;
      const until = boundOf(run, dueAt);
      if (until >= backAt || until >= run.endedAt) continue;
      const isRaised = spans.some(
        ({ begin, end }) =>
          Date.parse(begin.recordedAt) <= until && (end === null || Date.parse(end.recordedAt) >= last.at - hour),
      );
      if (!isRaised)
        findings.lost.push(`CONN_001 for the ${what} of ${last.deviceId} since ${iso(last.at)}, due ${iso(dueAt)}`);
    }
  }
}

/**
 * The first sweep from which the horizon stayed past an instant, after the message was handled. Null: there is none. The horizon moves back if the
 * fleet falls silent together, and nothing is declared in that time.
 */
function passedAt(run: Run, instant: number, takenAt: number): number | null {
  let since: number | null = null;
  for (const { at, horizonAt } of run.horizons) {
    if (since !== null && at > boundOf(run, since)) break;
    since = horizonAt < instant ? null : (since ?? (at >= takenAt ? at : null));
  }
  return since;
}

/** The latest time at which an alert may begin that was possible from `dueAt` on. */
function boundOf({ horizons, weather }: Run, dueAt: number): number {
  if (dueAt > weather.calmFrom) return dueAt + boundMs;
  const next = horizons.findIndex(({ at }) => at > dueAt);
  const last = next < 0 ? undefined : horizons[next + stormSweeps - 1];
  return Math.max(dueAt + stormMs, (last?.at ?? Number.POSITIVE_INFINITY) + sweepMs);
}

/** For each code, which messages are new evidence after an instant at which a person resolved the alert. */
const evidence: Record<string, (sent: Sent, since: number) => boolean> = {
  // A loss of a connection that began later: the camera was online in between, even if that was not reported.
  CONN_001: (sent, since) =>
    isSignOfLife(sent) ||
    (isLoss(sent) && Date.parse((sent.body as { connectedAt?: string }).connectedAt ?? '') > since),
  CONN_003: ({ kind, body }) => kind === 'status' && (body as { mqtt?: unknown }).mqtt !== undefined,
  RES_001: ({ kind, body }) => kind === 'status' && (body as { memory?: unknown }).memory !== undefined,
  RES_002: ({ kind, body }) => kind === 'status' && (body as { memory?: unknown }).memory !== undefined,
  RES_003: ({ kind, body }) => kind === 'status' && (body as { storage?: unknown }).storage !== undefined,
  SEC_001: (sent) =>
    typeOf(sent) === 'certificate_validation_failed' ||
    (sent.body as { certificate?: unknown }).certificate !== undefined,
  SEC_002: (sent) => typeOf(sent) === 'unauthorized_broker_attempt',
  SEC_004: ({ kind, body }) => kind === 'status' && (body as { auth?: unknown }).auth !== undefined,
  CFG_001: ({ kind }) => kind === 'guardian',
  CFG_003: ({ kind }) => kind === 'guardian',
};
const codes = Object.keys(evidence);

function typeOf({ kind, body }: Sent): string | undefined {
  return kind === 'event' ? (body as { type?: string }).type : undefined;
}

/** An alert that a person resolved is only raised again by messages that are handled afterwards. */
function checkRaisedAgain(findings: Findings, sent: Sent[], code: string, spans: Span[]): void {
  for (const [index, { end }] of spans.entries()) {
    const next = spans[index + 1]?.begin;
    if (end?.action !== 'resolve' || !next || next.action === 'reopen') continue;
    if (code === 'CONN_001' && isOnlineAt(sent, Date.parse(end.recordedAt))) continue;
    const [from, until] = [Date.parse(end.recordedAt) - commitMs, Date.parse(next.recordedAt) + commitMs];
    const isNew = sent.some((each) => {
      const takenAt = each.publication.ackedAt ?? Number.POSITIVE_INFINITY;
      return !each.isPoison && evidence[code]?.(each, from) === true && takenAt >= from && each.at <= until;
    });
    if (!isNew) findings.wrong.push(`${code} of ${next.deviceId} raised again at ${next.recordedAt} by nothing new`);
  }
}

/** Whether the camera counted as online at a time. If a person resolved the alert then, a later silence is a new loss without new messages. */
function isOnlineAt(sent: Sent[], at: number): boolean {
  const last = sent.findLast((each) => isSignOfLife(each) && (each.publication.ackedAt ?? at) < at);
  return (
    last !== undefined &&
    at - last.at < silentMs + coarseMs &&
    !sent.some((each) => isLoss(each) && each.at > last.at && each.at <= at)
  );
}

/** The API never shows a device as online that is overdue by the horizon or, while the platform is blind, by the clock. */
function checkSamples(
  findings: Findings,
  { samples, horizons, weather }: Run,
  byDevice: Map<string, Sent[]>,
  horizonAt: (at: number) => number,
): void {
  for (const { deviceId, from, until, state } of samples) {
    if (state !== 'online') continue;
    const said = (byDevice.get(deviceId) ?? []).filter((each) => isSignOfLife(each) && each.at <= until);
    const lastAt = said.at(-1)?.at ?? 0;
    const slack = from > weather.calmFrom ? boundMs : stormMs;
    const overdueAt = lastAt + silentMs + coarseMs;
    if (horizonAt(from - slack) >= overdueAt) {
      findings.wrong.push(`${deviceId} is called online at ${iso(from)}, last heard of at ${iso(lastAt)}`);
    }
    const index = horizons.findLastIndex(({ at }) => at <= from);
    const [sight, later] = [horizons[index], horizons[index + 1]];
    const isBlind = sight?.state === 'blind' && (later === undefined || later.at > until || later.state === 'blind');
    if (isBlind && from > overdueAt) {
      findings.wrong.push(
        `${deviceId} is called online at ${iso(from)} by a blind platform, last heard of at ${iso(lastAt)}`,
      );
    }
  }
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
