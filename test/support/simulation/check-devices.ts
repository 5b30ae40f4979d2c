import type { Trails } from './check-trails.ts';
import { commitMs, type Findings } from './records.ts';
import type { Run, Sent } from './simulation.ts';
import { longGap } from './story.ts';

const minute = 60_000;
const hour = 60 * minute;

type Body = {
  memory?: { usedPercent: number };
  storage?: { freeMegabytes: number };
  mqtt?: { latencyMs: number };
  certificate?: { valid: boolean };
  auth?: { failedAttempts: number };
};

/** The codes that must be open after a status report, and those that must not, according to the alert catalogue. */
export function readCatalogue(body: Body): { open: string[]; shut: string[] } {
  const open: string[] = [];
  const shut: string[] = [];
  const memory = body.memory?.usedPercent;
  if (memory !== undefined) {
    // Begins above 90 and ends at 85 (critical); begins above 80 and ends at 75 (high).
    if (memory > 90) open.push('RES_001');
    else if (memory <= 85) shut.push('RES_001');
    if (memory > 80 && memory <= 85) open.push('RES_002');
    else if (memory <= 75 || memory > 90) shut.push('RES_002');
  }
  const storage = body.storage?.freeMegabytes;
  if (isReadable(storage) && storage < 100) open.push('RES_003');
  if (isReadable(storage) && storage >= 120) shut.push('RES_003');
  const latency = body.mqtt?.latencyMs;
  if (isReadable(latency) && latency > 500) open.push('CONN_003');
  if (isReadable(latency) && latency < 400) shut.push('CONN_003');
  if (body.certificate) (body.certificate.valid ? shut : open).push('SEC_001');
  if ((body.auth?.failedAttempts ?? 0) >= 5) open.push('SEC_004');
  return { open, shut };
}

function isReadable(value: unknown): value is number {
  return typeof value === 'number' && value >= 0;
}

/** After each report that was the newest of its device when it was handled, the device's alerts must match the catalogue. */
export function checkAtAcknowledgement(findings: Findings, run: Run, trails: Trails): void {
  const ends = isOpenWith(trails);
  for (const [deviceId, sent] of Map.groupBy(run.sent, (each) => each.deviceId)) {
    let heardUntil = 0;
    for (const [index, each] of sent.entries()) {
      const isInOrder = heardUntil <= each.at;
      heardUntil = Math.max(heardUntil, each.publication.ackedAt ?? Number.POSITIVE_INFINITY);
      const { at, kind, isPoison, publication, messageId } = each;
      const ackedAt = publication.ackedAt;
      const nextAt = sent[index + 1]?.at ?? Number.POSITIVE_INFINITY;
      if (isPoison || ackedAt === null || nextAt <= ackedAt) continue;
      const wanted = kind === 'status' ? readCatalogue(each.body as Body) : { open: [], shut: [] };
      if (isSignOfLife(each)) wanted.shut.push('CONN_001');
      const name = `message ${messageId} (${kind}) of ${deviceId}, acknowledged at ${new Date(ackedAt).toISOString()}`;
      for (const code of wanted.open) {
        if (ends(deviceId, code, ackedAt, at) === 'shut') findings.lost.push(`${name}: ${code} is not open`);
      }
      // An unchanged report is not always written, so an older one that is handled later may count as the newest until the next report (decision
      // 0007).
      for (const code of isInOrder ? wanted.shut : []) {
        if (ends(deviceId, code, ackedAt, at) === 'open') findings.wrong.push(`${name}: ${code} is open`);
      }
    }
    checkLosses(findings, deviceId, sent, trails, run.horizons);
  }
}

/** Whether a message shows that the camera is alive: `online`, or a message of its own. Of unreadable ones only a status report without an id. */
export function isSignOfLife({ kind, body, isRetained, isPoison }: Sent): boolean {
  if (isRetained || kind === 'guardian') return false;
  if (isPoison) return kind === 'status' && !('deviceId' in (body as object));
  return kind !== 'connection' || (body as { status: string }).status === 'online';
}

/**
 * Whether an alert of a code was open at `at`. `either`: both are correct, because a person reopened it, because it is flapping, or because a person
 * resolved it at most an hour before `since`. An entry has the time of its decision, and its commit may come after the report.
 */
function isOpenWith({ spans }: Trails) {
  return (deviceId: string, code: string, at: number, since: number): 'open' | 'shut' | 'either' => {
    const time = new Date(at).toISOString();
    const muteBegins = new Date(since - hour).toISOString();
    const reopenBegins = new Date(since - commitMs).toISOString();
    let state: 'open' | 'shut' = 'shut';
    for (const { begin, end } of spans.get(`${deviceId} ${code}`) ?? []) {
      if (begin.recordedAt > time) break;
      // An alert that a person reopened stays open until its condition begins and ends again.
      if (begin.action === 'reopen' && (end === null || end.recordedAt > time || begin.recordedAt >= reopenBegins)) {
        return 'either';
      }
      // A flapping alert stays open until it has been quiet for ten minutes.
      if (begin.changes.flapping === true && (end === null || end.recordedAt > time)) return 'either';
      if (end?.action === 'resolve' && end.recordedAt >= muteBegins && end.recordedAt <= time) return 'either';
      if (end === null || end.recordedAt > time) state = 'open';
    }
    return state;
  };
}

/** A loss is declared this long after it was handled, even if the horizon lags. If its wake was lost, one of this many sweeps declares it. */
const declaredAnywayMs = 15 * minute;
const someSweeps = 5;

/** A connection that stayed lost for much longer than five minutes must have opened an alert before it returned. */
function checkLosses(
  findings: Findings,
  deviceId: string,
  sent: Sent[],
  { spans }: Trails,
  horizons: Run['horizons'],
): void {
  const list = spans.get(`${deviceId} CONN_001`) ?? [];
  for (const [index, { at, kind, body, publication, isRetained }] of sent.entries()) {
    const { status, reason } = body as { status?: string; reason?: string };
    if (kind !== 'connection' || status !== 'offline' || reason || isRetained || publication.ackedAt === null) continue;
    const backAt = sent[index + 1]?.at ?? Number.POSITIVE_INFINITY;
    if (backAt - at < longGap || publication.ackedAt > at + 5 * minute) continue;
    const statedAt = publication.ackedAt + declaredAnywayMs;
    if (horizons.filter((sweep) => sweep.at > statedAt && sweep.at < backAt).length < someSweeps) continue;
    const [from, until, muteBegins] = [at, backAt, at - hour].map((ms) =>
      Number.isFinite(ms) ? new Date(ms).toISOString() : '9',
    );
    const isMuted = list.some(({ end }) => end?.action === 'resolve' && end.recordedAt > (muteBegins ?? ''));
    const isRaised = list.some(
      ({ begin, end }) => begin.recordedAt <= (until ?? '') && (end === null || end.recordedAt > (from ?? '')),
    );
    if (!isRaised && !isMuted) findings.lost.push(`${deviceId}: CONN_001 for the loss at ${from}`);
  }
}

/** At the end, after all messages and waiting times, exactly the alerts whose conditions hold must be open. */
export function checkAtTheEnd(findings: Findings, run: Run, { spans }: Trails): void {
  const byDevice = Map.groupBy(run.sent, ({ deviceId }) => deviceId);
  for (const { deviceId, fate, final } of run.story.cameras) {
    const sent = byDevice.get(deviceId) ?? [];
    const wanted: Record<string, boolean | null> = {
      CONN_001: fate !== 'lives',
      CONN_002: false,
      SEC_002: isUnderAttack(sent, spans.get(`${deviceId} SEC_002`) ?? []),
      SEC_003: false,
      SEC_004: false,
      ...guarded(sent),
      ...(fate === 'lives'
        ? {
            RES_001: final.memory > 90,
            RES_002: final.memory > 80 && final.memory <= 90,
            RES_003: final.storage < 100,
            CONN_003: final.latency > 500,
            SEC_001: !final.isCertified,
          }
        : {}),
    };
    for (const [code, isWanted] of Object.entries(wanted)) {
      const last = spans.get(`${deviceId} ${code}`)?.at(-1);
      const isOpen = last?.end === null;
      // An alert that a person reopened stays open until the device reports.
      if (isOpen && last.begin.action === 'reopen') continue;
      // A camera that is lost does not reconnect, so how often it did is judged when it is back.
      if (isOpen && code === 'CONN_002' && spans.get(`${deviceId} CONN_001`)?.at(-1)?.end === null) continue;
      // Time alone does not reopen an alert that a person resolved.
      const needsSighting = ['CONN_001', 'CFG_001', 'CFG_002'].includes(code) && last?.end?.action === 'resolve';
      if (isWanted && !isOpen && !needsSighting)
        findings.lost.push(`${deviceId} (${fate}): ${code} is not open at the end`);
      if (isOpen && isWanted === false) findings.wrong.push(`${deviceId} (${fate}): ${code} is open at the end`);
    }
  }
}

/**
 * Whether SEC_002 must be open. Only a person resolves it, and every event that is handled afterwards opens it again, whenever it was published. (A
 * move to another group ends the alert and opens a new one.) Null: both are correct, because an event was handled within `commitMs` of that moment.
 */
function isUnderAttack(sent: Sent[], spans: { end: { action: string; recordedAt: string } | null }[]): boolean | null {
  const closings = spans.flatMap(({ end }) => (end?.action === 'resolve' ? [Date.parse(end.recordedAt)] : []));
  const closedAt = Math.max(0, ...closings);
  const takenAt = sent.flatMap(({ kind, body, publication }) => {
    const isAttempt = kind === 'event' && (body as { type: string }).type === 'unauthorized_broker_attempt';
    return isAttempt ? [publication.ackedAt ?? Number.POSITIVE_INFINITY] : [];
  });
  if (takenAt.some((at) => at > closedAt + commitMs)) return true;
  return takenAt.some((at) => at > closedAt - commitMs) ? null : false;
}

/** Which alerts about drifts, heals and conflicts must be open, from the guardian's messages in the order of its own clock. */
function guarded(sent: Sent[]): Record<string, boolean> {
  type Notified = {
    alertCode: string;
    timestamp: string;
    drift?: { fields: { name: string }[] };
    heal?: { fieldsRestored: string[] };
  };
  const notified = sent
    .filter(({ kind, isPoison }) => kind === 'guardian' && !isPoison)
    .map(({ body }) => body as Notified);
  const drifted = new Set<string>();
  for (const { drift, heal } of notified.toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : 1))) {
    for (const { name } of drift?.fields ?? []) drifted.add(name);
    for (const name of heal?.fieldsRestored ?? []) drifted.delete(name);
  }
  // A heal counts for a day, a conflict for an hour: the story ended more than two hours ago and began less than a day ago.
  return { CFG_001: drifted.size > 0, CFG_002: notified.some(({ heal }) => heal !== undefined), CFG_003: false };
}
