import { afterAll, beforeAll, expect, test } from 'vitest';
import { takeMessage } from '../../shared/app/intake/take-message.ts';
import { allRecords } from '../support/records/records.ts';
import { message } from '../support/records/reports.ts';
import { score } from '../support/score/score.ts';
import { onStore, storesOfRun } from '../support/stores/store-of-run.ts';
import { startTestApi } from '../support/world/api.ts';
import { frames } from '../support/world/frames.ts';
import { createTestWorld } from '../support/world/world.ts';

const stores = storesOfRun();
let api: Awaited<ReturnType<typeof startTestApi>>;
let eve: string;
let both: string;
beforeAll(async () => {
  api = await startTestApi(createTestWorld(stores.empty()));
  eve = await api.issuer.token({ groups: ['north'], sub: 'eve' });
  both = await api.issuer.token({ groups: ['north', 'south'], sub: 'sue' });
});
afterAll(() => api.stop());

const span = { startsAt: '2026-11-01T00:00:00Z', endsAt: '2026-11-30T00:00:00Z' };
const ofNorth = { name: 'New switch in the north', scope: { groups: ['north'] }, ...span };
const ofAll = { name: 'silence', scope: { codes: ['*', 'SEC_*'] }, ...span };
const report = { name: 'North', every: 'week', timeZone: 'UTC', groups: ['north'], emails: ['owner@example.com'] };
const { groups: _, ...reportOfAll } = { ...report, emails: ['eve@evil.example'] };
const endpoint = { url: 'https://hooks.example.com/', filter: { groups: ['north'] } };

const made = async (path: string, idOf: string, body: object, token?: string): Promise<string> => {
  const answer = await api.call('POST', path, { body, ...(token ? { token } : {}) });
  expect(answer.status).toBe(201);
  return `${path}/${answer.body[idOf]}`;
};
const windowOf = (body: object, token?: string) => made('/v1/maintenance-windows', 'windowId', body, token);
const reportOf = (body: object, token?: string) => made('/v1/reports/schedules', 'scheduleId', body, token);

/** Each attack: who made the record, the call of a token of `north`, and the statuses that refuse it. */
const attacks: [string, () => Promise<string>, string, object | undefined, number[]][] = [
  [
    'replaces an administrator’s window for north by one for every camera',
    () => windowOf(ofNorth),
    'PUT',
    ofAll,
    [403],
  ],
  ['replaces an administrator’s window for north by another for north', () => windowOf(ofNorth), 'PUT', ofNorth, [403]],
  ['deletes an administrator’s window for north', () => windowOf(ofNorth), 'DELETE', undefined, [403]],
  ['widens the window of a colleague of two groups', () => windowOf(ofNorth, both), 'PUT', ofAll, [400, 403]],
  ['mails himself the report of the whole fleet', () => reportOf(report), 'PUT', reportOfAll, [403]],
  [
    'mails himself the report that an administrator made for north',
    () => reportOf(report),
    'PUT',
    { ...reportOfAll, groups: ['north'] },
    [403],
  ],
  ['stops the report that an administrator made for north', () => reportOf(report), 'DELETE', undefined, [403]],
  ['widens the report of a colleague of two groups', () => reportOf(report, both), 'PUT', reportOfAll, [400, 403]],
  [
    'moves an administrator’s endpoint for north to his own address',
    () => made('/v1/webhooks', 'webhookId', endpoint),
    'PATCH',
    { url: 'https://evil.example/' },
    [403],
  ],
  [
    'widens his own endpoint',
    () => made('/v1/webhooks', 'webhookId', endpoint, eve),
    'PATCH',
    { filter: { devices: ['cam-south'] } },
    [400],
  ],
];

test.each(attacks)('no token of one group %s', async (_title, make, method, body, refused) => {
  const path = await make();
  const before = await configuration();
  const { status } = await api.call(method, path, { token: eve, ...(body ? { body } : {}) });
  const after = await configuration();
  const isThrough = !refused.includes(status) || JSON.stringify(after) !== JSON.stringify(before);
  score('S19', `named second writes${onStore}`, 1, isThrough ? 1 : 0);
  expect([status, after]).toEqual([expect.toBeOneOf(refused), before]);
  const { body: kept } = await api.call('GET', '/v1/audit?outcome=refused', {});
  const entries = kept.entries.filter(({ resource }: { resource: { id: string } }) => path.endsWith(resource.id));
  expect(entries).toHaveLength(status === 403 ? 1 : 0);
});

test('no token of one group silences the cameras of every customer through an administrator’s window for north', async () => {
  const path = await windowOf(ofNorth);
  await api.call('PUT', path, { token: eve, body: ofAll });
  const send = (kind: string, body: object) =>
    takeMessage(api.world, message(kind, body, { deviceId: 'cam-south' }), {
      bridgeDialect: 'native',
      autoRegister: true,
      frames,
    });
  await send('status', { groupId: 'south', memory: { usedPercent: 99 } });
  const { body } = await api.call('GET', '/v1/devices/cam-south/alerts');
  expect(body.alerts.length).toBeGreaterThan(0);
  const silenced = body.alerts.filter(({ maintenance }: { maintenance: string | null }) => maintenance !== null);
  score('S19', `alerts of another customer under a window of north${onStore}`, body.alerts.length, silenced.length);
  expect(silenced).toEqual([]);
});

/** What people configure, and nothing that follows from it. */
async function configuration(): Promise<string[]> {
  const all = await allRecords(api.world.store);
  return all
    .filter((record) => /^(windows|reportSchedules|webhooks|rules|teams|settings|places) /.test(record))
    .toSorted();
}
