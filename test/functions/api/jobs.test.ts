import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestAlert } from '../../support/records/alerts.ts';
import { startTestApi } from '../../support/world/api.ts';
import { createTestWorld } from '../../support/world/world.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi(createTestWorld());
});
afterAll(() => api.stop());

test('operators may read and cancel their own jobs; others need a settings scope and all groups', async () => {
  await openTestAlert(api.world, { groupId: 'north' });
  const scope = 'alerts:read alerts:write';
  const token = await api.issuer.token({ sub: 'olu', scope, groups: ['north'] });
  const body = { action: 'acknowledge', filter: { groupId: ['north'] } };
  const { status, headers, body: started } = await api.call('POST', '/v1/alerts/batch/matching', { token, body });
  expect([status, started.matched, headers.get('Location')]).toEqual([202, 1, `/v1/jobs/${started.jobId}`]);
  const path = `/v1/jobs/${started.jobId}`;
  const seenBy = async (claims: Record<string, unknown>) =>
    (await api.call('GET', path, { token: await api.issuer.token(claims) })).status;
  expect(await seenBy({ sub: 'olu', scope, groups: ['north'] })).toBe(200);
  expect(await seenBy({ sub: 'eve', scope })).toBe(404);
  expect(await seenBy({ sub: 'eve', scope, groups: ['north'] })).toBe(404);
  expect(await seenBy({ sub: 'eve', scope: 'settings:read' })).toBe(200);
  expect(await seenBy({ sub: 'eve', scope: 'devices:read' })).toBe(403);
  const stranger = await api.issuer.token({ sub: 'eve', scope });
  expect((await api.call('POST', `${path}/cancel`, { token: stranger })).status).toBe(404);
  expect((await api.call('POST', `${path}/cancel`, { token })).body.status).toBe('cancelled');
});

test('a job with an invalid filter is refused, and the member is named', async () => {
  const ask = (filter: object) =>
    api.call('POST', '/v1/alerts/batch/matching', { body: { action: 'resolve', filter } });
  for (const [filter, pointer] of [
    [{ severity: ['LOUD'] }, '/filter/severity/0'],
    [{ orderBy: 'urgency desc' }, '/filter/orderBy'],
    [{ pageSize: 5 }, '/filter/pageSize'],
  ] as const) {
    const { status, body } = await ask(filter);
    expect([status, body.errors?.[0]?.pointer]).toEqual([400, pointer]);
  }
});
