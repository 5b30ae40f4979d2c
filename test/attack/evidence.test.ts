import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDispatcher } from '../../shared/app/deliveries/deliver.ts';
import { sweep } from '../../shared/app/due/sweep.ts';
import { takeCanary } from '../../shared/app/sight/take-canary.ts';
import type { Delivery } from '../../shared/domain/delivery/delivery.ts';
import { deliveryLines } from '../../shared/domain/ledger/trail.ts';
import { ask, blind, type Entry, worldOf } from '../support/ledger/availability.ts';
import { type Case, testVerifierKey, verdictsOf } from '../support/ledger/log.ts';
import { createTestObjects, origin, testKey } from '../support/ledger/objects.ts';
import { ana, giveTeam, openTestAlert } from '../support/records/alerts.ts';
import { failure, success } from '../support/records/deliveries.ts';
import { allRecords } from '../support/records/records.ts';
import { score, sizeOf } from '../support/score/score.ts';
import { countingStore } from '../support/stores/counting-store.ts';
import { startTestApi } from '../support/world/api.ts';
import { at, createTimeline, minute } from '../support/world/timeline.ts';
import { seal } from '../support/world/ways.ts';
import { createTestWorld, startOfTests } from '../support/world/world.ts';

type Api = Awaited<ReturnType<typeof startTestApi>>;
type Answer = Awaited<ReturnType<Api['call']>>;

const all = 'alerts:read alerts:write devices:read devices:write webhooks:read webhooks:write events:read';
const actions = ['redeliver', 'dismiss', 'restore'] as const;
const rounds = sizeOf(12, 92);

/** An alert of north that people and endpoints were told of: by mail and to two endpoints, and all took it. */
async function told() {
  const api = await startTestApi(createTestWorld());
  const { world } = api;
  await giveTeam(world, 'operations', { emails: ['ops@example.com'], phones: ['+46700000001'] });
  const token = await api.issuer.token({ groups: ['north'], sub: 'eve', scope: all });
  const hook = (url: string) => ({ url, events: ['alert'], filter: { groups: ['north'] } });
  const own = await api.call('POST', '/v1/webhooks', { token, body: hook('https://hooks.example.com/eve') });
  const foreign = await api.call('POST', '/v1/webhooks', { body: hook('https://hooks.example.com/admin') });
  const alertId = await openTestAlert(world, { groupId: 'north', code: 'SEC_002' });
  const deliveries = async () => (await world.store.find({ in: 'deliveries', limit: 1000 })).map(({ data }) => data);
  /** Attempts what is due. */
  const attempt = async (outcome = success) => {
    const send = async () => outcome;
    const senders = { webhook: { send }, email: { send }, sms: { send } };
    const dispatcher = createDispatcher(world, senders, () => 0);
    for (const { deliveryId, webhookId, status } of await deliveries())
      if (status === 'pending') await dispatcher.attempt(deliveryId, webhookId);
  };
  await attempt();
  const explained = async () => (await api.call('GET', `/v1/alerts/${alertId}/explain`)).body;
  const to = { own: own.body.webhookId as string, foreign: foreign.body.webhookId as string };
  return { api, world, token, deliveries, attempt, explained, to };
}

const isToPeople = ({ channel }: Delivery) => channel === 'email' || channel === 'sms';

/** The first outcome of each message as explain and ledger tell it. */
function firstOutcomes(explained: { notified: { deliveryStatus: string; how: string }[] }, deliveries: Delivery[]) {
  return {
    explain: explained.notified.map(({ deliveryStatus, how }) => `${how} ${deliveryStatus}`),
    ledger: deliveryLines(deliveries.filter(isToPeople)).lines.map(({ outcome, attempts }) => `${outcome} ${attempts}`),
  };
}

describe('the evidence of what was sent', () => {
  test('is not touched by tokens that may not send messages to people, and no message leaves for them', async () => {
    const { api, world, token, deliveries, to } = await told();
    const { issuer } = api;
    const tokens = [
      token,
      await issuer.token({ groups: ['south'], sub: 'neighbour', scope: `${all} settings:write` }),
      await issuer.token({ groups: ['north'], sub: 'eve', scope: `${all} settings:write` }),
      await issuer.token({ sub: 'colleague', scope: all }),
    ];
    const before = await deliveries();
    const people = before.filter(isToPeople);
    expect(people.map(({ channel, status }) => `${channel} ${status}`).toSorted()).toEqual([
      'email delivered',
      'sms delivered',
    ]);
    const untouched = async () =>
      (await allRecords(world.store)).filter((record) => /^(deliveries|targets|audit) /.test(record));
    const records = await untouched();
    let [tried, through] = [0, 0];
    const attack = async (given: Delivery, by: string) => {
      for (const action of actions) {
        const { status } = await api.call('POST', `/v1/deliveries/${given.deliveryId}/${action}`, { token: by });
        tried += 1;
        if (![403, 404].includes(status)) through += 1;
      }
    };
    for (let round = 0; round < Math.ceil(rounds / 4); round += 1)
      for (const delivery of people) for (const by of tokens) await attack(delivery, by);
    // An endpoint of somebody else: not with a token of the group, nor one of another group.
    for (const delivery of before.filter(({ webhookId }) => webhookId === to.foreign))
      for (const by of tokens.slice(0, 3)) await attack(delivery, by);
    score('S19', 'sending again, dismissing and restoring what is not theirs to send', tried, through);
    expect(through).toBe(0);
    expect(await untouched()).toEqual(records);
    const mine = before.find(({ webhookId }) => webhookId === to.own);
    const again = await api.call('POST', `/v1/deliveries/${mine?.deliveryId}/redeliver`, { token });
    expect([again.status, again.body.status, again.body.round]).toEqual([200, 'pending', 2]);
    await api.stop();
  });

  test('stays in explain, ledger and record whatever is sent again, dropped or dismissed by who may do that', async () => {
    const { api, deliveries, attempt, explained } = await told();
    const before = await deliveries();
    const people = before.filter(isToPeople);
    const first = firstOutcomes(await explained(), before);
    let [calls, through] = [0, 0];
    for (let round = 0; round < rounds; round += 1) {
      for (const { deliveryId } of people) {
        for (const action of actions) {
          await api.call('POST', `/v1/deliveries/${deliveryId}/${action}`);
          calls += 1;
          await attempt({ ...failure, isRetryable: false });
        }
      }
      const now = firstOutcomes(await explained(), await deliveries());
      if (JSON.stringify(now) !== JSON.stringify(first)) through += 1;
    }
    score('S19', 'an outcome in explain and ledger, after calls to send again, dismiss and restore', calls, through);
    expect(through).toBe(0);
    for (const { deliveryId, attempts } of people) {
      const { body } = await api.call('GET', `/v1/deliveries/${deliveryId}`);
      expect(body.rounds[0]).toMatchObject({ round: 1, status: 'delivered', attempts: 1 });
      expect(body.attempts[0]).toMatchObject({ number: 1, at: attempts[0]?.at, errorClass: null });
    }
    expect((await explained()).notified[0].resent[0]).toMatchObject({ round: 2, status: 'failed' });
    await api.stop();
  });
});

describe('a camera that moved to another customer', () => {
  const world = createTestWorld();
  const ledger = { objects: createTestObjects(), origin, keys: [testKey] };
  world.ledger = ledger;
  const life = createTimeline(world);
  const [movedAt, end] = [60 * minute, 120 * minute];
  const tokens: Record<'former' | 'present' | 'neighbour', string> = { former: '', present: '', neighbour: '' };
  let api: Api;
  let old: { alertIds: string[]; deliveryIds: string[] };

  async function livesUntil(seconds: number): Promise<void> {
    const sender = { send: async (_canary: unknown, body: string) => takeCanary(world, Buffer.from(body), seal) };
    const begin = (Date.parse(world.now()) - Date.parse(startOfTests)) / 1000;
    for (let now = begin + minute; now <= seconds; now += minute) {
      // Dark for ten minutes in each group, once across the move.
      const isDark = (now > 20 * minute && now <= 32 * minute) || (now > 55 * minute && now <= 66 * minute);
      const usedPercent = now % (30 * minute) < 10 * minute ? 95 : 20;
      if (isDark) await life.until(now);
      else await life.says(now, 'status', { groupId: 'north', memory: { usedPercent } });
      const mail = createDispatcher(world, { email: { send: async () => success } }, () => 0);
      for (const { data } of await world.store.find({ in: 'deliveries', limit: 1000 }))
        if (data.dueAt !== null && data.dueAt <= world.now()) await mail.attempt(data.deliveryId, data.webhookId);
      await sweep(world, { seal, senders: { ingest: sender, broker: sender } }, ledger);
    }
  }

  const idsOf = async () => {
    const alerts = await world.store.find({ in: 'alerts', limit: 1000 });
    const deliveries = await world.store.find({ in: 'deliveries', limit: 1000 });
    return { alertIds: alerts.map(({ id }) => id), deliveryIds: deliveries.map(({ id }) => id) };
  };

  beforeAll(async () => {
    api = await startTestApi(world);
    for (const [who, group] of [
      ['former', 'north'],
      ['present', 'south'],
      ['neighbour', 'west'],
    ] as const)
      tokens[who] = await api.issuer.token({ groups: [group], sub: who });
    await giveTeam(world, 'operations', { emails: ['ops@example.com'] });
    await livesUntil(minute);
    await api.call('PATCH', '/v1/devices/cam-1', { body: { name: 'Vault of North Bank', site: 'north-bank' } });
    await livesUntil(movedAt - minute);
    old = await idsOf();
    await life.until(movedAt);
    const patch = { groupId: 'south', name: 'Lobby of South Hotel', site: 'south-hotel' };
    await api.call('PATCH', '/v1/devices/cam-1', { body: patch });
    await livesUntil(end - 3 * minute);
    for (const token of Object.values(tokens)) await proof(token, {});
    await livesUntil(end);
  }, 120_000);
  afterAll(() => api.stop());

  const query = (given: Record<string, string>) =>
    new URLSearchParams({ from: at(0), to: at(end), ...given }).toString();
  const proof = (token: string, given: Record<string, string>) =>
    api.call('GET', `/v1/ledger/proof?deviceId=cam-1&${query(given)}`, { token });
  const entriesOf = ({ body }: Answer) =>
    ((body.entries ?? []) as { body: string }[]).map((entry) => JSON.parse(entry.body));
  const readers = (token: string) =>
    Promise.all(
      [
        '/v1/alerts?status=all&pageSize=200',
        '/v1/devices/cam-1/alerts?status=all&pageSize=200',
        '/v1/devices/cam-1/activity?pageSize=200',
        '/v1/deliveries?pageSize=200',
        '/v1/guardian-alerts?pageSize=200',
        '/v1/incidents?status=all&pageSize=200',
        '/v1/events',
        `/v1/reports/availability?${query({})}`,
        `/v1/reports/availability?${query({ deviceId: 'cam-1', by: 'group' })}`,
        `/v1/ledger/proof?deviceId=cam-1&${query({})}`,
        `/v1/ledger/proof?deviceId=cam-1&${query({ groupId: 'north' })}`,
        `/v1/ledger/proof?deviceId=cam-1&${query({ groupId: 'south' })}`,
        ...old.alertIds.flatMap((id) =>
          ['', '/history', '/explain', '/notes'].map((part) => `/v1/alerts/${id}${part}`),
        ),
        ...old.deliveryIds.map((id) => `/v1/deliveries/${id}`),
      ].map(async (path) => ({ path, ...(await api.call('GET', path, { token })) })),
    );

  test('shows its new owner, and a neighbour, nothing of the old time', async () => {
    let [tried, through] = [0, 0];
    const leaks: string[] = [];
    for (const who of ['present', 'neighbour'] as const) {
      for (const { path, status, body } of await readers(tokens[who])) {
        tried += 1;
        const text = JSON.stringify(body);
        const isOld =
          /north/i.test(text.replaceAll(/"detail":"[^"]*"|"instance":"[^"]*"/g, '')) ||
          (status === 200 && [...old.alertIds, ...old.deliveryIds].some((id) => text.includes(id)));
        if (isOld) leaks.push(`${who} ${path}`);
      }
      for (const entry of entriesOf(await proof(tokens[who], {}))) {
        tried += 1;
        if (entry.from < at(movedAt)) leaks.push(`${who}: entry from ${entry.from}`);
      }
    }
    through = leaks.length;
    score('S8', 'reads of the time of a camera in its former group', tried, through);
    expect(leaks).toEqual([]);
    const { body } = await api.call('GET', `/v1/reports/availability?${query({})}`, { token: tokens.present });
    // Minutes of north: dark from 20 to 32.
    expect(body.total.minutes.silent).toBeLessThan(8);
    expect((await proof(tokens.neighbour, {})).status).toBe(404);
  });

  test('leaves its former owner his proof, his report and his trail, and shows him nothing of the time after', async () => {
    const answer = await proof(tokens.former, {});
    expect(answer.status).toBe(200);
    const entries = entriesOf(answer);
    expect([entries[0]?.from <= at(minute), entries.at(-1)?.to >= at(movedAt)]).toEqual([true, true]);
    const bundle: Case = {
      ...{ text: JSON.stringify(answer.body), from: entries[0]?.from, to: at(movedAt) },
      ...{ keys: [testVerifierKey], known: null },
    };
    expect((await verdictsOf([bundle]))[0]?.verdict).toBe('proven');
    const leaks: string[] = [];
    let tried = 0;
    const later = (await idsOf()).alertIds.filter((id) => !old.alertIds.includes(id));
    expect(later.length).toBeGreaterThan(0);
    for (const { path, body } of await readers(tokens.former)) {
      tried += 1;
      const text = JSON.stringify(body).replaceAll(/"detail":"[^"]*"|"instance":"[^"]*"/g, '');
      if (/south|lobby/i.test(text) || later.some((id) => text.includes(id))) leaks.push(path);
    }
    for (const { from, to, intervals } of entries) {
      tried += 1;
      const said = intervals.filter(({ begin, cause }: { begin: string[]; cause: string }) => {
        return cause !== 'not-registered' && (begin[0] ?? '') >= at(movedAt);
      });
      if (from >= at(movedAt) ? intervals.length !== 1 : to > at(movedAt) && said.length > 0)
        leaks.push(`${from} ${to}`);
    }
    score('S8', 'reads of the time of a camera in the group that it moved to', tried, leaks.length);
    expect(leaks).toEqual([]);
    for (const id of old.alertIds)
      expect((await api.call('GET', `/v1/alerts/${id}/history`, { token: tokens.former })).status).toBe(200);
    const { body } = await api.call('GET', '/v1/devices/cam-1/alerts?status=all', { token: tokens.former });
    expect(body.alerts.map(({ alertId }: { alertId: string }) => alertId).toSorted()).toEqual(old.alertIds.toSorted());
    const report = await api.call('GET', `/v1/reports/availability?${query({})}`, { token: tokens.former });
    expect(report.body.parts.map(({ id, name }: { id: string; name: string | null }) => [id, name])).toEqual([
      ['cam-1', null],
    ]);
    expect(report.body.total.minutes.silent).toBeGreaterThan(10);
  });
});

test('a tenant reads the entries of its own groups alone, however many cameras others have', async () => {
  const day = 86_400;
  const cameras = Object.fromEntries(
    Array.from({ length: sizeOf(200, 1000) }, (_, index) => [
      `cam-${index}`,
      { groupId: index < 31 ? 'north' : `group-${index}` },
    ]),
  );
  const entries = Object.keys(cameras).flatMap((id) =>
    Array.from({ length: 10 }, (_, n): Entry => [id, n * day, (n + 1) * day, blind(n * day, n * day + 60)]),
  );
  const world = await worldOf(cameras, ...entries);
  const { store, spent } = countingStore(world.store);
  const report = await ask({ ...world, store }, { to: at(10 * day) }, { ...ana, groups: ['north'] });
  expect(report.total.devices).toBe(31);
  const foreign = Math.max(0, spent.reads - 2 * 31 - 31 * 10);
  score('S15', 'documents that a tenant with 31 cameras reads for its report', spent.reads, foreign);
  expect(foreign).toBe(0);
});
