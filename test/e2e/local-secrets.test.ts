import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startStack } from '../../local/stack/stack.ts';
import { detection } from '../support/records/detections.ts';
import { callerOf, connectDevice, until } from '../support/stack/stack.ts';

/** Variables that a person may have set for a deployment. A run on this machine must not use or show their values. */
const variables = [
  'SMTP_URL',
  'SMS_TOKEN',
  'DATA_KEYS',
  'PAGE_TOKEN_KEYS',
  'GOOGLE_API_KEY',
  'NPM_TOKEN',
  'AWS_SECRET_ACCESS_KEY',
];
/** Files of a data directory that contain secrets. Only their owner may read them. */
const ofOwner = ['account.json', 'keys.json', 'run.json', 'tls/localhost-key.pem'];

test('a stack shows no secret: neither its own, nor of the environment, nor of its arguments', async () => {
  const planted: string[] = [];
  const plant = (kind: string) => {
    planted.push(`planted-${kind}-${planted.length}-b7c2e1`);
    return planted.at(-1) ?? '';
  };
  const env = Object.fromEntries(variables.map((name) => [name, plant(name.toLowerCase())]));
  const before = { ...process.env };
  Object.assign(process.env, env);
  const dataDir = mkdtempSync(join(tmpdir(), 'watchpost-secrets-'));
  const spoken: string[] = [];
  const say = (line: string) => spoken.push(line);
  const stack = await startStack({ dataDir, isEmbedded: true, env: process.env, onProgress: say, onProblem: say });
  try {
    const { call, get } = callerOf(stack);
    const urls = ['https://localhost:1025/', 'https://10.0.0.1/', `https://localhost:${stack.ports.receiver}/stack`];
    for (const url of urls) {
      const headers = { Authorization: plant('header') };
      spoken.push(
        JSON.stringify((await call('POST', '/v1/webhooks', { body: { url, secret: plant('secret'), headers } })).body),
      );
    }
    const chats = [
      { kind: 'slack', url: `https://localhost:${stack.ports.inboxTls}/chat/slack/${plant('chat')}/tail` },
    ];
    spoken.push(JSON.stringify((await call('PUT', '/v1/teams/operations', { body: { chats } })).body));
    await get('/v1/alerts', plant('bearer'));
    const { client, send } = await connectDevice(stack, 'cam-1');
    await send('status', { memory: { usedPercent: 95 }, certificate: { valid: false } });
    await send('detection', detection('s-1'));
    const deliveries = await until('every delivery was tried', async () => {
      const { body } = await get('/v1/deliveries');
      const tried = body.deliveries.filter(({ attempts }: { attempts: unknown[] }) => attempts.length > 0);
      return tried.length >= 3 && body.deliveries.length === tried.length ? body : null;
    });
    spoken.push(JSON.stringify(deliveries), JSON.stringify((await get('/v1/webhooks')).body));
    await client.endAsync();
    await stack.kill('functions');
    await until('the functions are back', async () => (await get('/v1/alerts').catch(() => null))?.status === 200);
    const keys = JSON.parse(readFileSync(join(dataDir, 'keys.json'), 'utf8'));
    const own = [
      keys.pageTokenKeys.split(':')[1],
      keys.dataKeys.split(':')[1],
      keys.signingKey.d,
      keys.signingKey.p,
      stack.run.token,
    ];
    own.push(keys.accountKey.split('\n')[5]);
    for (const file of ofOwner) expect([file, statSync(join(dataDir, file)).mode & 0o077]).toEqual([file, 0]);
    await stack.stop();
    const files = readdirSync(dataDir, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .map((each) => join(each.parentPath, each.name))
      .filter((file) => !ofOwner.includes(file.slice(dataDir.length + 1)));
    expect(files.some((file) => file.includes('logs'))).toBe(true);
    const written = files.map((file) => [file.slice(dataDir.length + 1), readFileSync(file, 'latin1')] as const);
    const through = [...planted, ...own].flatMap((secret) => [
      ...spoken.flatMap((text) => (text.includes(secret) ? [`said: ${secret}`] : [])),
      ...written.flatMap(([file, text]) => (text.includes(secret) ? [`${file}: ${secret}`] : [])),
    ]);
    expect(through).toEqual([]);
  } finally {
    await stack.stop();
    for (const name of variables) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
    rmSync(dataDir, { recursive: true, force: true });
  }
});
