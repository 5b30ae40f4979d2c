import { expect, test } from 'vitest';
import { rotateWebhookSecret } from '../../../../shared/app/webhooks/secret-rotation.ts';
import { ownerOf } from '../../../../shared/app/webhooks/secrets.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { ana } from '../../../support/records/alerts.ts';
import { giveWebhook } from '../../../support/records/deliveries.ts';
import { box } from '../../../support/world/secret-box.ts';
import { createTestWorld } from '../../../support/world/world.ts';

const generatedSecret = 'a generated secret of enough bytes';
const parts = { box, newSecret: () => generatedSecret } as never;
const rotate = async (request: { secret?: string; overlapHours?: number }) => {
  const world = createTestWorld();
  const webhookId = await giveWebhook(world);
  const answer = await rotateWebhookSecret(world, parts, ana, webhookId, { ...request, ifVersion: null });
  const [stored] = await world.store.get('webhooks', [webhookId]);
  return { answer: answer.record, kept: box.open(stored?.data.secret ?? '', ownerOf(webhookId, 'secret')) };
};

test('a generated secret is in the answer, one that the caller gave is not, and both are kept', async () => {
  const generated = await rotate({});
  expect([generated.answer.secret, generated.kept]).toEqual([generatedSecret, generatedSecret]);
  const own = 'a secret of the caller with enough bytes';
  const given = await rotate({ secret: own });
  expect([given.answer.secret, given.kept]).toEqual([undefined, own]);
});

test('a secret that can be guessed is refused', async () => {
  await expect(rotate({ secret: 'short' })).rejects.toMatchObject({ code: 'invalid-request' });
});

test.each([
  ['for a day', {}, 24],
  ['as long as the caller says', { overlapHours: 2 }, 2],
])('both secrets sign %s', async (_, request, hours) => {
  const world = createTestWorld();
  const webhookId = await giveWebhook(world);
  await rotateWebhookSecret(world, parts, ana, webhookId, { ifVersion: null });
  await rotateWebhookSecret(world, parts, ana, webhookId, { ...request, ifVersion: null });
  const [stored] = await world.store.get('webhooks', [webhookId]);
  expect(stored?.data.nextSecret?.promoteAt).toBe(plus(world.now(), hours * 3_600_000));
});

test('a rotated secret has the version that comes with it, or none', async () => {
  const world = createTestWorld();
  const webhookId = await giveWebhook(world);
  const versionOf = async (request: object) =>
    (await rotateWebhookSecret(world, parts, ana, webhookId, { ...request, ifVersion: null })).record
      .credentialVersions;
  expect(await versionOf({ version: 4 })).toEqual({ secret: 4 });
  expect(await versionOf({})).toBeUndefined();
});
