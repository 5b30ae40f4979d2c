import { rmSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import {
  startVapixServer,
  type VapixServer,
  type VapixServerOptions,
} from '../../../../local/cameras/device/vapix-server.ts';
import { createGuardianWorld, goldenParameters } from '../../../support/guardian/world.ts';

// The simulated camera must follow the public description of the interface in everything that the guardian relies on.
let camera: VapixServer;
afterEach(() => camera.close());

const begin = async (options: VapixServerOptions = {}) => {
  camera = await startVapixServer({ configuration: goldenParameters, ...options });
};
const post = (body: string, headers: Record<string, string> = {}) =>
  fetch(`${camera.url}/axis-cgi/mqtt/client.cgi`, { method: 'POST', body, headers });
const call = async (method: string, params?: object, apiVersion = '1.0') => {
  const response = await post(JSON.stringify({ apiVersion, context: 'test', method, params }));
  return { status: response.status, ...((await response.json()) as { data?: never; error?: { code: number } }) };
};

describe('the management interface of a simulated camera', () => {
  test.each([
    ['a version that it does not speak', 'getClientStatus', {}, '2.0', 2100],
    ['a newer version than its own', 'getClientStatus', {}, '1.7', 2100],
    ['a method that it does not know', 'getEverything', {}, '1.0', 2102],
    ['a name that every object has', 'constructor', {}, '1.0', 2102],
    ['a configuration without a server', 'configureClient', { clientId: 'x', cleanSession: true }, '1.0', 2103],
    ['an unknown protocol', 'configureClient', withServer({ protocol: 'mqtt' }), '1.0', 2104],
    ['a port that is none', 'configureClient', withServer({ port: 70_000 }), '1.0', 2104],
    [
      'a last will without its message',
      'configureClient',
      { ...goldenParameters, lastWillTestament: { topic: 'x' } },
      '1.0',
      2104,
    ],
  ])('answers %s with 200 and an error', async (_what, method, params, version, code) => {
    await begin();
    const before = camera.settings();
    expect(await call(method, params, version)).toMatchObject({ status: 200, error: { code } });
    expect(camera.settings()).toEqual(before);
  });

  test('answers what is not JSON with error 2101, and its own faults with 1100', async () => {
    await begin();
    expect(await (await post('{')).json()).toMatchObject({ error: { code: 2101 } });
    camera.setFault({ kind: 'internal-error' });
    expect(await call('getClientStatus')).toMatchObject({ status: 200, error: { code: 1100 } });
  });

  test.each(['1.0', '1.6'] as const)('of version %s reports it, and supports all up to it', async (apiVersion) => {
    await begin({ apiVersion });
    expect(await call('getSupportedVersions')).toMatchObject({ data: { apiVersions: [apiVersion] } });
    expect(await call('getClientStatus', {}, '1.0')).not.toHaveProperty('error');
    expect('error' in (await call('getClientStatus', {}, '1.6'))).toBe(apiVersion === '1.0');
  });

  test('replaces the whole configuration: missing members get their defaults', async () => {
    await begin({ serial: 'ACCC8E000001' });
    await call('configureClient', {
      server: { protocol: 'ssl', host: 'mqtt.example.com' },
      clientId: 'x',
      cleanSession: true,
    });
    expect(camera.settings()).toEqual({
      server: { protocol: 'ssl', host: 'mqtt.example.com', port: 8883, basepath: '' },
      clientId: 'x',
      cleanSession: true,
      keepAliveInterval: 60,
      connectTimeout: 60,
      autoReconnect: true,
      deviceTopicPrefix: 'axis/ACCC8E000001',
      activateOnReboot: true,
    });
  });

  test.each([
    [['connected', 'disconnected']],
    [['Connected', 'Disconnected']],
    [['CONNECTED', 'DISCONNECTED']],
  ] as const)('spells its connection status as configured: %j', async (spelling) => {
    let isUp = true;
    await begin({ spelling, connects: () => isUp });
    expect(await call('getClientStatus')).toMatchObject({ data: { status: { connectionStatus: spelling[0] } } });
    isUp = false;
    expect(await call('getClientStatus')).toMatchObject({ data: { status: { connectionStatus: spelling[1] } } });
  });

  test.each([
    ['basic', /^Basic realm=/],
    ['digest', /^Digest realm=.*nonce=.*qop="auth"/],
  ] as const)('challenges for %s authentication', async (scheme, challenge) => {
    await begin({ authentication: { scheme, username: 'root', password: 'pass' } });
    const refused = await post('{}');
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toMatch(challenge);
    const guess = `Basic ${Buffer.from('root:guess').toString('base64')}`;
    expect((await post('{}', { Authorization: guess })).status).toBe(401);
  });
});

test('a camera that restarts with an older version of its interface is still guarded', async () => {
  const world = await createGuardianWorld();
  await world.look();
  await world.camera.close();
  await begin({ apiVersion: '1.0', port: Number(new URL(world.camera.url).port) });
  camera.tamper('broker.host', 'evil.example.net');
  await world.look();
  await world.drained();
  expect(world.broker.alerts().map((alert) => alert['alertCode'])).toEqual(['CONFIG_DRIFT', 'CONFIG_HEALED']);
  expect(camera.calls()['getSupportedVersions']).toBe(1);
  await world.guardian.publisher.stop();
  await world.broker.stop();
  rmSync(world.folder, { recursive: true });
});

function withServer(change: object): object {
  return { ...goldenParameters, server: { ...goldenParameters.server, ...change } };
}
