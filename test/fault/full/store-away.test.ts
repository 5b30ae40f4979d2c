import { afterAll, beforeAll, expect, test } from 'vitest';
import { topics } from '../../../local/cloud/environment.ts';
import { connectPubSub } from '../../../local/cloud/push/publisher.ts';
import { freePorts } from '../../../local/machine/ports.ts';
import { type Stack, startStack } from '../../../local/stack/stack.ts';
import { startTcpProxy, type TcpProxy } from '../../support/faults/tcp-proxy.ts';
import { detection } from '../../support/records/detections.ts';
import { ledger } from '../../support/score/score.ts';
import { compareOnce, type Findings } from '../../support/simulation/records.ts';
import { receiverOf } from '../../support/stack/receiver.ts';
import { callerOf, until } from '../../support/stack/stack.ts';

const minute = 60_000;
/** `FAULT_AWAY_MINUTES` asks for another length. */
const awayMinutes = Number(process.env['FAULT_AWAY_MINUTES'] ?? 10);
const cameras = 100;
/** Each sends ten messages a minute. */
const everyMs = 6000;

let stack: Stack;
let proxy: TcpProxy;
let api: ReturnType<typeof callerOf>;
beforeAll(async () => {
  const ports = await freePorts();
  proxy = await startTcpProxy(ports.firestore);
  stack = await startStack({ ports, firestoreProxyPort: proxy.port });
  api = callerOf(stack);
});
afterAll(async () => {
  await stack?.stop();
  await proxy?.stop();
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const hook = 'detections';
/** For what was sent last: a busy machine must not fail this. */
const patienceSeconds = 300;

test(`${awayMinutes} minutes without the store, on running processes: nothing is lost or put away`, {
  timeout: (awayMinutes + 25) * minute,
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
    // Every tenth round of the cameras sees something.
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
  const areDelivered = async (wanted: readonly string[]) => {
    const seen = new Set(await delivered());
    return wanted.every((session) => seen.has(session));
  };
  await pause(minute / 2);
  proxy.hold('to-server');
  await pause(awayMinutes * minute);
  const waited = [...sessions];
  proxy.release();
  proxy.cut();
  const backAt = Date.now();
  await until('what waited', () => areDelivered(waited), 600);
  const tookMs = Date.now() - backAt;
  clearInterval(timer);
  await Promise.all(sent);
  await until(
    'the last of each camera',
    async () => {
      const { body } = await api.get('/v1/devices?pageSize=200');
      const behind = body.devices.filter(
        ({ deviceId, firmware }: Record<string, string>) => newest.get(deviceId ?? '') !== firmware,
      );
      if (Math.random() < 0.03)
        console.log(
          body.devices.length,
          'behind',
          behind.length,
          JSON.stringify(
            behind
              .slice(0, 3)
              .map((d: Record<string, string>) => [
                d['deviceId'],
                d['firmware'],
                newest.get(d['deviceId'] ?? ''),
                d['lastSeenAt'],
              ]),
          ),
        );
      return behind.length === 0;
    },
    patienceSeconds,
  );
  await until('the last detections', () => areDelivered(sessions), patienceSeconds);
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
