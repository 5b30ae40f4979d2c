import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi } from '../../support/world/api.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const path = '/v1/maintenance-windows';
const once = { startsAt: '2026-11-20T12:00:00+01:00', endsAt: '2026-11-20T14:00:00Z' };
const window = { name: 'New switch', reason: 'Ticket 4711', scope: { sites: ['gbg-central'] }, ...once };

test('a window is created, read, replaced with If-Match, listed by its state and ended', async () => {
  const made = await api.call('POST', path, { body: window });
  expect(made.status).toBe(201);
  const { windowId } = made.body;
  expect(made.body).toMatchObject({
    ...window,
    startsAt: '2026-11-20T11:00:00.000Z',
    endsAt: '2026-11-20T14:00:00.000Z',
    state: 'planned',
    activeUntil: null,
    limitedTo: null,
  });
  expect(made.headers.get('Location')).toBe(`${path}/${windowId}`);
  const other = { ...window, name: 'Longer', endsAt: '2026-11-20T15:00:00Z' };
  const stale = await api.call('PUT', `${path}/${windowId}`, { body: other, headers: { 'If-Match': '"7"' } });
  expect(stale.status).toBe(412);
  const put = await api.call('PUT', `${path}/${windowId}`, { body: other, headers: { 'If-Match': '"1"' } });
  expect([put.status, put.headers.get('ETag')]).toEqual([200, '"2"']);
  api.world.pass(2 * 3600);
  expect((await api.call('GET', `${path}/${windowId}`)).body).toMatchObject({
    state: 'active',
    activeUntil: '2026-11-20T15:00:00.000Z',
  });
  const names = async (state: string) =>
    (await api.call('GET', `${path}?state=${state}`)).body.windows.map(({ name }: { name: string }) => name);
  expect(await names('active')).toEqual(['Longer']);
  expect(await names('planned')).toEqual([]);
  expect((await api.call('DELETE', `${path}/${windowId}`)).status).toBe(204);
  expect((await api.call('GET', `${path}/${windowId}`)).status).toBe(404);
  expect((await api.call('GET', path)).body).toEqual({ windows: [] });
  const { body } = await api.call('GET', '/v1/audit?action=deleteMaintenanceWindow');
  expect(body.entries).toMatchObject([{ resource: { kind: 'maintenance-windows', id: windowId }, outcome: 'done' }]);
});

test.each<[string, object, string]>([
  ['an empty scope', { ...window, scope: {} }, '/scope'],
  ['an empty member of the scope', { ...window, scope: { devices: [] } }, '/scope/devices'],
  ['a tag without values', { ...window, scope: { tags: {} } }, '/scope/tags'],
  ['no time at all', { name: 'x', scope: window.scope }, '/startsAt'],
  ['a begin without an end', { ...window, endsAt: undefined }, '/endsAt'],
  ['both times', { ...window, recurrence: { weekdays: ['mon'], from: '01:00', to: '02:00' } }, '/recurrence'],
  ['an end before its begin', { ...window, endsAt: '2026-11-20T10:59:59Z' }, '/endsAt'],
  ['more than 30 days', { ...window, endsAt: '2026-12-20T11:00:01Z' }, '/endsAt'],
  [
    'a zone that does not exist',
    {
      name: 'x',
      scope: window.scope,
      recurrence: { weekdays: ['mon'], from: '01:00', to: '02:00', timeZone: 'Mars/X' },
    },
    '/recurrence/timeZone',
  ],
  ['a code that there is not', { ...window, scope: { codes: ['CONN_009'] } }, '/scope/codes/0'],
  ['a member that is not known', { ...window, until: 'later' }, '/until'],
])('%s is refused and named', async (_, body, pointer) => {
  const answer = await api.call('POST', path, { body });
  expect(answer.status).toBe(400);
  expect(answer.body.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer);
});

test('a limited token creates windows for its own groups only', async () => {
  const token = await api.issuer.token({ groups: ['north'] });
  const mine = await api.call('POST', path, { token, body: { ...window, scope: { codes: ['*'] } } });
  expect([mine.status, mine.body.limitedTo]).toEqual([201, ['north']]);
  const theirs = await api.call('POST', path, { token, body: { ...window, scope: { groups: ['south'] } } });
  expect([theirs.status, theirs.body.errors[0].pointer]).toEqual([400, '/scope/groups']);
  const own = `${path}/${mine.body.windowId}`;
  const foreign = await api.issuer.token({ groups: ['south'] });
  for (const method of ['GET', 'DELETE']) expect((await api.call(method, own, { token: foreign })).status).toBe(404);
  expect((await api.call('DELETE', own, { token })).status).toBe(204);
});

test('a group has at most 100 windows; ended windows do not count', async () => {
  const now = api.world.now();
  const ofGroup = {
    name: 'Ours',
    scope: { groups: ['west'] },
    startsAt: now,
    endsAt: new Date(Date.parse(now) + 3600_000),
  };
  for (let count = 0; count < 100; count += 1) {
    expect((await api.call('POST', path, { body: ofGroup })).status).toBe(201);
  }
  const full = await api.call('POST', path, { body: ofGroup });
  expect([full.status, full.body.code]).toEqual([409, 'quota-exceeded']);
  expect((await api.call('POST', path, { body: { ...ofGroup, scope: { groups: ['east'] } } })).status).toBe(201);
  api.world.pass(3600);
  const later = { ...ofGroup, endsAt: new Date(Date.parse(now) + 7200_000) };
  expect((await api.call('POST', path, { body: later })).status).toBe(201);
});
