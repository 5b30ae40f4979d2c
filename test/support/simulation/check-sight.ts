import { isSignOfLife } from './check-devices.ts';
import type { Span, Trails } from './check-trails.ts';
import { commitMs, type Findings } from './records.ts';
import type { Run, Sent } from './simulation.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** A loss is one after five minutes; a camera that reports each minute is silent after seven, and is seen two minutes coarse. */
const lostMs = 5 * minute;
const silentMs = 7 * minute;
const coarseMs = 2 * minute;
/** What the broker told and nobody took back is told whatever can be seen. */
const toldAnywayMs = 15 * minute;
/** A sweep that is older than this has stopped. */
const sweptMs = 3 * minute;
/** What comes so soon after a loss was on its way at it. */
const settleMs = 5 * second;
/** An alert begins so much later than the horizon allows at the most, in calm weather; sweeps that are lost and a store that is away add to it. */
const boundMs = 2 * minute + 10 * second;
const stormMs = 12 * minute;

/** How far can be seen: held against what was published, and never against what the service knows of a device. */
export function checkSight(findings: Findings, run: Run, trails: Trails): void {
  const horizonAt = horizonOf(run);
  checkHorizon(findings, run);
  const byDevice = Map.groupBy(run.sent, ({ deviceId }) => deviceId);
  for (const { deviceId } of run.story.cameras) {
    const sent = byDevice.get(deviceId) ?? [];
    const spans = trails.spans.get(`${deviceId} CONN_001`) ?? [];
    for (const span of spans) checkDeclared(findings, run, sent, span, horizonAt);
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

/** Up to when the service said at a time that nothing was missing. */
function horizonOf({ horizons }: Run): (at: number) => number {
  return (at) => {
    const index = horizons.findLastIndex((each) => each.at <= at);
    return horizons[index]?.horizonAt ?? 0;
  };
}

/** Nothing is declared lost that had reported before the horizon. */
function checkDeclared(
  findings: Findings,
  run: Run,
  sent: Sent[],
  { alertId, begin }: Span,
  horizonAt: (at: number) => number,
) {
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
  // Told all the same after 15 minutes, if nothing that was heard took it back; one that was heard late only if nothing was sent in them.
  const isSwept = run.horizons.some((each) => each.at <= at && each.at > at - sweptMs);
  const isToldAnyway = (loss: Sent) =>
    loss.at <= at - toldAnywayMs &&
    (isSwept && loss.at >= horizon
      ? !livedIn(loss.at + settleMs, loss.at + toldAnywayMs)
      : !livedIn(loss.at + settleMs, at, true));
  const isLost = losses.some((loss) => loss.at + lostMs <= horizon && !livedIn(loss.at + settleMs, horizon));
  if (isLost || losses.some(isToldAnyway)) return;
  findings.wrong.push(
    `CONN_001 ${alertId} of ${sent[0]?.deviceId} at ${begin.recordedAt}, which had reported before ${iso(horizon)}`,
  );
}

function isLoss({ kind, body, isRetained, isPoison }: Sent): boolean {
  const { status, reason } = body as { status?: string; reason?: string };
  return kind === 'connection' && status === 'offline' && !reason && !isRetained && !isPoison;
}

/** Every real loss and every real silence is an alert within the bounds, once the horizon has passed them. */
function checkOverdue(findings: Findings, run: Run, sent: Sent[], spans: Span[]): void {
  const lives = sent.filter((each) => isSignOfLife(each));
  for (const [index, last] of lives.entries()) {
    const backAt = lives[index + 1]?.at ?? run.endedAt;
    const loss = sent.find((each) => isLoss(each) && each.at > last.at && each.at < backAt);
    const takenAt = last.publication.ackedAt ?? Number.POSITIVE_INFINITY;
    const silent = passedAt(run, last.at + silentMs + coarseMs, takenAt);
    const lost = loss ? passedAt(run, loss.at + lostMs, loss.publication.ackedAt ?? Number.POSITIVE_INFINITY) : null;
    for (const [what, dueAt] of [
      ['silence', silent],
      ['loss', lost],
    ] as const) {
      if (dueAt === null) continue;
      const until = dueAt + (dueAt > run.weather.calmFrom ? boundMs : stormMs);
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

/** When the horizon passed an instant, and what told of it had been taken; null: never. */
function passedAt({ horizons }: Run, instant: number, takenAt: number): number | null {
  const passed = horizons.find(({ at, horizonAt }) => horizonAt >= instant && at >= takenAt);
  return passed ? Math.max(passed.at, takenAt) : null;
}

/** Codes that only what a device says raises, and the messages that can be evidence of each. */
const evidence: Record<string, (sent: Sent) => boolean> = {
  CONN_001: (sent) => isSignOfLife(sent),
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

/** What a person has resolved is raised again only by what was taken in after that. */
function checkRaisedAgain(findings: Findings, sent: Sent[], code: string, spans: Span[]): void {
  for (const [index, { end }] of spans.entries()) {
    const next = spans[index + 1]?.begin;
    if (end?.action !== 'resolve' || !next || next.action === 'reopen') continue;
    const [from, until] = [Date.parse(end.recordedAt) - commitMs, Date.parse(next.recordedAt) + commitMs];
    const isNew = sent.some((each) => {
      const takenAt = each.publication.ackedAt ?? Number.POSITIVE_INFINITY;
      return !each.isPoison && evidence[code]?.(each) === true && takenAt >= from && each.at <= until;
    });
    if (!isNew) findings.wrong.push(`${code} of ${next.deviceId} raised again at ${next.recordedAt} by nothing new`);
  }
}

/** Nothing is called online that the horizon shows overdue, nor, while the platform is blind, what is overdue by the clock. */
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
