import { expect, test } from 'vitest';
import { takeMessage } from '../../../../shared/app/intake/take-message.ts';
import type { Webhook } from '../../../../shared/domain/delivery/webhook.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { sentDeliveries } from '../../../support/records/deliveries.ts';
import { message } from '../../../support/records/reports.ts';
import { guardianAlert } from '../../../support/records/stories.ts';
import { createFaultyStore, storeErrors } from '../../../support/stores/faulty-store.ts';
import { frames } from '../../../support/world/frames.ts';
import { createTestWorld, startOfTests } from '../../../support/world/world.ts';

const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;

function endpoint(webhookId: string, events: Webhook['events']): Webhook {
  return {
    webhookId,
    url: `https://${webhookId}.example/hook`,
    method: 'POST',
    sealedHeaders: null,
    secret: null,
    nextSecret: null,
    events,
    membersOfIncidents: true,
    format: 'native',
    filter: null,
    maxAttempts: 3,
    timeoutSeconds: 10,
    isEnabled: true,
    disabledReason: null,
    isMadeByLimited: false,
    challenge: null,
    description: null,
    createdAt: startOfTests,
    changedAt: startOfTests,
    version: 1,
  };
}

async function worldWithEndpoints() {
  const world = createTestWorld();
  const endpoints = [endpoint('w-guardian', ['guardian']), endpoint('w-detection', ['detection'])];
  await world.store.commit(endpoints.map((data) => ({ kind: 'create', in: 'webhooks', id: data.webhookId, data })));
  return world;
}

/** JSON that parsers read differently is forwarded as we read it: white space, escapes, and numbers beyond the precision of a double. */
const given = JSON.stringify(guardianAlert('drift', ['clientId'], startOfTests)).replace(
  '"expected":"broker.example"',
  '"expected" : 12345678901234567890,"a\\u0062c":1',
);
const text = JSON.stringify(JSON.parse(given));

test('a guardian alert goes to the endpoints that subscribe to them, in the form in which it was read, once however often it comes', async () => {
  const world = await worldWithEndpoints();
  for (const seconds of [0, 1, 2]) {
    const publishTime = plus(startOfTests, seconds * 1000);
    await takeMessage(world, message('guardian', Buffer.from(given), { publishTime }), intake);
  }
  const deliveries = await sentDeliveries(world.store);
  expect(deliveries.map((each) => [each.targetName, each.eventType])).toEqual([['w-guardian', 'guardian']]);
  expect(deliveries[0]?.body).toContain(`"guardianAlert":${text}`);
  const kept = await world.store.find({ in: 'guardianAlerts', limit: 10 });
  expect(kept.map(({ data }) => data.text)).toEqual([text]);
});

test('whatever call of the store fails, before or after it took effect, a repeat completes the alert, its record and its deliveries', async () => {
  for (const when of ['before', 'after'] as const) {
    for (let failing = 1; failing <= 12; failing += 1) {
      const world = await worldWithEndpoints();
      const store = createFaultyStore(world.store, (call) =>
        call === failing ? { when, error: storeErrors.UNAVAILABLE } : null,
      );
      const sent = message('guardian', Buffer.from(text));
      const faulty = { ...world, store };
      for (let tries = 0; tries < 3; tries += 1) await takeMessage(faulty, sent, intake).catch(() => undefined);
      const counts = await Promise.all(
        (['guardianAlerts', 'deliveries', 'alerts', 'activity'] as const).map((kind) =>
          world.store.count({ in: kind }),
        ),
      );
      expect([when, failing, ...counts]).toEqual([when, failing, 1, 1, 1, 1]);
    }
  }
});

test('each alert of a guardian without a key is listed, however many come in a minute and although they differ only in texts', async () => {
  const world = createTestWorld();
  const many = 60;
  for (let n = 0; n < many; n += 1) {
    const alert = guardianAlert('conflict', [`field-${n}`], plus(startOfTests, n * 500));
    await takeMessage(world, message('guardian', alert, { deviceId: 'cam-1', messageId: `g-${n}` }), intake);
    world.pass(0.5);
  }
  expect(await world.store.count({ in: 'guardianAlerts' })).toBe(many);
});
