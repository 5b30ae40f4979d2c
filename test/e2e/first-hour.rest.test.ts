import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { missingForEmulators } from '../../local/cloud/emulators.ts';
import { functionNames } from '../../local/cloud/environment.ts';
import { loadSecrets } from '../../local/cloud/secrets.ts';
import { createAuthority, createServerCredential } from '../../local/machine/certificates.ts';
import { freePorts } from '../../local/machine/ports.ts';
import { type Stack, startStack } from '../../local/stack/stack.ts';
import { page, patternOf, type Step, steps } from '../docs/first-hour.ts';
import { startTcpProxy, type TcpProxy } from '../support/faults/tcp-proxy.ts';
import { freePort } from '../support/net/free-port.ts';
import { startGoogle } from '../support/preflight/google.ts';
import { unpack } from '../support/stack/built-function.ts';
import { callerOf, until } from '../support/stack/stack.ts';

const missing = missingForEmulators();
if (missing && process.env['CI'] === 'true') throw new Error(`${missing} is missing.`);

const folder = mkdtempSync(join(tmpdir(), 'watchpost-first-hour-'));
const path = (...names: string[]) => join(folder, ...names);
const patienceMs = 600_000;
const running: { stop(): unknown }[] = [];
type Inbox = { messages: { kind: string; text?: string }[] };
let stack: Stack;
let broker: TcpProxy;
let brokerPort: number;
let plainPort: number;
/** From then on nothing but what the page starts is between cameras and the service. */
let servedAt: string;
let google: Awaited<ReturnType<typeof startGoogle>>;

beforeAll(async () => {
  google = await startGoogle();
  running.push(google);
  [brokerPort, plainPort] = [await freePort(), await freePort()];
}, patienceMs);
afterAll(async () => {
  for (const { stop } of running.toReversed()) await stop();
  rmSync(folder, { recursive: true, force: true });
});

/** What the test has in place of names of the page: folders, ports, and the emulators. */
function asHere(command: string): string {
  return command
    .replaceAll('/etc/mosquitto/', `${path('mosquitto')}/`)
    .replaceAll('broker.example.com:8883', `127.0.0.1:${brokerPort}`)
    .replaceAll('-h broker.example.com -p 8883', `-h 127.0.0.1 -p ${brokerPort}`)
    .replace(/^npm run build$/, `npm run --silent build -- --no-console --out ${path('dist')}`)
    .replace('--var-file environments/dev.tfvars', `--google-base ${google.base} --var-file ${path('dev.tfvars')}`)
    .replaceAll('node dist/', `node ${path('dist')}/`)
    .replaceAll('npm run', `npm --prefix ${resolve('.')} run`);
}

const here = () => ({
  ...process.env,
  PROJECT: google.project,
  WATCHPOST_URL: stack?.run.baseUrl,
  WATCHPOST_TOKEN: stack?.run.token,
  NODE_EXTRA_CA_CERTS: stack?.run.caFile,
  GOOGLE_OAUTH_ACCESS_TOKEN: google.token,
  PUBSUB_EMULATOR_HOST: stack?.run.pubsubHost ?? '',
  METADATA_SERVER_DETECTION: 'none',
  PORT: '0',
});

/** Runs a command of the page in a shell. One that stays is stopped at the end of the test. */
function run({ commands: [command = ''] }: Step, isDone: (output: string) => boolean): Promise<string> {
  const start = `watchpost() { node ${resolve('cli/src/main.ts')} "$@"; }\n${asHere(command)}`;
  const child = spawn('bash', ['-c', start], { cwd: folder, env: here(), detached: true });
  running.push({ stop: () => child.exitCode === null && child.pid && process.kill(-child.pid) });
  return new Promise((done, fail) => {
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output += chunk;
        if (isDone(output)) done(output);
      });
    child.on('exit', (code) =>
      code === 0 ? done(output) : fail(new Error(`${command} ended with ${code}: ${output}`)),
    );
  });
}

/** The service, as `terraform apply` would leave it: the built functions. Their broker is away until the page starts one. */
async function startService(): Promise<void> {
  mkdirSync(path('data'));
  // The accounts of the local stack follow from a key in the same way as those of the page.
  writeFileSync(path('broker.key'), loadSecrets(path('data'), new Date()).accountsKey);
  for (const name of functionNames) unpack(path('dist', `${name}.zip`), path('built', name));
  const ports = await freePorts();
  broker = await startTcpProxy(ports.mqtt);
  running.push(broker);
  stack = await startStack({
    ports,
    dataDir: path('data'),
    projectId: google.project,
    builtFolder: path('built'),
    between: { mqtt: broker.port },
  });
  running.push(stack);
  await Promise.all(['bridge', 'mqtt'].map((part) => stack.stopPart(part)));
  broker.lead(plainPort);
  servedAt = new Date().toISOString();
}

/** Mosquitto with the settings of the repository; what reaches it without TLS is the service, which trusts no authority of a test. */
function writeBrokerFiles(): void {
  const authority = createAuthority(new Date());
  const { certificate, key } = createServerCredential(authority, new Date());
  const settings = readFileSync('local/brokers/lists/mosquitto.conf', 'utf8')
    .replaceAll('/etc/mosquitto/', `${path('mosquitto')}/`)
    .replaceAll('/var/lib/mosquitto/', `${path('mosquitto')}/`)
    .replace('listener 8883', `listener ${plainPort} 127.0.0.1\nlistener ${brokerPort} 127.0.0.1`);
  mkdirSync(path('mosquitto'));
  const files = {
    'ca.pem': authority.certificate,
    'server.pem': certificate,
    'server-key.pem': key,
    'mosquitto.conf': `${settings}\nuser ${userInfo().username}\npid_file ${path('mosquitto.pid')}\n`,
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(path('mosquitto', name), content);
  running.push({ stop: () => process.kill(Number(readFileSync(path('mosquitto.pid'), 'utf8'))) });
}

function writeVariables(): void {
  const issuers = `[{ name = "people", issuer = "${stack.run.issuer}", audience = "watchpost", sign_in = true }]`;
  const variables = [
    `environment = "dev"`,
    `project_id = "${google.project}"`,
    `auth = { issuers = ${issuers} }`,
    'sms = { account = "AC1", from = "+15005550006" }',
    'notify = { emails = ["operations@example.com"] }',
  ];
  writeFileSync(path('dev.tfvars'), `${variables.join('\n')}\n`);
}

test.skipIf(missing)(
  'the first hour, as its page says it, ends with an alert on a phone',
  { timeout: patienceMs },
  async () => {
    for (const step of steps) {
      if (step.title.startsWith('4.')) {
        await startService();
        writeBrokerFiles();
        writeVariables();
      }
      if (step.mark !== 'gate') continue;
      const patterns = step.prints.map(patternOf);
      const output = await run(
        step,
        (text) => /dist\/bridge/.test(step.commands[0] ?? '') && patterns.every((each) => each.test(text)),
      );
      for (const pattern of patterns)
        expect([step.title, output]).toEqual([step.title, expect.stringMatching(pattern)]);
    }
    const [, shown = ''] = /the phone shows [^:]*:\s+```text\n(.+)\n```/.exec(page) ?? [];
    const texts = await until('the message on the phone', async () => {
      const { messages } = (await (await fetch(`${stack.run.inboxUrl}/messages`)).json()) as Inbox;
      return messages.filter(({ kind }) => kind === 'sms')[0];
    });
    expect(texts.text).toMatch(patternOf(shown));
    // The canary of the sweep goes the same way, so the platform sees through this broker and this bridge.
    await until(
      'the canary through the bridge',
      async () => {
        const { body } = await callerOf(stack).get('/v1/bridges');
        return body.bridges.find((each: { lastHeardAt: string }) => each.lastHeardAt > servedAt);
      },
      150,
    );
    expect((await fetch(`${stack.run.baseUrl}/ready`)).status).toBe(200);
  },
);
