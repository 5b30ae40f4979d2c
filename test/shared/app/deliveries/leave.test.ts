import { expect, test } from 'vitest';
import { actOnAlert } from '../../../../shared/app/alerts/actions.ts';
import { createPost } from '../../../support/notify/post.ts';
import { alertOf, ana, giveTeam, messagesOf, openTestAlert } from '../../../support/records/alerts.ts';
import { createTestWorld } from '../../../support/world/world.ts';

test('what is over while a message reads of it is over before the message ends as overtaken', async () => {
  const world = createTestWorld();
  await giveTeam(world, 'operations', { emails: ['ops@example.com'] });
  const post = createPost(world);
  const alertId = await openTestAlert(world);
  const { get } = world.store;
  let isOver = false;
  world.store.get = async (kind, ids) => {
    if (kind === 'alerts' && !isOver) {
      isOver = true;
      world.pass(2);
      await actOnAlert(world, ana, alertId, { kind: 'resolve' }, null);
    }
    return get(kind, ids);
  };
  await post.answerDue();
  const [opening] = await messagesOf(world);
  const { resolvedAt } = await alertOf(world, alertId);
  expect(opening).toMatchObject({ dismissedReason: 'overtaken', finishedAt: resolvedAt });
  expect(post.sent).toEqual([]);
});
