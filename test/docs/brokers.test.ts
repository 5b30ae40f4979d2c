import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readSettings } from '../../bridge/settings.ts';
import { takeMessage } from '../../shared/app/intake/take-message.ts';
import { messageKinds } from '../../shared/schema/vocabulary.ts';
import { intake } from '../support/world/ways.ts';
import { createTestWorld, startOfTests } from '../support/world/world.ts';

const page = readFileSync('docs/brokers.md', 'utf8');
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text = '']) => text);

const settings = blocks('sh').filter((block) => block.startsWith('MQTT_URL'));

test('docs/brokers.md has the settings of a bridge for Mosquitto, AWS IoT Core and Azure Event Grid', () => {
  expect(settings).toHaveLength(3);
});

test.each(settings)('a bridge accepts these settings: %s', (block) => {
  const env = Object.fromEntries(
    block
      .trim()
      .split('\n')
      .map((line) => line.split(/=(.*)/s).slice(0, 2)),
  );
  // The files are the reader's.
  const { MQTT_CERTIFICATE_FILE: _certificate, MQTT_KEY_FILE: _key, ...rest } = env;
  expect(readSettings(rest).broker.url.protocol).toBe('mqtts:');
});

test('the policies for AWS IoT Core are JSON, and let a camera publish each kind of message below its own id', () => {
  const [bridge, camera] = blocks('json').map((text) => JSON.parse(text).Statement);
  expect(bridge.map(({ Action }: { Action: string }) => Action)).toEqual([
    'iot:Connect',
    'iot:Subscribe',
    'iot:Receive',
  ]);
  const topics = camera[1].Resource.map((arn: string) => arn.split(':topic/')[1]);
  const kinds = messageKinds.filter((kind) => !kind.startsWith('guardian-'));
  expect(topics.toSorted()).toEqual(
    kinds.map((kind) => `devices/\${iot:Connection.Thing.ThingName}/${kind}`).toSorted(),
  );
});

test('a message of an own transport, as the page describes it, is read', async () => {
  const world = createTestWorld();
  const data = Buffer.from('{"memory":{"usedPercent":50}}');
  const attributes = { deviceId: 'cam-1', kind: 'status' };
  await takeMessage(world, { messageId: 'm', publishTime: startOfTests, attributes, data }, intake);
  expect(await world.store.count({ in: 'devices' })).toBe(1);
  for (const kind of messageKinds) expect(page).toContain(`\`${kind}\``);
});
