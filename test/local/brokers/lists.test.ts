import { readFileSync } from 'node:fs';
import { connectAsync, type MqttClient } from 'mqtt';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formats } from '../../../cli/src/broker/formats.ts';
import { readAccessList } from '../../../local/brokers/access-list.ts';
import { dialects } from '../../../shared/domain/intake/dialects.ts';
import { type DocumentedMosquitto, passwordAt, startDocumentedMosquitto } from '../../support/bridge/mosquitto.ts';
import { emqxList, hivemqList, type MayPublish, registryList } from '../../support/guardian/broker-lists.ts';
import { hasMosquitto } from '../../support/guardian/mosquitto.ts';
import { until } from '../../support/guardian/world.ts';

const mosquittoList = readAccessList(
  readFileSync(new URL('../../../local/brokers/lists/mosquitto.acl', import.meta.url), 'utf8'),
);
const kinds = ['status', 'connection', 'event', 'guardian', 'detection'];
const users = ['cam-1', 'guardian-cam-1', 'cam-2', 'stranger', 'watchpost-canary', 'watchpost-probe'] as const;
/** The topics to which each user may publish. A stranger has an account, but is no camera, guardian or part of the service. */
const own: Record<string, string[]> = {
  'cam-1': kinds.map((kind) => `devices/cam-1/${kind}`),
  'cam-2': kinds.map((kind) => `devices/cam-2/${kind}`),
  'guardian-cam-1': ['guardians/cam-1/alert', 'guardians/cam-1/health'],
  'watchpost-canary': ['watchpost/canary'],
  'watchpost-probe': [],
};
const topics = [
  ...['cam-1', 'cam-2', 'guardian-cam-1'].flatMap((id) =>
    [...kinds, 'guardian-alert', 'other', 'status/more'].map((kind) => `devices/${id}/${kind}`),
  ),
  ...['cam-1', 'cam-2', 'guardian-cam-1'].flatMap((id) =>
    ['alert', 'health', 'status', 'alert/more'].map((kind) => `guardians/${id}/${kind}`),
  ),
  'devices',
  'guardians/cam-1',
  'watchpost/canary',
  'watchpost/other',
  'devices/watchpost-canary/status',
  'devices/watchpost-probe/status',
  'elsewhere',
];
/** Each denial costs a new connection, which takes time, so the accounts of the service try one topic of each kind. */
const triedBy = (user: string) =>
  user.startsWith('watchpost-') ? topics.filter((topic) => /watchpost|cam-1\/(status|alert)$/.test(topic)) : topics;
const said = (user: string, mayPublish: MayPublish) => topics.filter((topic) => mayPublish(user, topic)).toSorted();

test.each(Object.keys(own))(
  'the local broker, with the access list of Mosquitto, lets %s publish on exactly its own topics and subscribe to nothing',
  (user) => {
    expect(said(user, mosquittoList.mayPublish)).toEqual(own[user]?.toSorted());
    expect(said(user, mosquittoList.mayHear)).toEqual([]);
  },
);

test('the local broker gives every guardian the rights of the guardian in the list, and none to names with topic characters', () => {
  expect(mosquittoList.mayPublish('guardian-gate.7', 'guardians/gate.7/alert')).toBe(true);
  for (const topic of [
    'guardians/cam-1/alert',
    'guardians/gate.7/status',
    'devices/gate.7/guardian',
    'devices/guardian-gate.7/status',
  ])
    expect([topic, mosquittoList.mayPublish('guardian-gate.7', topic)]).toEqual([topic, false]);
  for (const user of ['', '+', '#', 'cam-1/status', 'guardian-+', 'guardian-cam-1/alert'])
    expect([user, said(user, mosquittoList.mayPublish)]).toEqual([user, []]);
  expect(mosquittoList.mayHear('bridge', 'devices/cam-1/status')).toBe(true);
  expect(said('bridge', mosquittoList.mayPublish)).toEqual([]);
});

test('an unknown rule in the list is refused and named', () => {
  expect(() => readAccessList('topic readwrite #')).toThrow('topic readwrite #');
  expect(() => readAccessList('user a\npattern deny x')).toThrow('pattern deny x');
});

test('the command line writes the rules of the list for EMQX', () => {
  const list = readFileSync(new URL('../../../local/brokers/lists/emqx-acl.conf', import.meta.url), 'utf8');
  expect(list.split('\n').filter((line) => !line.startsWith('%%'))).toEqual(
    formats.emqx.files([])['acl.conf']?.split('\n'),
  );
});

describe.each([
  ['EMQX', emqxList()],
  ['HiveMQ', hivemqList()],
])('a model of the access list of %s', (_name, mayPublish) => {
  test.each(Object.keys(own))('lets %s publish on exactly its own topics', (user) => {
    expect(said(user, mayPublish)).toEqual(own[user]?.toSorted());
  });
});

test('a model of an IoT registry and its dialect accept from each device exactly its own messages', () => {
  const mayPublish = registryList();
  const taken = (user: string) =>
    ['cam-1', 'cam-2', 'guardian-cam-1'].flatMap((id) =>
      [...kinds, 'guardian-alert', 'guardian-health'].flatMap((kind) => {
        if (!mayPublish(user, `/devices/${id}/events/${kind}`)) return [];
        const attributes = { deviceId: user, deviceRegistryId: 'r', subFolder: kind };
        const read = dialects.iotcore({ messageId: 'm', publishTime: '', attributes, data: Buffer.from('{}') });
        return typeof read === 'object' && 'kind' in read ? [`${read.deviceId} ${read.kind}`] : [];
      }),
    );
  expect(taken('cam-1')).toEqual(kinds.map((kind) => `cam-1 ${kind}`));
  expect(taken('guardian-cam-1')).toEqual(['cam-1 guardian-alert', 'cam-1 guardian-health']);
  expect(taken('cam-2')).toEqual(kinds.map((kind) => `cam-2 ${kind}`));
});

if (!hasMosquitto) console.log('mosquitto is not on PATH: its list is not tried.');

describe.skipIf(!hasMosquitto)('Mosquitto itself, with its list', () => {
  let mosquitto: DocumentedMosquitto;
  const connect = (username: string, clientId: string = username): Promise<MqttClient> =>
    connectAsync(mosquitto.url, {
      username,
      password: passwordAt(username),
      clientId,
      ca: readFileSync(mosquitto.caFile),
      reconnectPeriod: 0,
    });

  const listening = async (user: string, overheard: string[]): Promise<MqttClient> => {
    const client = await connect(user, 'cam-1');
    client.on('error', () => {});
    client.on('message', (topic) => overheard.push(`${user} ${topic}`));
    await client.subscribeAsync(['#', 'devices/#', 'guardians/#'], { qos: 1 }).catch(() => {});
    return client;
  };
  /** Brokers differ in how they drop a message: some acknowledge it, this one closes the connection. */
  const publish = (client: MqttClient, topic: string, payload: string): Promise<'acknowledged' | 'closed'> =>
    new Promise((resolve) => {
      client.once('close', () => resolve('closed'));
      client.publish(topic, payload, { qos: 1 }, (error) => resolve(error ? 'closed' : 'acknowledged'));
    });

  beforeAll(async () => {
    mosquitto = await startDocumentedMosquitto(['bridge', ...users]);
  }, 60_000);
  afterAll(() => mosquitto.stop());

  test('each account publishes on exactly its own topics, with any client id, and a camera receives nothing', async () => {
    const bridge = await connect('bridge');
    const heard: string[] = [];
    bridge.on('message', (topic, payload) => heard.push(`${payload} ${topic}`));
    await bridge.subscribeAsync(['devices/+/+', 'guardians/+/+', 'watchpost/canary'], { qos: 1 });
    const overheard: string[] = [];
    for (const user of users) {
      let client: MqttClient | null = null;
      for (const topic of triedBy(user)) {
        client ??= await listening(user, overheard);
        if ((await publish(client, topic, user)) === 'closed') client = null;
      }
      await client?.endAsync();
    }
    const done = await connect('cam-2');
    await done.publishAsync('devices/cam-2/event', 'end', { qos: 1 });
    await until(() => heard.includes('end devices/cam-2/event'));
    await Promise.all([done.endAsync(), bridge.endAsync()]);
    const expected = users.flatMap((user) => (own[user] ?? []).map((topic) => `${user} ${topic}`));
    expect(heard.filter((line) => !line.startsWith('end')).toSorted()).toEqual(expected.toSorted());
    expect(overheard).toEqual([]);
  }, 60_000);

  test('a message that is too long ends the connection, and is not forwarded', async () => {
    const bridge = await connect('bridge');
    const heard: string[] = [];
    bridge.on('message', (_topic, payload) => heard.push(`${payload.length}`));
    await bridge.subscribeAsync('devices/+/+', { qos: 1 });
    const camera = await connect('cam-1');
    camera.on('error', () => {});
    expect(await publish(camera, 'devices/cam-1/event', 'x'.repeat(1_048_577))).toBe('closed');
    const again = await connect('cam-1');
    expect(await publish(again, 'devices/cam-1/event', 'x'.repeat(1_000_000))).toBe('acknowledged');
    await until(() => heard.length > 0);
    expect(heard).toEqual(['1000000']);
    await Promise.all([again.endAsync(), bridge.endAsync()]);
  });

  test('a client without a password is refused', async () => {
    await expect(
      connectAsync(mosquitto.url, { clientId: 'cam-1', ca: readFileSync(mosquitto.caFile), reconnectPeriod: 0 }),
    ).rejects.toThrow();
    await expect(
      connectAsync(mosquitto.url, {
        username: 'cam-1',
        password: passwordAt('cam-2'),
        ca: readFileSync(mosquitto.caFile),
        reconnectPeriod: 0,
      }),
    ).rejects.toThrow();
  });
});
