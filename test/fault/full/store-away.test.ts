import { afterAll, beforeAll, expect, test } from 'vitest';
import { topics } from '../../../local/cloud/environment.ts';
import { connectPubSub } from '../../../local/cloud/push/client.ts';
import { freePorts } from '../../../local/machine/ports.ts';
import { type Stack, startStack } from '../../../local/stack/stack.ts';
import { startTcpProxy, type TcpProxy } from '../../support/faults/tcp-proxy.ts';
import { detection } from '../../support/records/detections.ts';
import { ledger } from '../../support/score/score.ts';
import { compareOnce, type Findings } from '../../support/simulation/records.ts';
import { receiverOf } from '../../support/stack/receiver.ts';
import { callerOf } from '../../support/stack/stack.ts';

const minute = 60_000;
/** `FAULT_AWAY_MINUTES` sets another length. */
const awayMinutes = Number(process.env['FAULT_AWAY_MINUTES'] ?? 10);
const cameras = 100;
/** Each camera sends five messages a minute. With more, a busy machine could not catch up, and the test would measure the machine. */
const everyMs = 12_000;

let stack: Stack;
let proxy: TcpProxy;
let api: ReturnType<typeof callerOf>;
beforeAll(async () => {
  const ports = await freePorts();
  proxy = await startTcpProxy(ports.firestore);
  stack = await startStack({ ports, between: { firestore: proxy.port } });
  api = callerOf(stack);
});
afterAll(async () => {
  await stack?.stop();
  await proxy?.stop();
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const hook = 'detections';
/** How long catching up may make no progress. Its whole duration depends on the machine and is only reported. */
const standstillSeconds = 180;

/** Waits until nothing is behind. Fails if that number stops falling. */
async function caughtUp(what: string, behind: () => Promise<number>): Promise<void> {
  let least = Number.POSITIVE_INFINITY;
  for (let since = Date.now(); ; await pause(1000)) {
    const count = await behind();
    if (count === 0) return;
    if (count < least) since = Date.now();
    least = Math.min(least, count);
    if (Date.now() - since > standstillSeconds * 1000)
      throw new Error(`${what}: ${count} have not come, and no more do`);
  }
}

test(`${awayMinutes} minutes without the store, on running processes: no report is lost or quarantined`, {
  timeout: (awayMinutes + 20) * minute,
}, async () => {
  const receiver = receiverOf(stack);
  const endpoint = { url: receiver.urlOf(hook), events: ['detection'], maxAttempts: 5 };
  expect((await api.call('POST', '/v1/webhooks', { body: endpoint })).status).toBe(201);
  const client = connectPubSub(stack.run.projectId, stack.run.pubsubHost ?? '');
  const topic = client.topic(topics.messages, { messageOrdering: true });
  const sent: Promise<unknown>[] = [];
  const sessions: string[] = [];
  const newest = new Map<string, string>();
  let count = 0;
  const timer = setInterval(() => {
    count += 1;
    const deviceId = `cam-${count % cameras}`;
    // In every tenth round the cameras send a detection.
    const isDetection = Math.floor(count / cameras) % 10 === 5;
    if (isDetection) sessions.push(`session-${count}`);
    else newest.set(deviceId, String(count));
    const body = isDetection
      ? detection(`session-${count}`)
      : { groupId: `site-${count % 4}`, firmware: String(count) };
    const attributes = { deviceId, kind: isDetection ? 'detection' : 'status' };
    sent.push(topic.publishMessage({ data: Buffer.from(JSON.stringify(body)), attributes, orderingKey: deviceId }));
  }, everyMs / cameras);
  const delivered = async () => {
    const seen = await receiver.seen(hook);
    return seen.map(({ body }) => JSON.parse(body).session.id as string);
  };
  const missing = async (wanted: readonly string[]) => {
    const seen = new Set(await delivered());
    return wanted.filter((session) => !seen.has(session)).length;
  };
  await pause(minute / 2);
  proxy.hold('to-server');
  await pause(awayMinutes * minute);
  const waited = [...sessions];
  proxy.release();
  proxy.cut();
  const backAt = Date.now();
  await caughtUp('what waited', () => missing(waited));
  const tookMs = Date.now() - backAt;
  clearInterval(timer);
  await Promise.all(sent);
  await caughtUp('the last of each camera', async () => {
    const { body } = await api.get('/v1/devices?pageSize=200');
    const known = new Map<string, string>(
      body.devices.map(({ deviceId, firmware }: Record<string, string>) => [deviceId, firmware]),
    );
    return [...newest].reduce((sum, [deviceId, last]) => sum + Number(last) - Number(known.get(deviceId) ?? 0), 0);
  });
  await caughtUp('the last detections', () => missing(sessions));
  const findings: Findings = { lost: [], wrong: [], doubled: [] };
  compareOnce(findings, 'detection', sessions, await delivered());
  const { body } = await api.get('/v1/quarantine?status=all');
  const { body: dark } = await api.get('/v1/alerts?status=all&code=CONN_001');
  ledger('R15', `${awayMinutes} min without the store, on processes; caught up in ${(tookMs / 1000).toFixed(0)} s`, {
    tried: count,
    ...{ lost: findings.lost.length, wrong: body.reports.length + dark.alerts.length },
    doubled: findings.doubled.length,
  });
  console.log(`${count} messages, ${sessions.length} detections, caught up in ${(tookMs / 1000).toFixed(0)} s`);
  expect(findings).toEqual({ lost: [], wrong: [], doubled: [] });
  expect([body.reports, dark.alerts]).toEqual([[], []]);
  await client.close();
});
