import { expect, test } from 'vitest';
import { createMemoryStore } from '../../../../shared/adapters/memory/store.ts';
import { handleDue } from '../../../../shared/app/due/due.ts';
import { sweep } from '../../../../shared/app/due/sweep.ts';
import type { Wake } from '../../../../shared/app/ports.ts';
import { giveTeam, messagesOf, openedAlert, openTestAlert, uuidOf } from '../../../support/records/alerts.ts';
import { createTestWorld, type TestWorld } from '../../../support/world/world.ts';

const contacts = {
  emails: ['ops@example.com', 'night@example.com'],
  chats: [{ kind: 'slack' as const, url: 'https://hooks.slack.com/services/T/B/x' }],
  phones: ['+46701234567'],
};

/** Rings every alarm of a fold that is due by now. */
async function ringFolds(world: TestWorld): Promise<void> {
  const now = world.now();
  const due = world.wakes.filter((wake: Wake) => wake.in === 'folds' && wake.dueAt <= now);
  for (const { id } of due) await handleDue(world, 'folds', id);
}

const digestOf = (body: string) => /(\d+) more camera/.exec(body)?.[1];

test('ten thousand alerts of one group and code within a minute send each target two messages, and the digest counts the rest', {
  timeout: 600_000,
}, async () => {
  const store = createMemoryStore();
  const world = createTestWorld(store);
  await giveTeam(world, 'operations', contacts);
  const writes: Record<string, number> = {};
  const end = store.onCommit((committed) => {
    for (const write of committed) if (write.in === 'folds') writes[write.id] = (writes[write.id] ?? 0) + 1;
  });
  const total = 10_000;
  for (let index = 0; index < total; index += 1) {
    if (index % 200 === 199) world.pass(1);
    await openTestAlert(world);
  }
  world.pass(11);
  await ringFolds(world);
  await ringFolds(world);
  end();
  const messages = await messagesOf(world);
  const byTarget = Map.groupBy(messages, ({ targetName }) => targetName);
  expect([...byTarget.values()].map((sent) => sent.map(({ eventType }) => eventType))).toEqual(
    Array.from({ length: 4 }, () => ['notification', 'digest']),
  );
  for (const { body } of messages.filter(({ eventType }) => eventType === 'digest')) {
    expect(digestOf(body)).toBe(String(total - 1));
  }
  expect(Object.values(writes)).toEqual([2, 2, 2, 2]);
});

test('alerts that begin at once in many processes still have one first message', async () => {
  const world = createTestWorld();
  await giveTeam(world, 'operations', { emails: ['ops@example.com'] });
  await Promise.all(Array.from({ length: 50 }, () => openTestAlert(world)));
  world.pass(60);
  await ringFolds(world);
  const messages = await messagesOf(world);
  expect(messages.map(({ eventType }) => eventType)).toEqual(['notification', 'digest']);
  expect(digestOf(messages[1]?.body ?? '')).toBe('49');
});

test('an alert that was committed after its window was counted is told by the next look', async () => {
  const world = createTestWorld();
  await giveTeam(world, 'operations', { emails: ['ops@example.com'] });
  await openTestAlert(world);
  await openTestAlert(world);
  const seed = {
    alertId: uuidOf(777),
    deviceId: 'late',
    groupId: 'north',
    code: 'CONN_001',
    message: 'x',
    context: {},
  } as const;
  const late = await openedAlert(world, seed);
  world.pass(60);
  await ringFolds(world);
  await world.store.commit(late.writes);
  world.pass(60);
  await ringFolds(world);
  const digests = (await messagesOf(world)).filter(({ eventType }) => eventType === 'digest');
  expect(digests.map(({ body }) => digestOf(body))).toEqual(['1', '1']);
});

test('groups, codes and targets fold each for itself', async () => {
  const world = createTestWorld();
  await giveTeam(world, 'operations', { emails: ['a@example.com', 'b@example.com'] });
  await openTestAlert(world, { groupId: 'north', code: 'CONN_001' });
  await openTestAlert(world, { groupId: 'south', code: 'CONN_001' });
  await openTestAlert(world, { groupId: 'north', code: 'SEC_001' });
  expect((await messagesOf(world)).filter(({ eventType }) => eventType === 'notification')).toHaveLength(6);
});

test('a digest whose alarm was lost leaves with the sweep', async () => {
  const world = createTestWorld();
  await giveTeam(world, 'operations', { emails: ['ops@example.com'] });
  await openTestAlert(world);
  await openTestAlert(world);
  world.pass(120);
  await sweep(world);
  await sweep(world);
  expect((await messagesOf(world)).map(({ eventType }) => eventType)).toEqual(['notification', 'digest']);
});

test('a window that was forgotten holds no further message, and what it held is told with the next digest', async () => {
  const world = createTestWorld();
  await giveTeam(world, 'operations', { emails: ['ops@example.com'] });
  await openTestAlert(world);
  await openTestAlert(world);
  world.pass(600);
  await openTestAlert(world);
  expect((await messagesOf(world)).map(({ eventType }) => eventType)).toEqual(['notification', 'notification']);
  world.pass(60);
  await ringFolds(world);
  expect((await messagesOf(world)).flatMap(({ body }) => digestOf(body) ?? [])).toEqual(['1']);
});
