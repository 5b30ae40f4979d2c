import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { missingForEmulators } from '../../local/cloud/emulators.ts';
import { freePorts, portNames, portsFrom } from '../../local/machine/ports.ts';
import { type Run, readRun } from '../../local/stack/run-file.ts';
import { type Stack, startStack } from '../../local/stack/stack.ts';
import { connectAs } from '../support/stack/stack.ts';

const missing = missingForEmulators();
if (missing && process.env['CI'] === 'true') throw new Error(`${missing} is missing.`);

const folders: string[] = [];
const freshDir = () => {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-stack-'));
  folders.push(folder);
  return folder;
};
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
const patience = { timeout: 50_000, interval: 50 };
const isAlive = (pid: number) => existsSync(`/proc/${pid}`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

async function report(run: Run, deviceId: string, kind: string, body: unknown): Promise<void> {
  const client = await connectAs({ run }, deviceId);
  await client.publishAsync(`devices/${deviceId}/${kind}`, JSON.stringify(body), { qos: 1 });
  await client.endAsync();
}
const memoryReport = (seq: number, usedPercent: number) => ({
  bootId: 'b',
  seq,
  groupId: 'north',
  memory: { usedPercent },
});

async function read(run: Run, path: string): Promise<{ status: number; body: Record<string, never[]> }> {
  const response = await fetch(`${run.baseUrl}${path}`, { headers: { Authorization: `Bearer ${run.token}` } });
  return { status: response.status, body: (await response.json()) as Record<string, never[]> };
}
const codesOf = async (run: Run, deviceId: string) => {
  const { body } = await read(run, `/v1/devices/${deviceId}/alerts`);
  return (body['alerts'] ?? []).map(({ code }: { code: string }) => code);
};
const readRunFile = (dataDir: string) => JSON.parse(readFileSync(join(dataDir, 'run.json'), 'utf8')) as Run;

describe.skipIf(missing)('the stack on the emulators', () => {
  let stack: Stack;
  const problems: string[] = [];
  /** The parts that run.json lists when a problem is reported: a part that comes back is soon listed again. */
  const runningAtProblem: string[][] = [];
  const dataDir = freshDir();
  const onProblem = (line: string) => {
    problems.push(line);
    runningAtProblem.push(Object.keys(readRunFile(dataDir).pids));
  };
  const start = () => startStack({ dataDir, dependencyRestartMs: 500, onProblem });
  beforeAll(async () => {
    stack = await start();
  });
  afterAll(() => stack.stop());

  test('writes what other programs need into files that only their owner can read', () => {
    const run = readRunFile(dataDir);
    expect(run).toEqual(stack.run);
    const emulators = ['firestore', 'pubsub', 'push'];
    const services = ['tasks', 'storage', 'mqtt', 'issuer'];
    const functions = ['api', 'probes', 'ingest', 'deliver', 'deadline'];
    for (const name of ['main', ...emulators, ...services, ...functions]) expect(run.pids).toHaveProperty(name);
    expect(statSync(join(dataDir, 'run.json')).mode & 0o077).toBe(0);
    expect(statSync(join(dataDir, 'keys.json')).mode & 0o077).toBe(0);
    for (const pid of Object.values(run.pids)) expect(isAlive(pid)).toBe(true);
  });

  test('is ready', async () => {
    expect((await fetch(`${stack.run.baseUrl}/ready`)).status).toBe(200);
    expect((await fetch(`${stack.run.baseUrl}/health`)).status).toBe(200);
    expect((await fetch(`${stack.run.baseUrl}/v1/alerts`)).status).toBe(401);
  });

  test('logs a refused commit in one line, without the stack of the emulator', async () => {
    const { projectId, firestoreHost } = stack.run;
    const documents = `projects/${projectId}/databases/(default)/documents`;
    const write = {
      update: { name: `${documents}/none/none` },
      currentDocument: { updateTime: '2026-01-01T00:00:00Z' },
    };
    const commit = { method: 'POST', body: JSON.stringify({ writes: [write] }) };
    expect((await fetch(`http://${firestoreHost}/v1/${documents}:commit`, commit)).status).toBe(400);
    const log = () => readFileSync(join(dataDir, 'logs', 'firestore.log'), 'utf8');
    await expect.poll(log, patience).toMatch(/^\d.*T.* WARNING .*the stored version \(0\)/m);
    expect(log()).not.toMatch(/^\s+at /m);
  });

  test('sees at once, because the first sweep does not wait for its minute', async () => {
    expect((await read(stack.run, '/v1/fleet')).body).toMatchObject({
      platform: { state: 'sees' },
      devices: { total: 0, online: 0, unknown: 0 },
    });
  });

  test('turns a report into an alert', async () => {
    await report(stack.run, 'cam-1', 'status', memoryReport(1, 93));
    await expect.poll(() => codesOf(stack.run, 'cam-1'), patience).toEqual(['RES_001']);
  });

  test('restarts a function at once, and no report of the meantime is lost', async () => {
    const before = stack.run.pids['ingest'];
    await stack.kill('ingest');
    await report(stack.run, 'cam-2', 'status', memoryReport(1, 93));
    await expect.poll(() => codesOf(stack.run, 'cam-2'), patience).toEqual(['RES_001']);
    expect(readRunFile(dataDir).pids['ingest']).not.toBe(before);
    expect(problems).toEqual([]);
  });

  test('reports that a dependency has died, and restarts it on the same port', async () => {
    await stack.kill('storage');
    expect(problems).toEqual([expect.stringMatching(/^storage has ended; it comes back in 0.5 s/)]);
    expect(runningAtProblem[0]).not.toContain('storage');
    // Listed again with its process before anything else can have called it.
    await expect.poll(() => readRunFile(dataDir).pids['storage'] ?? 0, patience).toBeGreaterThan(0);
    await expect.poll(async () => (await fetch(`${stack.run.baseUrl}/ready`)).status, patience).toBe(200);
  });

  test('does not restart a part that was stopped by hand', async () => {
    await stack.stopPart('deliver');
    expect(readRunFile(dataDir).pids).not.toHaveProperty('deliver');
    await stack.restart('deliver');
    expect(isAlive(readRunFile(dataDir).pids['deliver'] ?? 0)).toBe(true);
  });

  test('is refused a second time on the same data directory', async () => {
    await expect(startStack({ dataDir })).rejects.toThrow(/is in use by another run \(process \d+\)/);
    expect(readRun(dataDir).baseUrl).toBe(stack.run.baseUrl);
  });

  test('continues with its data after a restart, and stops all its processes at the end', async () => {
    const { pids, token } = stack.run;
    const { main, ...parts } = { ...pids };
    await stack.stop();
    expect(Object.entries(parts).filter(([, pid]) => isAlive(pid))).toEqual([]);
    expect(existsSync(join(dataDir, 'run.json'))).toBe(false);
    expect(() => readRun(dataDir)).toThrow(/No stack runs/);
    stack = await startStack({ dataDir, ports: stack.ports });
    expect(await codesOf(stack.run, 'cam-1')).toEqual(['RES_001']);
    // The issuer keeps its key, so a token of the first run is valid in the second.
    expect((await read({ ...stack.run, token }, '/v1/alerts')).status).toBe(200);
  });
});

describe('the embedded stack', () => {
  let stack: Stack | null = null;
  afterEach(() => stack?.stop());

  test('does the same in one process, and continues with its data after a restart', async () => {
    const dataDir = freshDir();
    stack = await startStack({ dataDir, isEmbedded: true });
    expect(stack.run).toMatchObject({ isEmbedded: true, firestoreHost: null, pubsubHost: null });
    for (const name of ['functions', 'tasks', 'storage', 'mqtt', 'bridge', 'issuer'])
      expect(stack.run.pids).toHaveProperty(name);
    for (const name of ['firestore', 'push', 'api']) expect(stack.run.pids).not.toHaveProperty(name);
    const { run } = stack;
    await report(run, 'cam-1', 'status', memoryReport(1, 93));
    await expect.poll(() => codesOf(run, 'cam-1'), { timeout: 20_000 }).toEqual(['RES_001']);
    await report(run, 'cam-1', 'status', 'not a report');
    await expect
      .poll(async () => (await read(run, '/v1/quarantine')).body['reports'], { timeout: 20_000 })
      .toHaveLength(1);
    await stack.stop();
    stack = await startStack({ dataDir, isEmbedded: true });
    expect(await codesOf(stack.run, 'cam-1')).toEqual(['RES_001']);
  });

  test('does not start if a port is in use, and names the port', async () => {
    const ports = await freePorts();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(ports.mqtt, '127.0.0.1', resolve));
    const starting = startStack({ ports, isEmbedded: true });
    await expect(starting).rejects.toThrow(`In use already: port ${ports.mqtt} (mqtt).`);
    other.close();
  });

  test('does not start on a port that fetch and browsers refuse, and names the port', async () => {
    const ports = portsFrom(10_080 - portNames.indexOf('issuer'));
    const call = fetch(`http://127.0.0.1:${ports.issuer}`).catch((error: Error) => String(error.cause));
    expect(await call).toContain('bad port');
    await expect(startStack({ ports, isEmbedded: true })).rejects.toThrow('refuse to call port 10080 (issuer).');
    const random = vi.spyOn(Math, 'random').mockReturnValueOnce((ports.gateway - 10_000) / 20_000);
    const chosen = await freePorts();
    expect(random.mock.calls.length).toBeGreaterThan(1);
    random.mockRestore();
    expect(Object.values(chosen)).not.toContain(10_080);
  });

  test('starts if the emulators are missing on this machine, and says so', async () => {
    const lines: string[] = [];
    const env = { ...process.env, FIRESTORE_EMULATOR_JAR: '/nowhere.jar' };
    stack = await startStack({ env, onProgress: (line) => lines.push(line) });
    expect(stack.run.isEmbedded).toBe(true);
    expect(lines[0]).toMatch(/is missing: the functions run on the in-process store, as with --embedded/);
  });
});

describe('npm start', () => {
  let child: ChildProcess | null = null;
  afterEach(() => child?.kill('SIGKILL'));

  const spawnStart = async (...flags: string[]) => {
    const started = spawn(process.execPath, ['local/start.ts', ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
    child = started;
    let output = '';
    const exited = new Promise<number | null>((resolve) => started.once('exit', resolve));
    for (const stream of [started.stdout, started.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    return { started, exited, output: () => output };
  };

  test('prints addresses, a token and a command; after it is killed, the next one starts', async () => {
    const dataDir = join(freshDir(), 'data');
    const { gateway: base } = await freePorts();
    const flags = ['--embedded', '--cameras', '2', '--port-base', String(base), '--data-dir', dataDir];
    const first = await spawnStart(...flags);
    await expect.poll(first.output, patience).toContain('Ctrl-C');
    const lines = first.output().split('\n');
    const ready = lines.findIndex((line) => line.startsWith('Ready'));
    expect(ready).toBeGreaterThan(lines.findIndex((line) => line.includes('fleet is up')));
    expect(lines.findLastIndex((line) => line.includes(' is up'))).toBeLessThan(ready);
    const shared = ['.', ...readdirSync(dataDir, { recursive: true, encoding: 'utf8' })].filter(
      (name) => (statSync(join(dataDir, name), { throwIfNoEntry: false })?.mode ?? 0) & 0o077,
    );
    expect(shared).toEqual([]);
    const run = readRunFile(dataDir);
    expect(run.baseUrl).toBe(`http://127.0.0.1:${base}`);
    expect(first.output()).toContain(run.token);
    const pasted = first.output().match(/^ {2}(?:export|curl) .*$/gm) ?? [];
    expect(pasted).toHaveLength(2);
    const { stdout } = await promisify(execFile)('bash', ['-c', pasted.join('\n')]);
    expect(JSON.parse(stdout)).toHaveProperty('alerts');
    expect(run.pids).toHaveProperty('fleet');
    first.started.kill('SIGKILL');
    await first.exited;
    await expect.poll(() => Object.values(run.pids).some(isAlive), patience).toBe(false);

    const second = await spawnStart(...flags);
    await expect.poll(second.output, patience).toContain('Ctrl-C');
    second.started.kill('SIGINT');
    expect(await second.exited).toBe(0);
    expect(existsSync(join(dataDir, 'run.json'))).toBe(false);
  });

  test.each([
    [['--bogus'], /--bogus/],
    [['--cameras', 'many'], /--cameras must be a whole number from 0 to 10000, not "many"/],
    [['--time-scale', '0'], /--time-scale must be a number from 1 to 100000, not "0"/],
    [['--port-base', String(65_536 - portNames.length)], /--port-base must be/],
    [['word'], /word/],
  ])('refuses %j', async (flags, expected) => {
    const { exited, output } = await spawnStart(...flags);
    expect(await exited).toBe(2);
    expect(output()).toMatch(expected);
  });

  test.each([
    [['start', '--port-base', '21000'], 'npm start -- --port-base 21000'],
    [
      ['start', '--cameras', '3', '--time-scale', '60', '--data-dir=x'],
      'npm start -- --cameras N --data-dir x --time-scale N',
    ],
    [['start', '--embedded', '--no-fleet'], 'npm start -- --embedded --no-fleet'],
    [['run', 'camera', '--id', 'cam-x'], 'npm run camera -- --id cam-x'],
  ])('answers "npm %j", whose flags npm keeps, with what to say', async (words, command) => {
    const failed = await promisify(execFile)('npm', words).catch((error) => error as { code: number; stderr: string });
    expect(failed).toMatchObject({ code: 2, stderr: expect.stringContaining(`Say "${command}": `) });
  });

  test('explains its flags', async () => {
    const { exited, output } = await spawnStart('--help');
    expect(await exited).toBe(0);
    for (const flag of ['cameras', 'port-base', 'data-dir', 'embedded', 'time-scale', 'no-fleet']) {
      expect(output()).toContain(`--${flag}`);
    }
  });
});
