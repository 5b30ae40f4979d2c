import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPageTokens } from '../../shared/adapters/auth/page-tokens.ts';
import { newDevice } from '../../shared/domain/device/device.ts';
import { openTestAlert } from '../support/records/alerts.ts';
import { score } from '../support/score/score.ts';
import { onStore, storesOfRun } from '../support/stores/store-of-run.ts';
import { startTestApi } from '../support/world/api.ts';
import { createTestWorld } from '../support/world/world.ts';

const mark = 'SOUTHMARK';
const stores = storesOfRun();
let api: Awaited<ReturnType<typeof startTestApi>>;
let north: string;
beforeAll(async () => {
  api = await startTestApi(createTestWorld(stores.empty()));
  north = await api.issuer.token({ groups: ['north'] });
  const device = { ...newDevice('cam-n1', api.world.now()), groupId: 'north' };
  await api.world.store.commit([{ kind: 'create', in: 'devices', id: 'cam-n1', data: device }]);
  for (let index = 0; index < 6; index += 1) {
    await openTestAlert(api.world, { deviceId: `cam-n${index}`, groupId: 'north' });
    await openTestAlert(api.world, { deviceId: `cam-s${index}`, groupId: 'south', message: mark });
    api.world.pass(1);
  }
});
afterAll(() => api.stop());

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Page tokens of other bearers, filters, orders and keys, malformed ones, and a good one with one character changed at a time. */
async function forged(): Promise<string[]> {
  const tokenOf = async (path: string, token?: string) =>
    String((await api.call('GET', path, token === undefined ? {} : { token })).body.nextPageToken);
  const good = await tokenOf('/v1/alerts?pageSize=2', north);
  const [body = '', signature = ''] = good.split('.');
  const positions = [
    [],
    null,
    1,
    '',
    {},
    ['2026-11-20T10:00:03.000Z'],
    ['', ''],
    [mark, mark],
    [null, null],
    [{}, []],
    { length: 9 },
  ];
  const others = createPageTokens(Buffer.alloc(32, 2));
  return [
    await tokenOf('/v1/alerts?pageSize=2'),
    await tokenOf('/v1/alerts?pageSize=2&status=all', north),
    await tokenOf('/v1/alerts?pageSize=2&orderBy=timestamp%20asc', north),
    await tokenOf('/v1/alerts?pageSize=2', await api.issuer.token({ groups: ['south'] })),
    await tokenOf('/v1/alerts?pageSize=2', await api.issuer.token({ groups: ['north', 'south'] })),
    others.seal('alerts', ['2026-11-20T10:00:03.000Z', 'x']),
    ...positions.flatMap((position) => [`${part(position)}.${signature}`, part(position), `${part(position)}.`]),
    ...Array.from(
      body,
      (letter, index) => `${body.slice(0, index)}${letter === 'A' ? 'B' : 'A'}${body.slice(index + 1)}.${signature}`,
    ),
    // Not the last character of the signature: base64url does not use all of its bits.
    ...Array.from(
      signature.slice(0, -1),
      (letter, index) =>
        `${body}.${signature.slice(0, index)}${letter === 'A' ? 'B' : 'A'}${signature.slice(index + 1)}`,
    ),
    ...[
      '',
      '.',
      '..',
      'a.b',
      `${good}.x`,
      `.${signature}`,
      `${body}.${signature}${signature}`,
      'a'.repeat(2048),
      'null',
      '__proto__',
      '0',
      '-1',
    ],
  ];
}

test('each list accepts only its own page tokens', async () => {
  const through: string[] = [];
  const tokens = await forged();
  const tried = [
    ...tokens.map((token) => `/v1/alerts?pageSize=2&pageToken=${encodeURIComponent(token)}`),
    ...[
      'devices',
      'webhooks',
      'deliveries',
      'guardian-alerts',
      'rules',
      'quarantine',
      'devices/cam-n1/alerts',
      'devices/cam-n1/activity',
    ].map((list) => `/v1/${list}?pageToken=${encodeURIComponent(tokens[0] ?? '')}`),
  ];
  for (const path of tried) {
    const { status, body } = await api.call('GET', path, { token: north });
    if (status !== 400 || JSON.stringify(body).includes(mark)) through.push(`${path}: ${status}`);
  }
  score('S9', `forged and foreign page tokens${onStore}`, tried.length, through.length);
  expect(through).toEqual([]);
});

test('no filter shows rows of another group', async () => {
  const filters = [
    'groupId=south',
    'groupId=north&groupId=south',
    'groupId=SOUTH',
    'groupId=*',
    'groupId=',
    'groupId=south&groupId=south',
  ];
  const others = [
    'status=all',
    'deviceId=cam-s1',
    'code=CONN_001',
    'severity=CRITICAL',
    'category=connectivity',
    'since=0001-01-01T00:00:00Z',
    'q=cam-s',
    'snoozed=false',
  ];
  const lists = [
    'alerts',
    'devices',
    'devices/cam-s1/alerts',
    'devices/cam-s1/activity',
    'guardian-alerts',
    'deliveries',
    'fleet',
    'fleet/trends',
  ];
  const paths = lists.flatMap((list) =>
    [...filters, ...others, ...filters.map((filter) => `${filter}&status=all`)].map((query) => `/v1/${list}?${query}`),
  );
  const through: string[] = [];
  for (const path of paths) {
    const { body } = await api.call('GET', path, { token: north });
    const text = JSON.stringify({ ...body, errors: [], detail: '' });
    if (text.includes(mark) || text.includes('cam-s')) through.push(path);
  }
  score('S9', `filters that name other groups${onStore}`, paths.length, through.length);
  expect(through).toEqual([]);
});
