import { checkLedger, checkOwed, checkSequences } from './check-deliveries.ts';
import { checkAtAcknowledgement, checkAtTheEnd } from './check-devices.ts';
import { checkSight } from './check-sight.ts';
import { checkTrails, readTrails, type Trails } from './check-trails.ts';
import { commitMs, compareOnce, type Findings, type Kept, readKept } from './records.ts';
import type { Run } from './simulation.ts';

export type Checked = Findings & {
  tried: number;
  ledger: { sent: number; completed: number; failed: number; held: number };
  /** Requests beyond the first success of each delivery. */
  repeats: number;
};

/**
 * Compares everything that was sent with the stored records and the receivers' requests. Written only from the contract and the design; it calls no
 * code of the service.
 */
export async function check(run: Run): Promise<Checked> {
  const findings: Findings = { lost: [], wrong: [], doubled: [] };
  const kept = await readKept(run.store);
  const trails = readTrails(kept);
  checkMessages(findings, run, kept);
  checkTrails(findings, run, kept, trails);
  checkAtAcknowledgement(findings, run, trails);
  checkAtTheEnd(findings, run, trails);
  checkSight(findings, run, trails);
  checkOwed(findings, run, kept, trails);
  checkSequences(findings, kept);
  checkActions(findings, run, kept, trails);
  const ledger = checkLedger(findings, run, kept);
  const takenOf = Map.groupBy(
    run.requests.filter(({ isTaken }) => isTaken),
    ({ deliveryId }) => deliveryId,
  );
  const repeats = [...takenOf.values()].reduce((sum, taken) => sum + taken.length - 1, 0);
  return { ...findings, tried: run.sent.length + run.actions.length, ledger, repeats };
}

/** Every message was handled and left exactly one record of its kind. */
function checkMessages(findings: Findings, run: Run, kept: Kept): void {
  for (const { messageId, deviceId, kind, publication } of run.sent) {
    if (publication.ackedAt === null) findings.lost.push(`message ${messageId} (${kind}) of ${deviceId}: never taken`);
  }
  const cameras = new Set(run.story.cameras.map(({ deviceId }) => deviceId));
  for (const { deviceId } of kept.devices) if (!cameras.has(deviceId)) findings.wrong.push(`${deviceId} is registered`);
  const good = run.sent.filter(({ isPoison }) => !isPoison);
  const poison = run.sent.filter(({ isPoison }) => isPoison);
  const faulty = run.sent.filter(({ fault }) => fault !== undefined);
  const faultyIds = new Set(faulty.map(({ messageId }) => messageId));
  const found = kept.quarantine.map(({ messageId }) => messageId);
  compareOnce(
    findings,
    'quarantined message',
    poison.map(({ messageId }) => messageId).filter((id) => !faultyIds.has(id)),
    found.filter((id) => !faultyIds.has(id)),
  );
  checkFaulty(findings, faulty, found);
  const of = (kind: string) => good.filter((each) => each.kind === kind);
  const sessions = of('detection').map(({ body }) => (body as { session: { id: string } }).session.id);
  compareOnce(
    findings,
    'detection',
    sessions,
    kept.detections.map(({ sessionId }) => sessionId),
  );
  compareOnce(
    findings,
    'detection in the feed',
    sessions,
    kept.events.filter(({ type, topics }) => type === 'detection' && topics.length > 0).map(({ eventId }) => eventId),
  );
  const guardian = of('guardian').map(({ deviceId, body }) => `${deviceId} ${JSON.stringify(body)}`);
  compareOnce(
    findings,
    'guardian alert',
    guardian,
    kept.guardianAlerts.map(({ deviceId, text }) => `${deviceId} ${text}`),
  );
  type Event = { type: string; timestamp: string };
  const events = of('event').map(
    ({ deviceId, body }) => `${deviceId} ${(body as Event).type} ${(body as Event).timestamp}`,
  );
  const lines = kept.activity.filter(({ kind }) => kind === 'event');
  compareOnce(
    findings,
    'event',
    events,
    lines.map(({ deviceId, detail }) => `${deviceId} ${detail['type']} ${detail['timestamp']}`),
  );
  const updates = Map.groupBy(
    of('event').filter(({ body }) => (body as Event).type === 'config_updated'),
    ({ deviceId }) => deviceId,
  );
  const moments = Map.groupBy(
    kept.alerts.filter(({ code }) => code === 'CFG_004'),
    ({ deviceId }) => deviceId,
  );
  for (const { deviceId } of run.story.cameras) {
    const [wanted, found] = [updates.get(deviceId)?.length ?? 0, moments.get(deviceId)?.length ?? 0];
    if (found < wanted) findings.lost.push(`${deviceId}: ${wanted - found} of ${wanted} updates of its configuration`);
    if (found > wanted)
      findings.doubled.push(`${deviceId}: ${found} alerts for ${wanted} updates of its configuration`);
  }
}

/** An unreadable section is stored once per reason, device and hour. */
function checkFaulty(findings: Findings, faulty: Run['sent'], found: readonly string[]): void {
  const isKept = ({ messageId }: Run['sent'][number]) => found.includes(messageId);
  for (const each of faulty) {
    if (found.filter((id) => id === each.messageId).length > 1) {
      findings.doubled.push(`quarantined message ${each.messageId}`);
    }
    const beside = (other: typeof each) =>
      other.deviceId === each.deviceId && other.fault === each.fault && Math.abs(other.at - each.at) < 3_600_000;
    if (!faulty.some((other) => isKept(other) && beside(other))) {
      findings.lost.push(`quarantined message ${each.messageId}`);
    }
  }
}

const targets: Record<string, string> = {
  acknowledge: 'acknowledged',
  resolve: 'resolved',
  reopen: 'active',
  snooze: 'active',
};

/**
 * People's answers are correct: an accepted action is in the trail once or was already in effect; a refused action is not, unless an answer was lost.
 */
function checkActions(findings: Findings, run: Run, { audit }: Kept, trails: Trails): void {
  const byWords = Map.groupBy(audit, ({ why }) => why);
  for (const { name, kind, alertId, answer, tries, startedAt, endedAt } of run.actions) {
    const count = byWords.get(name)?.length ?? 0;
    const what = `${name} ${kind} of ${alertId} (${answer} after ${tries})`;
    // An action may appear twice if its answer was lost and somebody undid it before the retry. A note cannot, because it requires a version.
    if (count > 1 && (tries === 1 || kind === 'add-note')) findings.doubled.push(`${what}: ${count} entries`);
    if (answer !== 'accepted' && answer !== 'unknown' && count > 0 && tries === 1)
      findings.wrong.push(`${what}: it happened`);
    if (answer !== 'accepted' || count > 0) continue;
    const until = new Date(endedAt).toISOString();
    // An entry has the time of its decision; its commit may come this much later.
    const stillHeld = new Date(startedAt - commitMs).toISOString();
    const entries = trails.byAlert.get(alertId) ?? [];
    const held = entries.some(({ to, recordedAt }, index) => {
      const leftAt = entries[index + 1]?.recordedAt ?? '9';
      return to === targets[kind] && recordedAt <= until && leftAt >= stillHeld;
    });
    if (!held) findings.lost.push(`${what}: no entry`);
  }
}
