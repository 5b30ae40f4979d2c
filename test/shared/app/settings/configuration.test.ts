import { describe, expect, test } from 'vitest';
import {
  configurationAt,
  knownConfiguration,
  loadConfiguration,
  lockedConfiguration,
  quotas,
  recentConfiguration,
  requireQuota,
  revisionWrite,
} from '../../../../shared/app/settings/configuration.ts';
import { defaultSettings } from '../../../../shared/domain/settings/settings.ts';
import { endpoint, giveWebhook } from '../../../support/records/deliveries.ts';
import { createTestWorld } from '../../../support/world/world.ts';

test('without any record the configuration is the defaults, and the team of operations exists', async () => {
  const { webhooks, rules, windows, teams, settings } = await loadConfiguration(createTestWorld());
  expect([webhooks, rules, windows, [...teams.keys()]]).toEqual([[], [], [], ['operations']]);
  expect(settings).toEqual(defaultSettings);
});

describe('a cached configuration', () => {
  test('is the same until a commit makes it stale', async () => {
    const world = createTestWorld();
    const first = await loadConfiguration(world);
    expect(await loadConfiguration(world)).toBe(first);
    await giveWebhook(world);
    const second = await loadConfiguration(world);
    expect(second.webhooks).toHaveLength(1);
    expect(await configurationAt(world.store, null)).not.toBe(second);
  });

  test('counts its revisions from one', async () => {
    const world = createTestWorld();
    const revision = async () => (await world.store.get('revisions', ['configuration']))[0]?.data;
    await world.store.commit([await revisionWrite(world.store)]);
    expect(await revision()).toEqual({ count: 1 });
    await world.store.commit([await revisionWrite(world.store)]);
    expect(await revision()).toEqual({ count: 2 });
    const [, write] = await lockedConfiguration(world);
    await world.store.commit([write]);
    expect(await revision()).toEqual({ count: 3 });
  });

  test('is locked: of two changes on one revision the second fails', async () => {
    const world = createTestWorld();
    const [, first] = await lockedConfiguration(world);
    const [, second] = await lockedConfiguration(world);
    await world.store.commit([first]);
    expect((await world.store.get('revisions', ['configuration']))[0]?.data).toEqual({ count: 1 });
    await expect(world.store.commit([second])).rejects.toThrow();
  });

  test('is known without a read for less than a minute after it was checked', async () => {
    const world = createTestWorld();
    expect(await knownConfiguration(world)).toBeNull();
    await loadConfiguration(world);
    // Loading it for one use case does not make it known to others: only `recentConfiguration` does.
    expect(await knownConfiguration(world)).toBeNull();
    const checked = await recentConfiguration(world);
    expect(await knownConfiguration(world)).toBe(checked);
    world.pass(59.999);
    expect(await knownConfiguration(world)).toBe(checked);
    expect(await recentConfiguration(world)).toBe(checked);
    world.pass(0.001);
    expect(await knownConfiguration(world)).toBeNull();
    await recentConfiguration(world);
    expect(await knownConfiguration(world)).toBe(checked);
  });

  test('of a clock that was set back is not trusted', async () => {
    const world = createTestWorld();
    await recentConfiguration(world);
    world.pass(-0.001);
    expect(await knownConfiguration(world)).toBeNull();
  });

  test('that is up to a minute old may lack a change', async () => {
    const world = createTestWorld();
    await recentConfiguration(world);
    await giveWebhook(world);
    expect((await recentConfiguration(world)).webhooks).toEqual([]);
    world.pass(60);
    expect((await recentConfiguration(world)).webhooks).toHaveLength(1);
  });
});

test('endpoints are in the order of their creation, and windows that are over are left out', async () => {
  const world = createTestWorld();
  const [first, second] = ['2026-11-01T00:00:00.000Z', '2026-11-02T00:00:00.000Z'];
  const later = endpoint({ webhookId: '11111111-1111-4111-8111-000000000001', createdAt: second });
  const earlier = endpoint({ webhookId: '11111111-1111-4111-8111-000000000002', createdAt: first });
  await world.store.commit(
    [later, earlier].map((data) => ({ kind: 'create', in: 'webhooks', id: data.webhookId, data }) as const),
  );
  const { webhooks } = await loadConfiguration(world);
  expect(webhooks.map(({ createdAt }) => createdAt)).toEqual([first, second]);
});

describe('a quota', () => {
  test('is 50 endpoints, 100 rules and 100 windows of a group', () => {
    expect(quotas).toMatchObject({ webhooks: 50, rules: 100, windows: 100 });
  });

  test('is used up by records of the group alone', () => {
    const of = (count: number, group: string) => Array.from({ length: count }, () => [group]);
    const asked =
      (...others: string[][][]) =>
      () =>
        requireQuota('webhooks', { groups: ['south', 'north'], others: others.flat() });
    expect(asked(of(49, 'north'), of(50, 'west'), of(49, 'south'))).not.toThrow();
    expect(asked(of(50, 'north'))).toThrow('The group north already has 50 webhooks, the maximum.');
    expect(() => requireQuota('webhooks', { groups: [], others: of(60, 'north') })).not.toThrow();
  });
});
