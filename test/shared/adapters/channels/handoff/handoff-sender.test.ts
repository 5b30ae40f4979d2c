import { expect, test } from 'vitest';
import type { OutboundAnswer } from '../../../../../shared/adapters/outbound/client.ts';
import { handoffDelivery } from '../../../../../shared/domain/change/handoffs.ts';
import type { HandoffEvent } from '../../../../../shared/domain/delivery/handoff.ts';
import { handoffKinds, handoffTable } from '../../../../../shared/schema/settings/handoff-kinds.ts';
import { severities } from '../../../../../shared/schema/vocabulary.ts';
import { createReceivers, draftOf, senderTo } from '../../../../support/handoff/receivers.ts';
import { apiKey, password, routingKey } from '../../../../support/handoff/stand-ins.ts';
import { giveTeam } from '../../../../support/records/alerts.ts';
import { createTestWorld, startOfTests } from '../../../../support/world/world.ts';

const event: HandoffEvent = {
  action: 'trigger',
  key: '00000000-0000-4000-8000-000000000001',
  about: 'alert',
  severity: 'CRITICAL',
  priority: null,
  title: `Göteborg "C" / \\ ${'lång '.repeat(600)}😀`,
  text: `${'x'.repeat(20_000)}`,
  code: 'CONN_001',
  deviceId: `cam-${'0'.repeat(120)}`,
  groupId: 'north',
  site: null,
  startedAt: startOfTests,
  at: startOfTests,
  path: 'alerts/1',
};

async function prepared() {
  const world = createTestWorld();
  await giveTeam(world, 'operations', { handoffs: Object.values(draftOf) });
  const [stored] = await world.store.get('teams', ['operations']);
  const handoffs = stored?.data.handoffs ?? [];
  const receivers = createReceivers(() => Date.parse(world.now()));
  const report = async (kind: string, given: Partial<HandoffEvent>, answer?: OutboundAnswer) => {
    const handoff = handoffs.find((each) => each.kind === kind);
    if (!handoff) throw new Error(`no hand-off ${kind}`);
    const notified = { ...event, ...given };
    const delivery = handoffDelivery({ team: 'operations', handoff }, notified, {
      version: 1,
      behind: null,
      alertId: null,
    });
    const send = async (request: Parameters<typeof receivers.take>[0]) => answer ?? receivers.take(request);
    return senderTo(world.store, world.now, send).send(delivery, 1, null);
  };
  return { world, receivers, report };
}

test('every kind of hand-off accepts each action at each severity with long texts, and keeps the right alerts open', async () => {
  const { world, receivers, report } = await prepared();
  for (const kind of handoffKinds) {
    for (const severity of severities) {
      const outcome = await report(kind, { key: `key-${severity}`, severity });
      expect(outcome, `${kind} ${severity} ${outcome.responseExcerpt}`).toMatchObject({ errorClass: null });
    }
    const open = () => receivers.standIns[kind].openAt(Date.parse(world.now()));
    expect([...open().keys()], kind).toEqual(severities.map((severity) => `key-${severity}`));
    if (handoffTable[kind].acknowledges) {
      expect(await report(kind, { key: 'key-ERROR', severity: 'ERROR', action: 'acknowledge' })).toMatchObject({
        errorClass: null,
      });
      expect(open().get('key-ERROR'), kind).toBe('acknowledged');
    }
    world.pass(1);
    for (const severity of severities) {
      const over = { key: `key-${severity}`, severity, action: 'resolve', at: world.now() } as const;
      // The title and the text may have changed since the trigger.
      expect(await report(kind, { ...over, title: 'Other', text: 'over' }), kind).toMatchObject({ errorClass: null });
    }
    expect([...open().keys()], kind).toEqual([]);
  }
});

test('an alert that ends at the time of its beginning is resolved at every kind of hand-off', async () => {
  const { world, receivers, report } = await prepared();
  for (const kind of handoffKinds) {
    await report(kind, {});
    expect(await report(kind, { action: 'resolve' }), kind).toMatchObject({ errorClass: null });
    world.pass(1);
    expect(receivers.standIns[kind].openAt(Date.parse(world.now())).size, kind).toBe(0);
  }
});

test('texts of devices stay plain text in a template', async () => {
  const { receivers, report } = await prepared();
  await report('generic', { title: '","what":"resolve', text: '{{key}}\n' });
  expect(JSON.parse(receivers.requests[0]?.request.body?.toString() ?? '')).toEqual({
    id: event.key,
    what: 'trigger',
    text: '","what":"resolve: {{key}}\n',
  });
});

const answer = (statusCode: number): OutboundAnswer => ({
  statusCode,
  retryAfter: statusCode === 429 ? '30' : undefined,
  excerpt: `${routingKey} ${apiKey} ${password} ${Buffer.from(`watchpost:${password}`).toString('base64')}`,
  failure: null,
});

test('permanent refusals are not retried, temporary ones are, and no stored answer contains a credential', async () => {
  const { report } = await prepared();
  const seen: unknown[] = [];
  const secrets = { pagerduty: routingKey, opsgenie: apiKey, servicenow: password, generic: apiKey } as const;
  for (const [kind, secret] of Object.entries(secrets)) {
    for (const status of [302, 400, 401, 422, 429, 503]) {
      const { isRetryable, retryAfterMs, responseExcerpt, detail } = await report(kind, {}, answer(status));
      expect(`${responseExcerpt} ${detail}`, kind).not.toContain(secret);
      if (kind === 'servicenow') expect(responseExcerpt).not.toContain(answer(status).excerpt?.split(' ').at(-1));
      if (kind === 'pagerduty') seen.push([status, isRetryable, retryAfterMs]);
    }
  }
  expect(seen).toEqual([
    [302, true, null],
    [400, false, null],
    [401, true, null],
    [422, false, null],
    [429, true, 30_000],
    [503, true, null],
  ]);
});

test('a hand-off that the team no longer has gets nothing', async () => {
  const { world, report } = await prepared();
  await giveTeam(world, 'operations', { handoffs: [] });
  expect(await report('pagerduty', {})).toMatchObject({ errorClass: 'not_configured', isRetryable: false });
});
