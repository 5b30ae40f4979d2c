import { afterEach, beforeEach, expect, test } from 'vitest';
import { giveTeam } from '../../support/records/alerts.ts';
import { startTestApi } from '../../support/world/api.ts';
import { createWays, names } from '../../support/world/ways.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
let ways: ReturnType<typeof createWays>;
beforeEach(async () => {
  api = await startTestApi();
  ways = createWays(api.world);
});
afterEach(() => api.stop());

const groupOf = (deviceId: string) => (Number(deviceId.split('-')[1]) < 150 ? 'north' : 'south');
const fleet = async (token?: string) => (await api.call('GET', '/v1/fleet', token ? { token } : {})).body;

test('200 cameras dead for six hours are unknown, never "100 % online", for every bearer and on each device', async () => {
  const cameras = names(200);
  await ways.live(4, cameras, groupOf);
  expect(await fleet()).toMatchObject({
    devices: { total: 200, online: 200, offline: 0, unknown: 0, neverSeen: 0, onlinePercent: 100 },
    platform: {
      state: 'sees',
      ways: [
        { name: 'broker', state: 'sees' },
        { name: 'ingest', state: 'sees' },
      ],
    },
  });
  ways.state.broker = false;
  await ways.live(12, cameras);
  api.world.pass(6 * 3600);
  await ways.sweep();
  expect(await fleet()).toMatchObject({
    devices: { total: 200, online: 0, offline: 0, unknown: 200, neverSeen: 0, onlinePercent: 0 },
    platform: { state: 'blind', ways: [{ name: 'broker', state: 'blind' }, { name: 'ingest' }] },
  });
  const token = await api.issuer.token({ groups: ['north'] });
  expect(await fleet(token)).toMatchObject({
    devices: { total: 150, online: 0, unknown: 150 },
    platform: { state: 'blind' },
  });
  const both = await api.issuer.token({ groups: ['north', 'south'] });
  expect((await fleet(both)).devices).toMatchObject({ total: 200, online: 0, unknown: 200 });
  const { body } = await api.call('GET', '/v1/devices/cam-0');
  expect(body).toMatchObject({ state: 'unknown', isOnline: false, online: false });
  expect((await api.call('GET', '/v1/devices?pageSize=1')).body.devices).toMatchObject([{ state: 'unknown' }]);
});

test('devices are filtered by state: online, offline, unknown or several of these', async () => {
  const cameras = names(9);
  await ways.live(4, cameras, groupOf);
  await ways.lose('cam-8');
  await ways.live(8, cameras.slice(0, 8));
  const ids = async (query: string) => {
    const found: string[] = [];
    for (let token = ''; ; ) {
      const { status, body } = await api.call('GET', `/v1/devices?pageSize=2&${query}${token}`);
      expect(status).toBe(200);
      found.push(...body.devices.map(({ deviceId }: { deviceId: string }) => deviceId.slice(4)));
      if (body.nextPageToken === undefined) return found.join('');
      token = `&pageToken=${encodeURIComponent(body.nextPageToken)}`;
    }
  };
  const all = async () => {
    const queries = ['state=online', 'state=offline', 'state=unknown', 'state=offline&state=unknown', 'online=true'];
    return Promise.all([...queries, 'online=false', 'online=true&state=offline', 'q=cam-'].map(ids));
  };
  expect(await all()).toEqual(['01234567', '8', '', '8', '01234567', '8', '', '012345678']);
  // Two cameras report only once an hour, so they are not overdue when the platform becomes blind.
  for (const deviceId of ['cam-2', 'cam-6']) {
    await api.call('PATCH', `/v1/devices/${deviceId}`, { body: { reporting: { periodSeconds: 3600 } } });
  }
  ways.state.broker = false;
  await ways.live(15, cameras);
  expect(await all()).toEqual(['26', '8', '013457', '0134578', '26', '0134578', '', '012345678']);
});

test('three minutes after the last sweep the platform is blind, and no device is shown as online', async () => {
  await ways.live(4, names(3), groupOf);
  const since = api.world.now();
  api.world.pass(180);
  expect(await fleet()).toMatchObject({ devices: { online: 3 }, platform: { state: 'sees' } });
  api.world.pass(1);
  expect(await fleet()).toMatchObject({
    devices: { total: 3, online: null, onlinePercent: null },
    platform: { state: 'blind', since },
  });
});

test('an empty fleet has no percentage', async () => {
  await ways.sweep();
  expect((await fleet()).devices).toEqual({
    total: 0,
    online: 0,
    offline: 0,
    unknown: 0,
    neverSeen: 0,
    onlinePercent: null,
  });
});

test('4,998 of 5,000 devices online are 99.9 %: the share is rounded down', async () => {
  await ways.report('cam-0');
  const [camera] = await api.world.store.get('devices', ['cam-0']);
  if (!camera) throw new Error('no camera');
  const copies = names(5000).slice(1);
  for (let from = 0; from < copies.length; from += 400) {
    const batch = copies.slice(from, from + 400).map((id, index) => {
      const data = { ...camera.data, deviceId: id, isOnline: from + index > 1 };
      return { kind: 'create', in: 'devices', id, data } as const;
    });
    await api.world.store.commit(batch);
  }
  await ways.sweep();
  expect((await fleet()).devices).toMatchObject({ total: 5000, online: 4998, onlinePercent: 99.9 });
});

test('`reach` shows whether anybody would be notified', async () => {
  expect((await fleet()).reach).toEqual({ contacts: false });
  await giveTeam(api.world, 'operations', { emails: ['ops@example.com'] });
  await ways.sweep();
  expect((await fleet()).reach).toEqual({ contacts: true });
});
