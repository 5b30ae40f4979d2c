import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { missingForEmulators } from '../../../local/cloud/emulators.ts';
import type { StackOptions } from '../../../local/stack/settings.ts';
import { type Stack, startStack } from '../../../local/stack/stack.ts';
import { openSmallDisk } from '../../support/faults/small-disk.ts';
import { ledger } from '../../support/score/score.ts';
import { createFakeClocks, missingForClocks } from '../../support/stack/fake-clocks.ts';
import { type Figures, openOutside } from '../../support/stack/outside.ts';
import { until } from '../../support/stack/stack.ts';

/** Alerts, and as many detections, of each case. */
const size = Number(process.env['FAULT_PLATFORM_EVENTS'] ?? 200);
const timeScale = 10;
const minute = 60_000;
/** Longer than a case takes, and shorter than a clock is moved: a wrong clock would escalate at once. */
const responseSeconds = 45 * 60 * timeScale;
const hourSeconds = 3600;

const functions = ['api', 'probes', 'ingest', 'deliver', 'deadline'];
const standIns = ['push', 'tasks', 'storage', 'mqtt', 'inbox', 'issuer'];
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

let folder: string;
let stack: Stack;
let outside: Awaited<ReturnType<typeof openOutside>>;
/** What the stack told the person before it. */
let problems: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'platform-'));
  problems = [];
});
afterEach(async () => {
  await outside?.close();
  await stack?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function open(options: StackOptions = {}): Promise<void> {
  stack = await startStack({
    timeScale,
    dependencyRestartMs: 2000,
    env: { ...process.env, WEBHOOK_ALLOW_HOSTS: 'localhost' },
    onProblem: (line) => problems.push(line),
    ...options,
  });
  outside = await openOutside(stack, { responseSeconds, cameras: size });
}

/** The sizes of `parts` equal shares of all events. */
function shares(parts: number): number[] {
  const until = (part: number) => Math.round((size * part) / parts);
  return Array.from({ length: parts }, (_, part) => until(part + 1) - until(part));
}

function report(what: string, figures: Figures): void {
  const { sent, opened, delivered, repeats, lost, doubled, wrong } = figures;
  const counts = { lost: lost.length, wrong: wrong.length, doubled: doubled.length };
  console.log(`${what}: ${JSON.stringify({ sent, opened, delivered, repeats, ...counts })}`);
  ledger('R22', what, { tried: sent, ...counts });
  expect({ lost, doubled, wrong }).toEqual({ lost: [], doubled: [], wrong: [] });
  expect({ opened, delivered }).toEqual({ opened: sent / 2, delivered: sent });
}

async function comesBack(part: string, pid: number | undefined): Promise<void> {
  await until(`${part} runs again`, async () => ![undefined, pid].includes(stack.run.pids[part]), 90);
}

describe.skipIf(missingForEmulators())(`${size} alerts and ${size} detections`, { timeout: 20 * minute }, () => {
  test('each process of the stack is killed in turn', async () => {
    await open();
    const parts = [...functions, ...standIns, 'pubsub', 'firestore'];
    for (const [index, count] of shares(parts.length).entries()) {
      const part = parts[index] ?? '';
      const pid = stack.run.pids[part];
      await outside.keepMails();
      // These keep data in memory only. They stand in for services that lose nothing, so they end when nothing is on its way.
      if (part === 'firestore') await saved();
      const isBusy = !['mqtt', 'pubsub', 'firestore'].includes(part);
      const connections = bridgeConnections();
      if (!isBusy) await stack.kill(part);
      // The broker forgets who subscribed.
      if (part === 'mqtt') await until('the bridge is back', async () => bridgeConnections() > connections, 90);
      const sending = outside.send(count);
      if (isBusy) {
        await pause(20 * index);
        await stack.kill(part);
      }
      await comesBack(part, pid);
      await sending;
      await outside.arrive(`${part} was killed`);
    }
    const figures = await outside.judge();
    report('each process killed in turn', figures);
    // Only a process that ends between an answer and its record repeats, and it has four requests in flight.
    expect(figures.repeats).toBeLessThanOrEqual(4);
  });

  test('Firestore is stopped for 50 s', async () => {
    await open();
    const pid = stack.run.pids['firestore'] ?? 0;
    process.kill(pid, 'SIGSTOP');
    const sending = outside.send(size);
    await pause(50_000);
    process.kill(pid, 'SIGCONT');
    await sending;
    await outside.arrive('Firestore goes on', 300);
    const figures = await outside.judge();
    report('Firestore stopped for 50 s', figures);
  });

  test('the disk of the stack is full for a while', async () => {
    const disk = openSmallDisk(join(folder, 'disk'));
    try {
      await open({
        dataDir: disk.folder,
        env: { ...process.env, WEBHOOK_ALLOW_HOSTS: 'localhost', NODE_COMPILE_CACHE: join(folder, 'cache') },
      });
      const parts = [...functions, ...standIns.filter((part) => part !== 'tasks')];
      const [before = 0, within = 0, last = 0, after = 0, ...others] = shares(parts.length + 4);
      await outside.send(before);
      await outside.arrive('there is room');
      disk.fill(stack.run.pids);
      // Tasks cannot be kept now, so deliveries wait.
      await outside.send(within);
      for (const [index, count] of others.entries()) {
        const part = parts[index] ?? '';
        const pid = stack.run.pids[part];
        await outside.keepMails();
        const sending = outside.send(count);
        await stack.kill(part);
        await comesBack(part, pid);
        await sending;
      }
      const says = (words: RegExp) =>
        until(`the stack says ${words}`, async () => problems.some((line) => words.test(line)), 90);
      await says(/^Firestore's data was not saved/);
      // It cannot keep a journal, so it does not begin, and says why. Others go on.
      await stack.kill('tasks');
      await says(/^tasks does not start: ENOSPC/);
      await outside.send(last);
      disk.free(stack.run.pids);
      await comesBack('tasks', undefined);
      await outside.send(after);
      await outside.arrive('there is room again');
      report('the disk full for a while', await outside.judge());
      expect(problems.filter((line) => line.includes('\n'))).toEqual([]);
    } finally {
      await outside?.close();
      await stack?.stop();
      disk.close();
    }
  });

  test.skipIf(missingForClocks)('the clock of one process at a time is moved by an hour, ahead and back', async () => {
    const clocks = createFakeClocks(join(folder, 'clocks'));
    // Google's emulators answer within minutes instead of milliseconds with this library.
    const parts = [...functions, ...standIns];
    await open({ environmentOf: (part) => (parts.includes(part) ? clocks.environmentOf(part) : {}) });
    const moves = parts.flatMap((part) => [hourSeconds, -hourSeconds].map((seconds) => ({ part, seconds })));
    for (const [index, count] of shares(moves.length).entries()) {
      const { part, seconds } = moves[index] ?? { part: '', seconds: 0 };
      await clocks.move(part, seconds);
      const half = Math.ceil(count / 2);
      // A request in flight at the end of the first half was begun with the wrong clock.
      await outside.send(half);
      await outside.arrive(`the clock of ${part} is moved by ${seconds} s`);
      if (functions.includes(part)) {
        const pid = stack.run.pids[part];
        await stack.kill(part);
        await comesBack(part, pid);
        await clocks.move(part, seconds);
      }
      await outside.send(count - half);
      await outside.arrive(`${part} began with a clock that is moved by ${seconds} s`);
      await clocks.move(part, 0);
    }
    const figures = await outside.judge();
    report('one clock at a time moved by an hour', figures);
    expect(figures.repeats).toBe(0);
  });
});

/** How often the bridge has connected to the broker, by its log. */
function bridgeConnections(): number {
  return readFileSync(join(stack.dataDir, 'logs', 'bridge.log'), 'utf8').split('"broker.connected"').length - 1;
}

/** Waits until all that was written so far has been saved. */
async function saved(): Promise<void> {
  const nowMs = Date.now();
  const pointer = join(stack.dataDir, 'firestore', 'current.json');
  const savedMs = () => {
    try {
      return Number(JSON.parse(readFileSync(pointer, 'utf8')).folder);
    } catch {
      return 0;
    }
  };
  await until('the database is saved', async () => savedMs() > nowMs, 120);
}
