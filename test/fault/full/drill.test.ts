import { FieldValue, type Firestore } from '@google-cloud/firestore';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { documentedAccess } from '../../../local/brokers/accounts.ts';
import { startBroker } from '../../../local/brokers/broker.ts';
import { accountsOf, addressOf } from '../../../local/cloud/environment.ts';
import { createIdentityTokens } from '../../../local/cloud/identity-tokens.ts';
import type { Service } from '../../../local/machine/http-server.ts';
import { freePorts, type PortName } from '../../../local/machine/ports.ts';
import { type Stack, startStack } from '../../../local/stack/stack.ts';
import type { DrillRecord } from '../../../shared/domain/drill/drill.ts';
import { waitsAt } from '../../../shared/domain/limits.ts';
import { type DrillHop, drillHops } from '../../../shared/schema/vocabulary.ts';
import { startTcpProxy, type TcpProxy } from '../../support/faults/tcp-proxy.ts';
import { freePort } from '../../support/net/free-port.ts';
import { ledger } from '../../support/score/score.ts';
import { receiverOf } from '../../support/stack/receiver.ts';
import { callerOf, until } from '../../support/stack/stack.ts';
import { connectEmulator } from '../../support/stores/emulator-client.ts';

/** An hour in two minutes: a round is judged 10 s after it began. */
const timeScale = 30;
const { drillEvery, drillPatience } = waitsAt(timeScale);
/** Additional time for a busy machine. */
const slackSeconds = 60;
const room = 'drill-room';
const smsPath = '2010-04-01/Accounts/ACwatchpost/Messages.json';
const proxied = ['pubsub', 'mqtt', 'tasks', 'smtp', 'inboxTls'] as const satisfies PortName[];

let stack: Stack;
let api: ReturnType<typeof callerOf>;
let store: Firestore;
let nowhere: number;
/** A broker that accepts every message, but has no bridge. */
let bridgeless: Service;
const way = {} as Record<(typeof proxied)[number], TcpProxy>;
beforeAll(async () => {
  const ports = await freePorts();
  nowhere = await freePort();
  for (const name of proxied) way[name] = await startTcpProxy(ports[name]);
  const between = Object.fromEntries(proxied.map((name) => [name, way[name].port]));
  const chats = [{ kind: 'slack', url: `https://localhost:${ports.receiver}/${room}` }];
  const targets = { emails: ['drill@example.com'], phones: ['+46700000001'], chats };
  const env = { ...process.env, DRILL_TARGETS: JSON.stringify(targets) };
  stack = await startStack({ ports, between, timeScale, env });
  api = callerOf(stack);
  store = connectEmulator(stack.run);
  bridgeless = await startBroker({ port: 0, access: documentedAccess(stack.run.accountsKey) });
});
afterAll(async () => {
  await store?.terminate();
  await stack?.stop();
  await Promise.all([bridgeless?.stop(), ...Object.values(way).map((proxy) => proxy.stop())]);
});

/** What an operator sees. */
const shown = async () => (await api.get('/v1/fleet')).body.platform.drill as { state: string; hop: DrillHop | null };

/** Starts a round as the scheduler does, and waits until it has been judged. */
async function round(): Promise<DrillHop | null> {
  const deadline = addressOf(stack.ports, 'deadline');
  const tokens = createIdentityTokens(stack.run.issuer);
  const read = async () => (await store.doc('drills/standing').get()).data() as DrillRecord | undefined;
  const begun = await until(
    'a round that begins',
    async () => {
      const headers = { Authorization: `Bearer ${await tokens(accountsOf(stack.run.projectId).scheduler, deadline)}` };
      const before = await read();
      const answer = await fetch(`${deadline}/drill`, { method: 'POST', headers });
      await answer.arrayBuffer();
      const now = await read();
      return now && now.startedAt !== before?.startedAt ? now.startedAt : null;
    },
    drillPatience / 1000 + slackSeconds,
  );
  const judged = async () => {
    const now = await read();
    return now?.startedAt === begun && now.dueAt === null ? now : null;
  };
  const { verdict } = await until('a round that is judged', judged, drillPatience / 1000 + slackSeconds);
  return verdict?.hop ?? null;
}

type Fault = { break(): unknown; mend(): unknown };

/** For each hop a fault of real processes that breaks it, but no hop before it. */
function faultsOf(webhookId: string): Partial<Record<DrillHop, Fault>> {
  const receiver = receiverOf(stack);
  const led = (name: (typeof proxied)[number], port: number): Fault => ({
    break: () => way[name].lead(port),
    mend: () => way[name].lead(stack.ports[name]),
  });
  const stopped = (part: string): Fault => ({ break: () => stack.stopPart(part), mend: () => stack.restart(part) });
  const refusing = (hook: string): Fault => ({
    break: () => receiver.configure(hook, { behaviour: { kind: 'fail', status: 503 } }),
    mend: () => receiver.configure(hook, { behaviour: { kind: 'ok' } }),
  });
  const all = (...faults: Fault[]): Fault => ({
    break: () => Promise.all(faults.map((fault) => fault.break())),
    mend: () => Promise.all(faults.map((fault) => fault.mend())),
  });
  return {
    sweep: stopped('deadline'),
    publish: led('pubsub', nowhere),
    ingest: stopped('ingest'),
    broker: led('mqtt', nowhere),
    bridge: led('mqtt', bridgeless.port),
    // The record of the endpoint has no id: the store refuses its delivery, and with it the whole commit of the alert.
    alert: written('webhooks', webhookId, { webhookId: FieldValue.delete() }),
    wake: led('tasks', nowhere),
    queue: stopped('deliver'),
    // A secret that is sealed with an unknown data key.
    deliver: written('webhooks', webhookId, { secret: 'lost:AAAA' }),
    outside: all(led('smtp', nowhere), led('inboxTls', nowhere), stopped('receiver')),
    email: led('smtp', nowhere),
    chat: refusing(room),
    sms: all(led('inboxTls', stack.ports.receiver), refusing(smsPath)),
    webhook: refusing('asks'),
  };
}

/** A fault that writes members directly into the database. */
function written(collection: string, id: string, members: object): Fault {
  const record = store.collection(collection).doc(id);
  const revision = store.doc('revisions/configuration');
  const counted = async () => revision.set({ count: Number((await revision.get()).data()?.['count'] ?? 0) + 1 });
  let before: FirebaseFirestore.DocumentData | undefined;
  return {
    async break() {
      before = (await record.get()).data();
      await record.set(members, { merge: true });
      await counted();
    },
    async mend() {
      await (before ? record.set(before) : record.delete());
      await counted();
    },
  };
}

test(`each of ${drillHops.length} hops that breaks is named within two periods, and nobody else is notified`, {
  timeout: 24 * 60_000,
}, async () => {
  const contacts = { emails: ['ops@example.com'], phones: ['+46701234567'] };
  expect((await api.call('PUT', '/v1/teams/operations', { body: contacts })).status).toBe(201);
  const receiver = receiverOf(stack);
  const endpoint = (hook: string, drill: boolean) =>
    api.call('POST', '/v1/webhooks', {
      body: {
        url: receiver.urlOf(hook),
        events: ['alert', 'detection', 'guardian'],
        drill,
        secret: 'a secret of 24 bytes...',
      },
    });
  const asking = await endpoint('asks', true);
  expect([asking.status, (await endpoint('quiet', false)).status]).toEqual([201, 201]);
  const faults = faultsOf(asking.body.webhookId);
  const healed = async (what: string) => {
    for (let rounds = 0; rounds < 6; rounds += 1) if ((await round()) === null) return;
    throw new Error(`no round passes ${what}: ${JSON.stringify(await shown())}`);
  };
  await healed('at the beginning');
  const named: Partial<Record<DrillHop, DrillHop | null>> = {};
  for (const hop of drillHops) {
    // Checked before each fault, because a stopped receiver loses the requests that it has received.
    await onlyWhoAsks();
    const fault = faults[hop];
    if (!fault) throw new Error(`no fault breaks the hop ${hop}: give it one in faultsOf`);
    await fault.break();
    const startedAt = Date.now();
    if (hop === 'sweep') {
      // No round can be started without `deadline`: the fault shows because none starts.
      const look = async () => (await shown()).hop;
      named[hop] = await until('the sweep that is broken', look, (2 * drillEvery) / 1000 + slackSeconds).catch(
        () => null,
      );
    } else {
      const first = await round();
      named[hop] = first === hop ? first : await round();
      const seen = async () => (await shown()).hop === named[hop];
      await until(`${named[hop]} in what an operator sees`, seen, slackSeconds);
    }
    console.log(`${hop}: ${named[hop]} after ${((Date.now() - startedAt) / 1000).toFixed(0)} s`);
    await fault.mend();
    await healed(`after ${hop}`);
  }
  const unnoticed = drillHops.filter((hop) => !named[hop]);
  const wrong = drillHops.filter((hop) => named[hop] !== hop);
  ledger('drill', 'hops broken one by one, running processes', {
    ...{ tried: drillHops.length, lost: unnoticed.length, wrong: wrong.length, doubled: 0 },
  });
  expect(unnoticed).toEqual([]);
  expect(wrong.length, JSON.stringify(named)).toBeLessThanOrEqual(1);
  await nobodyElseHeard();
});

async function onlyWhoAsks(): Promise<void> {
  const receiver = receiverOf(stack);
  const isDrill = ({ body }: { body: string }) => /drill|"test"/i.test(body);
  expect((await receiver.seen('quiet')).filter(isDrill)).toEqual([]);
  expect((await receiver.seen('asks')).filter(isDrill).length).toBeGreaterThan(0);
}

async function nobodyElseHeard(): Promise<void> {
  const answer = await fetch(`${stack.run.inboxUrl}/messages`);
  const { messages } = (await answer.json()) as { messages: { kind: string }[] };
  const drills = messages.map((each) => JSON.stringify(each)).filter((text) => /drill/i.test(text));
  const mailed = drills.filter((text) => text.includes('drill@example.com'));
  expect(mailed.length).toBeGreaterThan(drillHops.length);
  expect(drills.filter((text) => /ops@example\.com|46701234567/.test(text))).toEqual([]);
  await onlyWhoAsks();
  expect((await api.get('/v1/devices')).body.devices).toEqual([]);
  expect((await api.get('/v1/alerts?status=all')).body.alerts).toEqual([]);
}
