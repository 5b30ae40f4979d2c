import { afterEach, beforeEach, expect, test } from 'vitest';
import { startTestApi } from '../../support/world/api.ts';
import { createWays, names } from '../../support/world/ways.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
let ways: ReturnType<typeof createWays>;
beforeEach(async () => {
  api = await startTestApi();
  ways = createWays(api.world);
});
afterEach(() => api.stop());

const cameras = names(5);
const four = [1, 2, 3, 4].map((partition) => ({ partition, of: 4 }));
const listed = async () => (await api.call('GET', '/v1/bridges')).body.bridges;
const namesOf = async () =>
  (await listed()).map(({ partition, of }: { partition: number; of: number }) => `${partition}/${of}`);
const platform = async () => (await api.call('GET', '/v1/fleet')).body.platform;

test('a dead bridge of four makes the platform blind and is named, until it is heard again', async () => {
  ways.divide(four);
  await ways.live(4, cameras);
  expect(await namesOf()).toEqual(['1/4', '2/4', '3/4', '4/4']);
  expect((await platform()).state).toBe('sees');
  const [, { lastHeardAt }] = await listed();
  ways.divide(four.filter(({ partition }) => partition !== 2));
  // Nothing else reports either, so that no report speaks against the canary.
  await ways.live(8, []);
  const { state, incidentId } = await platform();
  expect(state).toBe('blind');
  const { body } = await api.call('GET', `/v1/incidents/${incidentId}`);
  expect(JSON.stringify(body.evidence)).toContain('bridge 2 of 4 not heard since ');
  expect((await listed())[1].lastHeardAt >= lastHeardAt).toBe(true);
  ways.divide(four);
  await ways.live(8, cameras);
  expect((await platform()).state).toBe('sees');
});

test('bridges that are divided anew replace the old ones by evidence', async () => {
  await ways.live(3, cameras);
  expect(await namesOf()).toEqual(['1/1']);
  ways.divide([{ partition: 1, of: 1 }, ...four.slice(0, 3)]);
  await ways.live(3, cameras);
  expect(await namesOf()).toEqual(['1/1', '1/4', '2/4', '3/4', '4/4']);
  ways.divide(four);
  await ways.live(3, cameras);
  expect(await namesOf()).toEqual(['1/4', '2/4', '3/4', '4/4']);
  expect((await platform()).state).toBe('sees');
});

test('a person removes a bridge, which is audited; a canary through it brings it back', async () => {
  ways.divide(four);
  await ways.live(3, cameras);
  expect((await api.call('DELETE', '/v1/bridges/4/2')).status).toBe(204);
  expect(await namesOf()).toEqual(['1/4', '3/4', '4/4']);
  expect((await api.call('DELETE', '/v1/bridges/4/2')).status).toBe(404);
  const { body } = await api.call('GET', '/v1/audit?action=removeBridge&outcome=done');
  expect(body.entries).toMatchObject([{ resource: { kind: 'bridges', id: '4:2' }, outcome: 'done' }]);
  await ways.live(2, cameras);
  expect(await namesOf()).toEqual(['1/4', '2/4', '3/4', '4/4']);
});

test('a bridge that was never heard can be removed too, one that nobody expects cannot', async () => {
  ways.divide(four.slice(0, 3));
  await ways.live(3, cameras);
  expect((await listed())[3]).toEqual({ partition: 4, of: 4, lastHeardAt: null });
  expect((await api.call('DELETE', '/v1/bridges/4/4')).status).toBe(204);
  expect(await namesOf()).toEqual(['1/4', '2/4', '3/4']);
  for (const path of ['4/5', '8/1', 'x/y', '4/01', '0/0'])
    expect([path, (await api.call('DELETE', `/v1/bridges/${path}`)).status]).toEqual([path, 404]);
});

test('a token limited to groups may not remove a bridge', async () => {
  const token = await api.issuer.token({ groups: ['north'] });
  expect((await api.call('DELETE', '/v1/bridges/1/1', { token })).status).toBe(403);
});
