import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePorts, portsFrom } from '../../local/machine/ports.ts';
import { until } from '../support/stack/stack.ts';

const execute = promisify(execFile);
const readme = readFileSync('README.md', 'utf8');
/** The blocks of "Five things to try": the alert, its acknowledgement, the camera's lie, the proof and its checks. */
const [listAlerts = '', acknowledge = '', lie = '', prove = '', verify = ''] = [
  ...(readme.split('## Five things to try')[1] ?? '').matchAll(/^( *)```sh\n([\s\S]*?)^ *```$/gm),
].map(([, indent, code = '']) => code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''));

const folder = mkdtempSync(join(tmpdir(), 'readme-'));
const dataDir = join(folder, '.local');
const children: ChildProcess[] = [];
let base: number;
let output = '';

/** A minute of the service lasts a second. */
const timeScale = 60;

/** A command of the README with the ports and the folder of this test's stack. */
function here(command: string): string {
  const ports = portsFrom(base);
  return command
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${ports.gateway}`)
    .replaceAll('-p 8083', `-p ${ports.mqtt}`)
    .replaceAll(/npm run --silent (\w+) -- ([^)]*)/g, `npm run --silent $1 -- $2 --data-dir ${dataDir}`)
    .replaceAll(/npm run --silent (\w+)\)/g, `npm run --silent $1 -- --data-dir ${dataDir})`)
    .replaceAll('./.local/', `${dataDir}/`)
    .replaceAll(/(?<![\w/])\.local\//g, `${dataDir}/`)
    .replaceAll('verify/', `${resolve('verify')}/`)
    .replaceAll(/(bundle|changed|cut)\.json/g, `${folder}/$1.json`);
}

/** Runs a command in a shell. @returns its output and its exit status */
async function shell(command: string): Promise<{ stdout: string; status: number }> {
  const script = `TOKEN=$(npm run --silent token -- --data-dir ${dataDir})\n${here(command)}`;
  return execute('bash', ['-c', script]).then(
    ({ stdout }) => ({ stdout, status: 0 }),
    ({ stdout, code }: { stdout: string; code: number }) => ({ stdout, status: code }),
  );
}

async function ask(command: string): Promise<Record<string, never[]>> {
  return JSON.parse((await shell(command)).stdout || '{}');
}

/** Starts the simulated camera of the README. @returns a function that types a line into it */
function startCamera(id: string): (line: string) => void {
  const child = spawn(process.execPath, ['local/camera.ts', '--id', id, '--group', 'north', '--data-dir', dataDir], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  children.push(child);
  return (line) => child.stdin.write(`${line}\n`);
}

beforeAll(async () => {
  base = (await freePorts()).gateway;
  const flags = ['--embedded', '--cameras', '0', '--time-scale', `${timeScale}`];
  const child = spawn(process.execPath, ['local/start.ts', ...flags, '--port-base', `${base}`, '--data-dir', dataDir]);
  children.push(child);
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  await until('the stack', async () => output.includes('Ctrl-C'));
});
afterAll(async () => {
  const [stack, ...cameras] = children;
  for (const camera of cameras) camera.kill();
  const ended = new Promise((done) => stack?.once('exit', done));
  stack?.kill('SIGINT');
  await ended;
  rmSync(folder, { recursive: true, force: true });
});

test('the README has its five things to try', () => {
  expect([listAlerts, acknowledge, lie, prove, verify].map((block) => block.split(' ')[0])).toEqual([
    'curl',
    'curl',
    'mosquitto_pub',
    'FROM=$(date',
    'python3',
  ]);
});

test('a camera that is broken has an alert, and the alert is acknowledged', async () => {
  const type = startCamera('cam-x');
  type('memory 93');
  const alert = await until('the alert', async () =>
    ((await ask(listAlerts))['alerts'] as { code: string; alertId: string }[] | undefined)?.find(
      ({ code }) => code === 'RES_001',
    ),
  );
  expect(alert).toMatchObject({ status: 'active', deviceId: 'cam-x' });
  expect(await ask(acknowledge.replace('ALERT_ID', alert.alertId))).toMatchObject({ status: 'acknowledged' });
});

test.skipIf(spawnSync('mosquitto_pub', ['--help']).error && process.env['CI'] !== 'true')(
  'a camera can publish for itself, and not for another',
  async () => {
    expect((await shell(lie)).status).toBe(0);
    await shell(lie.replace('-t devices/cam-x/', '-t devices/cam-001/'));
    const log = () => readFileSync(join(dataDir, 'logs', 'mqtt.log'), 'utf8');
    await until('the refusal', async () => /cam-x.*cam-001|cam-001.*cam-x/.test(log()));
  },
);

test('a camera’s minutes are proven, and a changed byte is not', async () => {
  const type = startCamera('cam-p');
  await until('its reports', async () =>
    (await ask(listAlerts.replace('/v1/alerts?deviceId=cam-x', '/v1/devices')))['devices']?.some(
      ({ deviceId }) => deviceId === 'cam-p',
    ),
  );
  const minute = 60_000 / timeScale;
  await wait(3 * minute);
  type('kill');
  await wait(minute);
  type('online');
  await wait(3 * minute);
  // The times are computed once, so that each repetition requests the same period.
  const [times = '', ...request] = prove.replaceAll(' min', ' sec').split('\n');
  const { stdout: variables } = await shell(`${times}; echo FROM=$FROM TO=$TO`);
  const said = await until('the proof', async () => {
    const { stdout } = await shell(`${variables}\n${request.join('\n')}\n${verify}`);
    return stdout.startsWith('PROVEN') && stdout;
  });
  expect(said).toMatch(/^PROVEN: cam-p, /);
  expect(said.split('\n').filter((line) => /^(\d|[A-Z ]+:)/.test(line))).toEqual([
    expect.stringMatching(/^PROVEN: /),
    '0',
    expect.stringMatching(/^NOT PROVEN: /),
    '1',
    expect.stringMatching(/^CANNOT BE DECIDED: /),
    '2',
  ]);
});

test('/ready names a stopped broker, and /health stays 200', async () => {
  const [kill = '', ready = ''] =
    readme.match(/`(kill \$\(node[^`]+|curl -s [^`]+\/ready)`/g)?.map((code) => code.slice(1, -1)) ?? [];
  expect((await shell(kill)).status).toBe(0);
  await until('the broker named', async () =>
    /mqtt/i.test(JSON.stringify((await ask(ready))['notReady'] ?? (await ask(ready)))),
  );
});
