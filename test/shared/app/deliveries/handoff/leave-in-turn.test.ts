import { expect, test } from 'vitest';
import type { OutboundAnswer, OutboundRequest } from '../../../../../shared/adapters/outbound/client.ts';
import { actOnAlert } from '../../../../../shared/app/alerts/actions.ts';
import type { Bearer } from '../../../../../shared/app/bearer.ts';
import { createDispatcher } from '../../../../../shared/app/deliveries/deliver.ts';
import { redeliver } from '../../../../../shared/app/deliveries/deliveries.ts';
import { wakeOverdueDeliveries } from '../../../../../shared/app/due/sweep-deliveries.ts';
import type { HandoffDraft } from '../../../../../shared/schema/settings/handoff.ts';
import { createReceivers, draftOf, senderTo } from '../../../../support/handoff/receivers.ts';
import { ana, giveRule, giveTeam, messagesOf, openTestAlert } from '../../../../support/records/alerts.ts';
import { createTestWorld } from '../../../../support/world/world.ts';

const reviewer: Bearer = { ...ana, scopes: new Set(['settings:write']) };
const broken: OutboundAnswer = { statusCode: 503, retryAfter: undefined, excerpt: null, failure: null };

/** A world with hand-offs, and receivers that answer as the test says. */
async function prepared(drafts: HandoffDraft[] = [draftOf.pagerduty]) {
  const world = createTestWorld();
  await giveTeam(world, 'operations', { handoffs: drafts });
  const receivers = createReceivers(() => Date.parse(world.now()));
  const given: { answer: ((request: OutboundRequest) => Promise<OutboundAnswer | null>) | null } = { answer: null };
  const send = async (request: OutboundRequest) => (await given.answer?.(request)) ?? receivers.take(request);
  const handoff = senderTo(world.store, world.now, send);
  const dispatcherOf = () => createDispatcher(world, { handoff }, () => Date.parse(world.now()));
  const dispatcher = dispatcherOf();
  /** The last delivery with this key and action. */
  const notified = async (key: string, action: string) => {
    const found = (await messagesOf(world)).filter(
      ({ handoff: order }) => order?.key === key && order.action === action,
    );
    const last = found.at(-1);
    if (!last) throw new Error(`nobody was notified ${action}`);
    return last;
  };
  const attempt = async (key: string, action: string) => dispatcher.attempt((await notified(key, action)).deliveryId);
  const said = () =>
    receivers.requests.map(({ request }) => JSON.parse(request.body?.toString() ?? '{}').event_action as string);
  const open = () => [...receivers.standIns.pagerduty.openAt(Date.parse(world.now()))];
  return { world, receivers, given, dispatcher, dispatcherOf, notified, attempt, said, open };
}

test('an alert is triggered, acknowledged and resolved under its own id', async () => {
  const { world, attempt, open, said } = await prepared();
  const alertId = await openTestAlert(world);
  await attempt(alertId, 'trigger');
  expect(open()).toEqual([[alertId, 'open']]);
  await actOnAlert(world, ana, alertId, { kind: 'acknowledge' }, null);
  await attempt(alertId, 'acknowledge');
  expect(open()).toEqual([[alertId, 'acknowledged']]);
  await actOnAlert(world, ana, alertId, { kind: 'resolve' }, null);
  await attempt(alertId, 'resolve');
  expect(open()).toEqual([]);
  expect(said()).toEqual(['trigger', 'acknowledge', 'resolve']);
});

test('what is over before its beginning could leave takes it back: a trigger that is tried later does not open it again', async () => {
  const { world, given, attempt, notified, open, said } = await prepared();
  const alertId = await openTestAlert(world);
  given.answer = async () => broken;
  expect(await attempt(alertId, 'trigger')).toBe('retried');
  given.answer = null;
  world.pass(10);
  await actOnAlert(world, ana, alertId, { kind: 'resolve' }, null);
  expect(await attempt(alertId, 'resolve')).toBe('delivered');
  world.pass(60);
  expect(await attempt(alertId, 'trigger')).toBe('idle');
  expect(await notified(alertId, 'trigger')).toMatchObject({ status: 'dismissed', dismissedReason: 'overtaken' });
  expect(said()).toEqual(['resolve']);
  expect(open()).toEqual([]);
});

test('the end waits while the beginning is under way, in whichever process', async () => {
  const { world, given, attempt, dispatcherOf, notified, open, said } = await prepared();
  const alertId = await openTestAlert(world);
  const gate = Promise.withResolvers<null>();
  given.answer = () => gate.promise;
  const first = attempt(alertId, 'trigger');
  await new Promise((resolve) => setImmediate(resolve));
  await actOnAlert(world, ana, alertId, { kind: 'resolve' }, null);
  const other = dispatcherOf();
  given.answer = null;
  expect(await other.attempt((await notified(alertId, 'resolve')).deliveryId)).toBe('postponed');
  gate.resolve(null);
  expect(await first).toBe('delivered');
  world.pass(3);
  expect(await other.attempt((await notified(alertId, 'resolve')).deliveryId)).toBe('delivered');
  expect(said()).toEqual(['trigger', 'resolve']);
  expect(open()).toEqual([]);
});

test('a paused hand-off gets nothing new, and of the end of what is open there', async () => {
  const { world, attempt, open, said } = await prepared();
  const before = await openTestAlert(world);
  await attempt(before, 'trigger');
  const [stored] = await world.store.get('teams', ['operations']);
  const [handoff] = stored?.data.handoffs ?? [];
  const { sealedCredential: _, paceId: __, ...draft } = handoff ?? {};
  await giveTeam(world, 'operations', { handoffs: [{ ...draft, enabled: false } as HandoffDraft] });
  const after = await openTestAlert(world);
  expect((await messagesOf(world)).filter(({ handoff: order }) => order?.key === after)).toEqual([]);
  await actOnAlert(world, ana, before, { kind: 'resolve' }, null);
  await attempt(before, 'resolve');
  expect([open(), said()]).toEqual([[], ['trigger', 'resolve']]);
});

test('that somebody has it waits for its beginning, and is worth nothing before it', async () => {
  const { world, given, attempt, open } = await prepared();
  const alertId = await openTestAlert(world);
  given.answer = async () => broken;
  await attempt(alertId, 'trigger');
  await actOnAlert(world, ana, alertId, { kind: 'acknowledge' }, null);
  given.answer = null;
  expect(await attempt(alertId, 'acknowledge')).toBe('postponed');
  world.pass(60);
  await attempt(alertId, 'trigger');
  world.pass(2);
  await attempt(alertId, 'acknowledge');
  expect(open()).toEqual([[alertId, 'acknowledged']]);
});

test('an old beginning that a person sends again does not open what is over', async () => {
  const { world, attempt, notified, open } = await prepared();
  const alertId = await openTestAlert(world);
  await attempt(alertId, 'trigger');
  await actOnAlert(world, ana, alertId, { kind: 'resolve' }, null);
  await attempt(alertId, 'resolve');
  await redeliver(world, reviewer, (await notified(alertId, 'trigger')).deliveryId);
  expect(await attempt(alertId, 'trigger')).toBe('dismissed');
  expect(open()).toEqual([]);
});

test('what is reopened is open again, and what was still to be sent of its end is not', async () => {
  const { world, given, attempt, open, dispatcher, notified } = await prepared();
  const alertId = await openTestAlert(world);
  await attempt(alertId, 'trigger');
  given.answer = async () => broken;
  await actOnAlert(world, ana, alertId, { kind: 'resolve' }, null);
  const { deliveryId } = await notified(alertId, 'resolve');
  expect(await dispatcher.attempt(deliveryId)).toBe('retried');
  given.answer = null;
  world.pass(1);
  await actOnAlert(world, ana, alertId, { kind: 'reopen' }, null);
  await attempt(alertId, 'trigger');
  world.pass(60);
  expect(await dispatcher.attempt(deliveryId)).toBe('idle');
  expect(open()).toEqual([[alertId, 'open']]);
});

test('Alertmanager is notified again before it forgets, until it is over', async () => {
  const { world, receivers, attempt, notified } = await prepared([draftOf.alertmanager]);
  const open = () => [...receivers.standIns.alertmanager.openAt(Date.parse(world.now())).keys()];
  const alertId = await openTestAlert(world);
  for (let minutes = 0; minutes < 60; minutes += 4) {
    await attempt(alertId, 'trigger');
    expect((await notified(alertId, 'trigger')).status).toBe('pending');
    world.pass(4 * 60);
    expect(open()).toEqual([alertId]);
  }
  await actOnAlert(world, ana, alertId, { kind: 'resolve' }, null);
  await attempt(alertId, 'resolve');
  world.pass(1);
  expect(open()).toEqual([]);
  world.pass(3600);
  expect(await attempt(alertId, 'trigger')).toBe('idle');
  expect(await wakeOverdueDeliveries(world)).toBe(0);
});

test('machines heed no rule but one that suppresses; what is not of their severities is not handed over', async () => {
  const { world } = await prepared([{ ...draftOf.pagerduty, severities: ['CRITICAL'] }]);
  const handed = async () => (await messagesOf(world)).filter(({ channel }) => channel === 'handoff').length;
  await giveTeam(world, 'night', { emails: ['n@example.com'], handoffs: [draftOf.opsgenie] });
  await giveRule(world, {
    name: 'mute',
    condition: { code: 'CONN_001', group: ['muted'] },
    action: { mute: ['email', 'chat', 'sms'] },
  });
  await giveRule(world, {
    name: 'hush',
    condition: { code: 'CONN_001', group: ['hushed'] },
    action: { suppress: true },
  });
  await giveRule(world, {
    name: 'team',
    condition: { code: 'CONN_001', group: ['theirs'] },
    action: { team: 'night' },
  });
  await openTestAlert(world, { groupId: 'muted' });
  expect(await handed()).toBe(1);
  await openTestAlert(world, { groupId: 'hushed' });
  await openTestAlert(world, { groupId: 'north', code: 'RES_002' });
  expect(await handed()).toBe(1);
  // Both hand-offs get it: that of operations and that of the team to which the rule routes it.
  await openTestAlert(world, { groupId: 'theirs' });
  expect(await handed()).toBe(3);
});

test('PagerDuty is asked no more often than it takes', async () => {
  const { world, receivers, dispatcher } = await prepared();
  for (let count = 0; count < 260; count += 1) await openTestAlert(world);
  const asked: number[] = [];
  for (let seconds = 0; seconds < 240; seconds += 1) {
    const due = (await messagesOf(world)).filter(({ dueAt }) => dueAt !== null && dueAt <= world.now());
    for (const { deliveryId } of due) await dispatcher.attempt(deliveryId);
    world.pass(1);
  }
  for (const { at, answer } of receivers.requests) {
    expect(answer.statusCode).toBe(202);
    asked.push(at);
  }
  expect(asked).toHaveLength(260);
  const inMinute = asked.map((at) => asked.filter((each) => each >= at && each < at + 60_000).length);
  expect(Math.max(...inMinute)).toBeLessThanOrEqual(120);
});

test('a hand-off whose receiver fails is left in peace for a while: five are tried, the others wait and lose no attempt', async () => {
  const { world, given, attempt, notified, receivers } = await prepared([draftOf.generic]);
  given.answer = async () => broken;
  const ids = await Promise.all(Array.from({ length: 8 }, () => openTestAlert(world)));
  const results: unknown[] = [];
  for (const id of ids) {
    results.push(await attempt(id, 'trigger'));
    // Keeps the calls below the rate limit of the key, which is a rule of its own.
    world.pass(1);
  }
  expect(results).toEqual([...Array(5).fill('retried'), ...Array(3).fill('postponed')]);
  expect((await notified(ids[7] ?? '', 'trigger')).attemptCount).toBe(0);
  given.answer = null;
  world.pass(50);
  for (const id of ids) await attempt(id, 'trigger');
  expect(receivers.requests).toHaveLength(8);
});

test('what a newer message overtook while it was read ends no earlier than that message', async () => {
  const { world, attempt, notified } = await prepared();
  const alertId = await openTestAlert(world);
  await attempt(alertId, 'trigger');
  await actOnAlert(world, ana, alertId, { kind: 'resolve' }, null);
  await attempt(alertId, 'resolve');
  const { deliveryId, finishedAt } = await notified(alertId, 'trigger');
  await redeliver(world, reviewer, deliveryId);
  const { get } = world.store;
  world.store.get = async (kind, ids) => {
    if (kind === 'alerts') world.pass(2);
    return get(kind, ids);
  };
  await attempt(alertId, 'trigger');
  const again = await notified(alertId, 'trigger');
  expect(again).toMatchObject({ dismissedReason: 'overtaken', finishedAt: world.now() });
  expect(finishedAt && finishedAt < world.now()).toBe(true);
});
