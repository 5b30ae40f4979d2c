import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildInto, type Started, startUnpacked, unpack } from '../support/stack/built-function.ts';

const folder = mkdtempSync(join(tmpdir(), 'watchpost-refused-'));
const patienceMs = 300_000;
const running: Started[] = [];

beforeAll(() => buildInto(join(folder, 'dist')), patienceMs);
afterAll(() => {
  for (const { stop } of running) stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a built function under the framework's own command. */
async function start(name: string, env: NodeJS.ProcessEnv): Promise<Started> {
  const source = join(folder, `${name}-${Object.keys(env).join('-')}`);
  unpack(join(folder, `dist/${name}.zip`), source);
  const started = await startUnpacked(name, source, env);
  running.push(started);
  return started;
}

const secret = 'planted-3f9c';

test.each<[name: string, env: NodeJS.ProcessEnv]>([
  ['api', { PAGE_TOKEN_KEYS: secret }],
  ['api', { EGRESS_RANGES: `{"${secret}":` }],
  ['api', { EGRESS_RANGES: `[{"region":"${secret}"}]` }],
  ['api', { EGRESS_RANGES: `[{"region":"a","cidrs":[],"standby":"${secret}"}]` }],
  ['ingest', { CALLER_AUDIENCE: '' }],
  ['ingest', { BRIDGE_DIALECT: secret }],
  ['deadline', { DEADLINE_URL: `ftp://${secret}` }],
  ['deliver', { DATA_KEYS: secret }],
  ['deliver', { DELIVERY_QUEUES: secret }],
  ['deliver', { EGRESS_CHECK_URL: `http://${secret}.example.com/` }],
  ['deliver', { EGRESS_CHECK_URL: `https://${secret}.internal/` }],
  ['deliver', { ENVIRONMENT: 'production' }],
])('%s ends with code 1 and one line that names the setting: %o', { timeout: patienceMs }, async (name, env) => {
  const failure = await start(name, env).then(
    () => null,
    (error: Error) => error.message,
  );
  expect(failure).toMatch(new RegExp(`^${name} ended with 1: `));
  const output = (failure ?? '').replace(/^\w+ ended with 1: /, '');
  const lines = output.trim().split('\n');
  expect(lines).toHaveLength(1);
  const line = JSON.parse(lines[0] ?? '') as { severity: string; message: string; error: string };
  expect(line).toMatchObject({ severity: 'ERROR', message: 'service.refused' });
  const [variable = ''] = 'ENVIRONMENT' in env ? ['WEBHOOK_ALLOW_HOSTS|STORE'] : Object.keys(env);
  expect(line.error).toMatch(new RegExp(`^Settings refused: .*(${variable}) `));
  expect(output).not.toContain(secret);
});

test('probes stays up, and says which setting is refused', { timeout: patienceMs }, async () => {
  const { call, output } = await start('probes', { MQTT_URL: `amqp://user:${secret}@broker.example.com` });
  const [health, ready] = [await call('/health'), await call('/ready')];
  expect([health.status, ready.status]).toEqual([503, 503]);
  const body = (await health.json()) as { status: string; error: string };
  expect(body).toMatchObject({ status: 'unhealthy', error: expect.stringMatching(/^Settings refused: MQTT_URL must/) });
  expect(await ready.json()).toMatchObject({ status: 'not_ready' });
  const said = output() + JSON.stringify(body);
  expect(said.split('\n').filter((line) => line.includes('service.refused'))).toHaveLength(1);
  expect(said).not.toContain(secret);
});
