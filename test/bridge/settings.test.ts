import { expect, test } from 'vitest';
import { readSettings } from '../../bridge/settings.ts';

const good = { MQTT_URL: 'mqtts://bridge:p%40ss@broker.example.com', GOOGLE_CLOUD_PROJECT: 'p' };

test('account and password can stand in the address, and the rest has defaults', () => {
  expect(readSettings(good)).toMatchObject({
    broker: { username: 'bridge', password: 'p@ss', clientId: 'watchpost-bridge', version: 5, ca: null, window: 2000 },
    publisher: { projectId: 'p', topic: 'device-messages', emulator: null },
    mostBytes: 64 * 1024 * 1024,
    port: 8080,
  });
});

test.each([
  ['MQTT_URL', undefined, 'is required'],
  ['MQTT_URL', 'https://broker.example.com', 'must be an address that begins with mqtts://'],
  [
    'MQTT_URL',
    'mqtt://broker.example.com',
    'must begin with mqtts:// or wss://, because the broker is on another host',
  ],
  ['MQTT_VERSION', '4', 'must be 5 or 3.1.1'],
  ['MQTT_WINDOW', '70000', 'must be a whole number from 1 to 65535'],
  ['MQTT_CA_FILE', '/nowhere/ca.pem', 'names a file that cannot be read'],
  ['MQTT_CERTIFICATE_FILE', '/dev/null', 'MQTT_KEY_FILE belong together'],
  ['MQTT_ALLOW_PLAIN', 'yes', 'must be true or false'],
  ['PARTITION', '5/4', 'must be like 2/4'],
  ['PARTITION', '1/3', 'must be like 2/4'],
  ['PARTITION', '1/128', 'must be like 2/4'],
  ['PARTITION', '2', 'must be like 2/4'],
  ['MAX_IN_FLIGHT_MB', '0', 'must be a whole number from 1 to 4096'],
  ['GOOGLE_CLOUD_PROJECT', '', 'is required'],
])('%s=%s is refused by name: it %s', (name, value, why) => {
  const read = () => readSettings({ ...good, MQTT_PASSWORD: 'secret', [name]: value });
  expect(read).toThrow(name);
  expect(read).toThrow(why);
  expect(read).not.toThrow('secret');
});

test.each(['mqtt://127.0.0.1:1883', 'mqtt://localhost', 'ws://[::1]:9001/mqtt', 'wss://broker.example.com/mqtt'])(
  '%s needs no permission',
  (url) => {
    expect(readSettings({ ...good, MQTT_URL: url }).broker.url.href).toContain(url);
  },
);

test('a broker on another host without TLS needs permission', () => {
  const env = { ...good, MQTT_URL: 'mqtt://broker.example.com', MQTT_ALLOW_PLAIN: 'true' };
  expect(readSettings(env).broker.url.protocol).toBe('mqtt:');
});

test('bridges that share the devices have a client id each', () => {
  const { partition, broker } = readSettings({ ...good, PARTITION: '2/4', MQTT_CLIENT_ID: 'edge' });
  expect([partition, broker.clientId]).toEqual([{ partition: 2, of: 4 }, 'edge-2-4']);
});
