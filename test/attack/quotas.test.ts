import { afterAll, beforeAll, expect, test } from 'vitest';
import { summarizeFleet } from '../../shared/app/fleet/summaries.ts';
import { takeMessage } from '../../shared/app/intake/take-message.ts';
import { quotas } from '../../shared/app/settings/configuration.ts';
import { message } from '../support/records/reports.ts';
import { score } from '../support/score/score.ts';
import { onStore, storesOfRun } from '../support/stores/store-of-run.ts';
import { startTestApi } from '../support/world/api.ts';
import { frames } from '../support/world/frames.ts';
import { createTestWorld, type TestWorld } from '../support/world/world.ts';

// A token that names groups without devices must not get a quota for each of them, and so use up what all customers share.

const stores = storesOfRun();
const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
const ghosts = Array.from({ length: 30 }, (_, index) => `ghost-${index}`);
let world: TestWorld;
let api: Awaited<ReturnType<typeof startTestApi>>;
let eve: string;
let sue: string;
beforeAll(async () => {
  world = createTestWorld(stores.empty());
  for (const groupId of ['north', 'south']) {
    const report = message('status', { groupId, memory: { usedPercent: 40 } }, { deviceId: `cam-${groupId}` });
    await takeMessage(world, report, intake);
  }
  await summarizeFleet(world);
  api = await startTestApi(world);
  eve = await api.issuer.token({ groups: ['north', ...ghosts], sub: 'eve' });
  sue = await api.issuer.token({ groups: ['south', 'ghost-1'], sub: 'sue' });
});
afterAll(() => api.stop());

const span = { startsAt: '2026-11-01T00:00:00Z', endsAt: '2026-11-30T00:00:00Z' };
const emails = ['owner@example.com'];
/** Each kind of record with a quota that a limited token may make. */
const kinds: [kind: keyof typeof quotas, path: string, bodyOf: (groups: string[]) => object][] = [
  ['webhooks', '/v1/webhooks', (groups) => ({ url: 'https://hooks.example.com/', filter: { groups } })],
  ['windows', '/v1/maintenance-windows', (groups) => ({ name: 'Work', scope: { groups }, ...span })],
  ['reports', '/v1/reports/schedules', (groups) => ({ name: 'R', every: 'week', timeZone: 'UTC', groups, emails })],
];

test.each(kinds)(
  'groups without devices give a token no further room for %s, and take none from others',
  async (kind, path, bodyOf) => {
    const create = async (token: string, groups: string[]) => {
      const { status, body } = await api.call('POST', path, { token, body: bodyOf(groups) });
      return status === 409 ? body.code : status;
    };
    const all = quotas[kind];
    const half = all / 2;
    let made = 0;
    // Another name each time, pairs of names, and every name at once.
    const tried = Array.from({ length: all + 40 }, (_, index) => {
      const at = (step: number) => ghosts[(index * step) % ghosts.length] ?? '';
      if (index % 10 === 9) return ghosts;
      return index % 2 === 0 ? [at(1)] : [...new Set([at(1), at(7)])];
    });
    for (const groups of tried) if ((await create(eve, groups)) === 201) made += 1;
    expect(made).toBe(all);
    for (const ghost of ghosts) expect(await create(eve, [ghost])).toBe('quota-exceeded');
    // With a group of his own beside it, the name is still counted; by itself the group has its whole quota.
    expect(await create(eve, ['north', 'ghost-0'])).toBe('quota-exceeded');
    for (let index = 0; index < half; index += 1) expect(await create(eve, ['north'])).toBe(201);
    // Who has a group with devices is not burdened.
    for (let index = 0; index < half; index += 1) expect(await create(sue, ['south'])).toBe(201);
    score('S15', `${kind} of groups without devices${onStore}`, tried.length + ghosts.length + 1, 0);
  },
);
