import { spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { parse as parseCsv } from 'csv-parse/sync';
import { connectAsync } from 'mqtt';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { passwordFor } from '../../../../cli/src/broker/accounts.ts';
import { issue, nameOf, usages } from '../../../../cli/src/broker/certificates.ts';
import { passwordOf } from '../../../../local/cloud/secrets.ts';
import { createAuthority } from '../../../../local/machine/certificates.ts';
import { hasMosquitto } from '../../../support/guardian/mosquitto.ts';
import { createSigner } from '../../../support/guardian/signer.ts';
import { freePort } from '../../../support/net/free-port.ts';
import { startTestApi } from '../../../support/world/api.ts';
import { commandLineOf } from '../../../support/world/command-line.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
let line: ReturnType<typeof commandLineOf>;
const folder = mkdtempSync(join(tmpdir(), 'broker-accounts-'));
const path = (name: string) => join(folder, name);
const key = 'a secret of the customer';

beforeAll(async () => {
  api = await startTestApi();
  line = commandLineOf(api);
  const devices = ['cam-1', 'cam-2', 'bridge-2-4'].map((deviceId) => ({ deviceId, groupId: 'north' }));
  expect((await api.call('PUT', '/v1/devices', { body: { devices } })).status).toBe(200);
  const { publicKey } = createSigner();
  expect((await api.call('PUT', '/v1/devices/cam-1/guardian-key', { body: { publicKey } })).status).toBe(200);
  writeFileSync(path('key'), `${key}\n`);
});
afterAll(async () => {
  await api.stop();
  rmSync(folder, { recursive: true });
});

/** Runs the command, and reads the table of what it prints. */
const accounts = async (...args: string[]) => {
  const { status, out, err } = await line.run(['broker-accounts', '--output', 'csv', ...args]);
  return { status, rows: parseCsv(out, { columns: true }) as Record<string, string>[], err };
};
const users = ['bridge', 'watchpost-canary', 'watchpost-probe', 'cam-1', 'guardian-cam-1', 'cam-2'];

test('a camera whose id is that of a bridge is named and gets no account', async () => {
  const { status, rows, err } = await accounts('--format', 'mosquitto', '--out', path('m'), '--key', path('key'));
  expect(status).toBe(1);
  expect(err).toContain('bridge-2-4: this id is that of an account of the service');
  expect(rows.map(({ user }) => user)).toEqual(users);
});

test('passwords follow from the key, as the local broker derives them, or are random; no file holds one', async () => {
  const first = await accounts('--format', 'emqx', '--out', path('e'), '--key', path('key'));
  const passwords = Object.fromEntries(first.rows.map(({ user = '', password = '' }) => [user, password]));
  expect(passwords['cam-1']).toBe(passwordOf(key, 'cam-1'));
  const again = await accounts('--format', 'hivemq', '--out', path('h'), '--key', path('key'));
  expect(again.rows.map(({ password }) => password)).toEqual(Object.values(passwords));
  const random = await accounts('--format', 'emqx', '--out', path('e'));
  expect(new Set([...random.rows.map(({ password }) => password), ...Object.values(passwords)]).size).toBe(12);
  for (const dir of ['m', 'e', 'h']) {
    for (const name of readdirSync(path(dir))) {
      const file = join(path(dir), name);
      expect(statSync(file).mode & 0o077).toBe(0);
      for (const { password = '-' } of [...first.rows, ...random.rows])
        expect(readFileSync(file, 'utf8')).not.toContain(password);
    }
  }
});

test('each of several bridges, and on request each guardian, has an account', async () => {
  const { rows } = await accounts('--format', 'emqx', '--out', path('e'), '--bridges', '2', '--guardians');
  const names = rows.map(({ user }) => user);
  expect(names).toEqual(expect.arrayContaining(['bridge-1-2', 'bridge-2-2', 'guardian-cam-2']));
  expect(names).not.toContain('bridge');
});

test.each([
  [['--out', 'x'], '--format is missing'],
  [['--format', 'mosquitto'], '--out is missing'],
  [['--format', 'mosquitto', '--out', 'x', '--key', '/nowhere'], '--key: /nowhere cannot be read'],
  [['--format', 'mosquitto', '--out', 'x', '--key', '/dev/null'], 'at least 16 characters'],
  [['--format', 'mosquitto', '--check', '/nowhere'], '--check: /nowhere cannot be read'],
  [['--certificates', '--out', 'x'], '--ca is missing'],
  [['--format', 'emqx', '--out', 'x', '--bridges', '3'], 'power of two'],
])('%s is refused: %s', async (args, why) => {
  const { status, err } = await line.run(['broker-accounts', ...args]);
  expect([status, err]).toEqual([2, expect.stringContaining(why)]);
});

test.each([
  ['mosquitto', 'passwords'],
  ['emqx', 'users.csv'],
  ['hivemq', 'credentials.xml'],
])('--check names who has no account at %s, and accounts of nobody', async (format, file) => {
  const dir = path(`check-${format}`);
  await accounts('--format', format, '--out', dir);
  expect((await accounts('--format', format, '--check', join(dir, file))).rows).toEqual([]);
  const text = readFileSync(join(dir, file), 'utf8');
  writeFileSync(join(dir, file), text.replaceAll('cam-2', 'cam-9'));
  const { status, rows } = await accounts('--format', format, '--check', join(dir, file));
  expect(status).toBe(1);
  expect(rows).toEqual([
    { user: 'cam-2', problem: 'has no account' },
    { user: 'cam-9', problem: 'is nobody that is registered' },
  ]);
});

describe.each([
  ['EC', () => createAuthority(new Date())],
  [
    'RSA',
    () => {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const subject = nameOf('An authority');
      const extensions = usages.authority();
      return issue({
        subject,
        issuer: subject,
        signer: privateKey,
        key: privateKey,
        extensions,
        days: 900,
        now: new Date(),
      });
    },
  ],
])('with an authority that has an %s key', (name, create) => {
  const authority = create();
  const ca = path(`ca-${name}.pem`);
  const out = path(`certificates-${name}`);
  const certificates = (...more: string[]) =>
    accounts('--certificates', '--ca', ca, '--ca-key', path(`ca-${name}-key.pem`), '--out', out, ...more);
  beforeAll(() => {
    writeFileSync(ca, authority.certificate);
    writeFileSync(path(`ca-${name}-key.pem`), authority.key);
  });

  test('certificates are issued, kept, and renewed in the last 30 days; OpenSSL verifies them', async () => {
    const actions = async (...more: string[]) => (await certificates(...more)).rows.map(({ action }) => action);
    expect(await actions('--days', '20')).toEqual(users.map(() => 'issued'));
    expect(await actions('--days', '90')).toEqual(users.map(() => 'renewed'));
    expect(await actions()).toEqual(users.map(() => 'kept'));
    const { stdout } = spawnSync('openssl', ['verify', '-purpose', 'sslclient', '-CAfile', ca, join(out, 'cam-1.pem')]);
    expect(String(stdout)).toContain('cam-1.pem: OK');
    const certificate = new X509Certificate(readFileSync(join(out, 'guardian-cam-1.pem')));
    expect(certificate.subject).toBe('CN=guardian-cam-1');
    expect(certificate.checkIssued(new X509Certificate(authority.certificate))).toBe(true);
  });

  test('the key of another authority is refused', async () => {
    writeFileSync(path('other-key.pem'), createAuthority(new Date()).key);
    const wrong = ['--ca', ca, '--ca-key', path('other-key.pem'), '--out', path('wrong')];
    const { status, err } = await line.run(['broker-accounts', '--certificates', ...wrong]);
    expect([status, err]).toEqual([expect.any(Number), expect.stringContaining('not that of its certificate')]);
    expect(status).not.toBe(0);
  });
});

test.skipIf(!hasMosquitto)('Mosquitto takes the files: each account has its password and its topics only', async () => {
  const dir = path('real');
  mkdirSync(dir);
  await accounts('--format', 'mosquitto', '--out', dir, '--key', path('key'));
  const port = await freePort();
  const settings = [
    `listener ${port} 127.0.0.1`,
    'allow_anonymous false',
    `password_file ${dir}/passwords`,
    `acl_file ${dir}/mosquitto.acl`,
    `user ${userInfo().username}`,
  ];
  writeFileSync(join(dir, 'mosquitto.conf'), `${settings.join('\n')}\n`);
  const child = spawn('mosquitto', ['-c', join(dir, 'mosquitto.conf')], { stdio: 'ignore' });
  const password = (user: string) => passwordFor(user, new TextEncoder().encode(key));
  const connect = (username: string, secret = password(username)) =>
    connectAsync(`mqtt://127.0.0.1:${port}`, { username, password: secret, reconnectPeriod: 0, clientId: username });
  try {
    await expect
      .poll(() =>
        connect('bridge')
          .then((client) => client.endAsync())
          .then(
            () => true,
            () => false,
          ),
      )
      .toBe(true);
    await expect(connect('cam-1', password('cam-2'))).rejects.toThrow();
    const bridge = await connect('bridge');
    const heard: string[] = [];
    bridge.on('message', (topic) => heard.push(topic));
    await bridge.subscribeAsync(['devices/+/+', 'guardians/+/+', 'watchpost/canary'], { qos: 1 });
    for (const user of ['cam-1', 'guardian-cam-1', 'watchpost-canary', 'watchpost-probe']) {
      for (const topic of [
        'devices/cam-1/status',
        'devices/cam-2/status',
        'guardians/cam-1/alert',
        'watchpost/canary',
      ]) {
        const client = await connect(user);
        client.on('error', () => {});
        await client.publishAsync(topic, '{}', { qos: 1 }).catch(() => {});
        await client.endAsync(true);
      }
    }
    const last = await connect('cam-2');
    await last.publishAsync('devices/cam-2/event', '{}', { qos: 1 });
    await expect.poll(() => heard.at(-1), { timeout: 10_000 }).toBe('devices/cam-2/event');
    expect(heard).toEqual(['devices/cam-1/status', 'guardians/cam-1/alert', 'watchpost/canary', 'devices/cam-2/event']);
    await Promise.all([last.endAsync(), bridge.endAsync()]);
  } finally {
    child.kill();
  }
});
