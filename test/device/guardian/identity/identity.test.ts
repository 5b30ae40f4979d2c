import { createPrivateKey } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { toBridgeMessage } from '../../../../bridge/forward/message.ts';
import { makeKeyFile, publicKeyOf } from '../../../../device/guardian/identity/identity.ts';
import { enrolGuardian } from '../../../../shared/app/devices/guardian-key.ts';
import { takeMessage } from '../../../../shared/app/intake/take-message.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { createGuardianWorld, until } from '../../../support/guardian/world.ts';
import { message } from '../../../support/records/reports.ts';
import { frames } from '../../../support/world/frames.ts';
import { createTestWorld, startOfTests } from '../../../support/world/world.ts';

const folder = mkdtempSync(join(tmpdir(), 'guardian-key-'));
const keyFile = join(folder, 'key.pem');
makeKeyFile(keyFile);
afterAll(() => rmSync(folder, { recursive: true }));
const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;

test('a key is made once, and only its owner reads it', () => {
  const before = readFileSync(keyFile, 'utf8');
  makeKeyFile(keyFile);
  expect(readFileSync(keyFile, 'utf8')).toBe(before);
  expect(statSync(keyFile).mode & 0o777).toBe(0o600);
});

test('the service accepts all signed messages of a real guardian, before and after its restart', async () => {
  const guardian = await createGuardianWorld({ file: { identity: { keyFile } } });
  await guardian.look();
  guardian.camera.tamper('broker.host', '203.0.113.9');
  await guardian.look();
  await guardian.drained();
  await guardian.restart();
  guardian.camera.tamper('broker.host', '203.0.113.10');
  await guardian.look();
  await guardian.drained();
  await guardian.look(300);
  const healths = () => guardian.broker.received.filter(({ topic }) => topic === 'guardians/cam-1/health').length;
  await until(() => healths() >= 3);
  const { received } = guardian.broker;
  await guardian.stop();
  expect(new Set(received.map(({ topic }) => topic))).toEqual(
    new Set(['guardians/cam-1/alert', 'guardians/cam-1/health']),
  );

  const world = createTestWorld();
  await takeMessage(world, message('status', { name: 'one' }), intake);
  const publicKey = publicKeyOf(createPrivateKey(readFileSync(keyFile)));
  await enrolGuardian(world, { subject: 'operator', groups: null, scopes: new Set() }, 'cam-1', { publicKey });
  for (const [index, { topic, payload }] of received.entries()) {
    const bridged = toBridgeMessage(topic, Buffer.from(payload));
    if (!bridged) throw new Error(topic);
    const publishTime = plus(startOfTests, 1000 * index + (index === received.length - 1 ? 3_600_000 : 0));
    await takeMessage(world, { ...bridged, messageId: `m${index}`, publishTime }, intake);
  }
  expect(await world.store.count({ in: 'quarantine' })).toBe(0);
  const kept = await world.store.find({ in: 'guardianAlerts', limit: 10 });
  expect(kept.map(({ data }) => data.alertCode).toSorted()).toEqual([
    ...['CONFIG_DRIFT', 'CONFIG_DRIFT', 'CONFIG_HEALED', 'CONFIG_HEALED'],
  ]);
  const [device = null] = await world.store.get('devices', ['cam-1']);
  expect(device?.data.guardianTrust).toMatchObject({
    epochs: [{ alerts: [{ from: 1, to: 4 }] }],
    health: { status: 'ok', goldenGeneration: 1, lastAlertSeq: 4, alertsMissing: 0, missingSince: null },
  });
});

test('a guardian that cannot reach its camera reports itself as blind at the third look', async () => {
  const guardian = await createGuardianWorld({
    file: { identity: { keyFile }, interface: { type: 'vapix', url: 'http://127.0.0.1:9' } },
  });
  const states = () =>
    guardian.broker.received.map(({ payload }) => JSON.parse(JSON.parse(payload)['health'] ?? '{}').status);
  for (const _ of [1, 2, 3]) await guardian.look();
  await until(() => states().at(-1) === 'blind');
  await guardian.stop();
});
