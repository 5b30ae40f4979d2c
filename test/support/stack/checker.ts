import type { Received } from '../../../local/cloud/receiver/server.ts';
import type { Stack } from '../../../local/stack/stack.ts';
import { connectEmulator } from '../stores/emulator-client.ts';
import { type Expected, expectedOf } from './expected-life.ts';
import type { Life } from './life.ts';
import { receiverOf } from './receiver.ts';
import { callerOf } from './stack.ts';

type Alert = { alertId: string; deviceId: string; code: string; status: string };
type Entry = { alertId: string; action: string; recordedAt: string };
type Delivery = {
  deliveryId: string;
  eventId: string;
  status: string;
  createdAt: string;
  nextAttemptAt: string | null;
  attempts: { at: string; durationMs: number; errorClass: string | null }[];
};

/** The result of a run: findings by kind, in words. `repeats`: requests that a receiver got again with the same id. */
export type Verdict = { lost: string[]; wrong: string[]; doubled: string[]; repeats: number };
/** `lastDoneMs`: the time of the service's last action in its records: a change of an alert, or an attempt. */
export type Judgement = Verdict & { lastDoneMs: number };
/** Hooks for all detections, and hooks for the alerts of one group each, whose name is the group's. */
export type Hooks = { detections: string[]; alerts: string[] };

/**
 * Compares the state of a stack, read by its public API, and the receiver's requests with the plan. Only trails are read from the store, with one
 * query for all, because the emulator reads all of them for each query.
 */
export function openChecker(stack: Stack, lives: readonly Life[], hooks: Hooks, webhookIds: Record<string, string>) {
  const api = callerOf(stack);
  const receiver = receiverOf(stack);
  const page = async <T>(path: string, member: string): Promise<T[]> => {
    const all: T[] = [];
    for (let token = ''; ; ) {
      const { status, body } = await api.get(
        `${path}&pageSize=200${token && `&pageToken=${encodeURIComponent(token)}`}`,
      );
      if (status !== 200) throw new Error(`${path} answered ${status}`);
      all.push(...body[member]);
      token = body.nextPageToken ?? '';
      if (!token) return all;
    }
  };
  const alertFindings = async (verdict: Verdict): Promise<Alert[]> => {
    const alerts = await page<Alert>('/v1/alerts?status=all', 'alerts');
    const byDevice = Map.groupBy(alerts, ({ deviceId }) => deviceId);
    for (const life of lives) judgeLife(life, byDevice.get(life.deviceId) ?? [], verdict);
    return alerts;
  };
  const deliveryFindings = async (verdict: Verdict): Promise<Map<string, Delivery[]>> => {
    const found = new Map<string, Delivery[]>();
    for (const [hook, webhookId] of Object.entries(webhookIds)) {
      const deliveries = await page<Delivery>(`/v1/deliveries?webhookId=${webhookId}`, 'deliveries');
      found.set(hook, deliveries);
      for (const { deliveryId, status, createdAt, nextAttemptAt, attempts } of deliveries) {
        if (status === 'delivered') continue;
        const tries = attempts.map(({ at, durationMs, errorClass }) => `${errorClass} at ${at} after ${durationMs} ms`);
        verdict.lost.push(
          `delivery ${deliveryId} at ${hook} is ${status} since ${createdAt}, next ${nextAttemptAt}, tried: ${tries.join(', ')}`,
        );
      }
    }
    return found;
  };
  return {
    /** A quick check that can be repeated: alerts and deliveries, without trails. */
    async look(): Promise<Verdict> {
      const verdict = emptyVerdict();
      await alertFindings(verdict);
      judgeSessions(lives, hooks, await deliveryFindings(verdict), verdict);
      return verdict;
    },
    /** A complete check, with the trail of each alert and every request. */
    async judge(): Promise<Judgement> {
      const verdict = emptyVerdict();
      const alerts = await alertFindings(verdict);
      const deliveries = await deliveryFindings(verdict);
      judgeSessions(lives, hooks, deliveries, verdict);
      for (const hook of [...hooks.detections, ...hooks.alerts]) {
        judgeRequests(hook, deliveries.get(hook) ?? [], await receiver.seen(hook), verdict);
      }
      const changes = changesSeen((await Promise.all(hooks.alerts.map((hook) => receiver.seen(hook)))).flat());
      const entries = await entriesOf(stack);
      const trails = Map.groupBy(entries, ({ alertId }) => alertId);
      for (const alert of alerts) {
        const trail = trails.get(alert.alertId) ?? [];
        if (!informational.has(alert.code)) judgeTrail(alert, trail, changes, verdict);
      }
      for (const { reportId, reason } of await page<{ reportId: string; reason: string }>(
        '/v1/quarantine?status=all',
        'reports',
      )) {
        verdict.wrong.push(`message ${reportId} is in quarantine: ${reason}`);
      }
      const done = [
        ...entries.map(({ recordedAt }) => Date.parse(recordedAt)),
        ...[...deliveries.values()].flat().flatMap(({ attempts }) => attempts.map(endOf)),
      ];
      return { ...verdict, lastDoneMs: done.reduce((last, at) => Math.max(last, at), 0) };
    },
  };
}

async function entriesOf({ run }: Stack): Promise<Entry[]> {
  const db = connectEmulator(run);
  const { docs } = await db.collection('audit').select('alertId', 'action', 'recordedAt').get();
  await db.terminate();
  return docs.map((doc) => doc.data() as Entry);
}

function endOf({ at, durationMs }: Delivery['attempts'][number]): number {
  return Date.parse(at) + durationMs;
}

const informational = new Set(['CONN_004', 'CFG_004', 'RES_004']);
const isExpectedCode = new Set(['RES_001', 'RES_002', 'RES_003', 'CONN_003', 'SEC_001']);

function emptyVerdict(): Verdict {
  return { lost: [], wrong: [], doubled: [], repeats: 0 };
}

function judgeLife(life: Life, alerts: readonly Alert[], verdict: Verdict): void {
  const { deviceId, steps } = life;
  const events = steps.filter(({ kind }) => kind === 'event').length;
  const notified = alerts.filter(({ code }) => code === 'CFG_004').length;
  if (notified < events) verdict.lost.push(`${deviceId}: ${notified} CFG_004 of ${events}`);
  if (notified > events) verdict.doubled.push(`${deviceId}: ${notified} CFG_004 of ${events}`);
  const expected = expectedOf(life);
  for (const { code } of alerts) {
    if (!informational.has(code) && !isExpectedCode.has(code)) verdict.wrong.push(`${deviceId}: unexpected ${code}`);
  }
  for (const code of isExpectedCode) {
    judgeCode(
      deviceId,
      code,
      expected.find((each) => each.code === code) ?? null,
      alerts.filter((alert) => alert.code === code),
      life.isInOrder,
      verdict,
    );
  }
}

function judgeCode(
  deviceId: string,
  code: string,
  expected: Expected | null,
  found: readonly Alert[],
  isInOrder: boolean,
  { lost, wrong, doubled }: Verdict,
): void {
  const what = `${deviceId} ${code} (${isInOrder ? 'in order' : 'shuffled'})`;
  const open = found.filter(({ status }) => status !== 'resolved');
  if (open.length > 1) doubled.push(`${what}: ${open.length} open at once`);
  // If messages can overtake each other, an alert may have been opened that would not exist in order.
  if (!expected) {
    if (isInOrder ? found.length > 0 : open.length > 0) wrong.push(`${what}: expected none`);
    return;
  }
  const most = Math.max(expected.alerts, isInOrder ? 0 : 1);
  if (found.length > most) doubled.push(`${what}: ${found.length} alerts, expected ${expected.alerts}`);
  if (found.length === 0) {
    if (expected.isSure) lost.push(`${what}: expected ${expected.status}`);
    return;
  }
  if (isInOrder && found.length < expected.alerts) lost.push(`${what}: ${found.length} alerts of ${expected.alerts}`);
  const status = open[0]?.status ?? 'resolved';
  if (status !== expected.status) wrong.push(`${what}: ${status}, expected ${expected.status}`);
}

/** Each detection has one delivery per endpoint. */
function judgeSessions(
  lives: readonly Life[],
  hooks: Hooks,
  deliveries: Map<string, Delivery[]>,
  verdict: Verdict,
): void {
  const sessions = lives.flatMap(({ steps }) =>
    steps.flatMap((step) => (step.kind === 'detections' ? step.sessions.map(({ id }) => id) : [])),
  );
  for (const hook of hooks.detections) {
    const byEvent = Map.groupBy(deliveries.get(hook) ?? [], ({ eventId }) => eventId);
    for (const session of sessions) {
      const pending = byEvent.get(session) ?? [];
      if (pending.length === 0) verdict.lost.push(`detection ${session} has no delivery to ${hook}`);
      if (pending.length > 1) verdict.doubled.push(`detection ${session} has ${pending.length} deliveries to ${hook}`);
    }
  }
}

/** Every delivery arrived. Repetitions have the same id and the same bytes. */
function judgeRequests(hook: string, deliveries: readonly Delivery[], seen: readonly Received[], verdict: Verdict) {
  const byId = Map.groupBy(seen, ({ headers }) => String(headers['x-service-delivery']));
  for (const { deliveryId } of deliveries) {
    const requests = byId.get(deliveryId) ?? [];
    if (requests.length === 0) verdict.lost.push(`delivery ${deliveryId} never came to ${hook}`);
    if (new Set(requests.map(({ body }) => body)).size > 1) verdict.wrong.push(`${deliveryId} came with other bytes`);
    verdict.repeats += Math.max(0, requests.length - 1);
  }
  const known = new Set(deliveries.map(({ deliveryId }) => deliveryId));
  for (const id of byId.keys())
    if (!known.has(id)) verdict.doubled.push(`${hook} saw ${id}, of which there is no delivery`);
}

/** The change in the event that webhooks get for each action of a trail. */
const changeOf: Record<string, string> = {
  open: 'opened',
  return: 'reopened',
  reopen: 'reopened',
  acknowledge: 'acknowledged',
  unacknowledge: 'unacknowledged',
  escalate: 'escalated',
  resolve: 'resolved',
  end: 'resolved',
};

/** Distinct deliveries by alert and change. */
function changesSeen(seen: readonly Received[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { body, headers } of seen) {
    const { alert, change } = JSON.parse(body) as { alert: Alert; change: string };
    const key = `${alert.alertId} ${change}`;
    found.set(key, (found.get(key) ?? new Set()).add(String(headers['x-service-delivery'])));
  }
  return found;
}

/** The receiver got each change of the trail once, and no other. Each trail has one opening. */
function judgeTrail(
  { alertId, deviceId, code }: Alert,
  trail: readonly Entry[],
  changes: Map<string, Set<string>>,
  { lost, doubled }: Verdict,
): void {
  const what = `${deviceId} ${code}`;
  const opened = trail.filter(({ action }) => action === 'open').length;
  if (opened !== 1) doubled.push(`${what}: opened ${opened} times`);
  const kinds = Map.groupBy(
    trail.flatMap(({ action }) => changeOf[action] ?? []),
    (change) => change,
  );
  for (const change of new Set(Object.values(changeOf))) {
    const pending = kinds.get(change)?.length ?? 0;
    const heard = changes.get(`${alertId} ${change}`)?.size ?? 0;
    if (heard < pending) lost.push(`${what}: heard of ${heard} of ${pending} times ${change}`);
    if (heard > pending) doubled.push(`${what}: heard of ${heard} times ${change}, ${pending} in its trail`);
  }
}
