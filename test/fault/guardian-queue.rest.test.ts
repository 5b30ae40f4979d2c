import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { openJournal } from '../../device/guardian/memory/journal.ts';
import { reconnectDelayMs } from '../../device/guardian/mqtt/publisher.ts';
import { createGuardianWorld, type Received, startRecordingBroker, until } from '../support/guardian/world.ts';

type Counted = { count: number };

const folders: string[] = [];
const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'guardian-queue-'));
  folders.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** The messages without byte-identical repeats, as the service deduplicates them. */
const distinct = (received: readonly Received[]) =>
  [...new Set(received.map(({ payload }) => payload))].map((text) => JSON.parse(text));

describe('a broker that is away', () => {
  test('for an hour of conflict gets every alert afterwards, in order', async () => {
    const world = await createGuardianWorld();
    await world.broker.stop();
    for (let count = 0; count < 120; count += 1) {
      world.camera.tamper('broker.host', 'evil.example.net');
      await world.look();
    }
    expect(world.guardian.report().queueLength).toBe(241);
    await world.restart();
    expect(world.guardian.report().queueLength).toBe(241);
    const broker = await startRecordingBroker({ port: world.broker.port });
    await world.drained();
    const alerts = distinct(broker.received);
    expect(alerts.map(({ alertCode }) => alertCode).filter((code) => code === 'CONFIG_HEALED')).toHaveLength(120);
    expect(alerts).toHaveLength(241);
    const timestamps = alerts.map(({ timestamp }) => timestamp);
    expect(timestamps).toEqual([...timestamps].sort());
    expect(new Set(timestamps).size).toBe(241);
    await world.guardian.publisher.stop();
    await Promise.all([world.camera.close(), broker.stop()]);
    rmSync(world.folder, { recursive: true });
  });

  test('repeatedly before it acknowledges gets the same bytes again, and each alert once in the end', async () => {
    const world = await createGuardianWorld();
    world.broker.dropBeforeAcknowledging = 3;
    world.camera.tamper('broker.host', 'evil.example.net');
    await world.look();
    await world.drained();
    expect(world.broker.received.length).toBeGreaterThan(2);
    expect(distinct(world.broker.received).map(({ alertCode }) => alertCode)).toEqual([
      'CONFIG_DRIFT',
      'CONFIG_HEALED',
    ]);
    await world.stop();
  });

  test('is contacted again after half a second to 60 s, at a random time for each guardian', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 100].map((failures) => reconnectDelayMs(failures, 0))).toEqual([
      500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000,
    ]);
    expect(reconnectDelayMs(1, 0.999)).toBeGreaterThan(990);
    expect(reconnectDelayMs(100, 0.999)).toBeGreaterThan(59_000);
    expect(reconnectDelayMs(100, 0.999)).toBeLessThanOrEqual(60_000);
  });
});

describe('kill -9', () => {
  test('before any disk operation loses no alert, creates none twice and keeps their order', async () => {
    const broker = await startRecordingBroker();
    const total = 4;
    const clean = await runProgram(newFolder(), broker.port, total, 0);
    const calls = Number(/calls (\d+)/.exec(clean.output)?.[1]);
    expect(clean.signal).toBeNull();
    expect(calls).toBeGreaterThan(15);
    for (let call = 1; call <= calls; call += 1) {
      broker.received.length = 0;
      const folder = newFolder();
      const killed = await runProgram(folder, broker.port, total, call);
      expect(killed.signal).toBe('SIGKILL');
      const finished = await runProgram(folder, broker.port, total, 0);
      expect(finished.output).not.toContain('unreadable');
      const numbers = distinct(broker.received).map(({ number }) => number);
      expect({ call, numbers }).toEqual({ call, numbers: [1, 2, 3, 4] });
    }
    await broker.stop();
  }, 600_000);
});

describe('the disk', () => {
  test('that is missing stops no heal, and gets the alerts when it is back', async () => {
    const world = await createGuardianWorld();
    const queue = join(world.folder, 'queue');
    rmSync(queue, { recursive: true });
    world.camera.tamper('broker.host', 'evil.example.net');
    await world.look();
    expect(world.camera.settings().server?.['host']).toBe('mqtt.example.com');
    expect(world.log().some(({ event }) => event === 'journal.failed')).toBe(true);
    mkdirSync(queue);
    await world.look();
    await until(() => world.broker.received.length === 2);
    expect(world.broker.alerts().map((alert) => alert['alertCode'])).toEqual(['CONFIG_DRIFT', 'CONFIG_HEALED']);
    await world.stop();
  });

  test('that disappears while alerts are queued does not end the guardian', async () => {
    const world = await createGuardianWorld();
    world.broker.credentials = { username: 'nobody', password: 'enters' };
    world.camera.tamper('broker.host', 'evil.example.net');
    await world.look();
    await until(() => world.text().includes('alerts.delayed'));
    rmSync(join(world.folder, 'queue'), { recursive: true });
    world.broker.credentials = null;
    await until(() => world.text().includes('ENOENT'));
    await world.look();
    expect(world.guardian.report().lastCheck).toMatchObject({ outcome: 'matches' });
    await world.stop();
  });

  test('with an unreadable entry returns the other entries, and sets the unreadable one aside', () => {
    const folder = newFolder();
    const message = (payload: string) => ({ topic: 'devices/cam-1/guardian', payload });
    const first = openJournal<Counted>(folder, () => {});
    first.append({ count: 1 }, [message('a')]);
    first.append({ count: 2 }, [message('b')]);
    first.append({ count: 3 }, [message('c')]);
    writeFileSync(join(folder, '000000000002.outbox.json'), '{"torn');
    const unreadable: string[] = [];
    const second = openJournal<Counted>(folder, (file) => unreadable.push(file));
    expect(unreadable).toEqual(['000000000002.outbox.json']);
    expect(second.queueLength()).toBe(2);
    expect(second.state()).toEqual({ count: 3 });
    second.acknowledge(1);
    expect(second.next()).toMatchObject({ sequence: 3, messages: [message('c')] });
  });

  test('holds one file when the outbox is empty', () => {
    const folder = newFolder();
    const journal = openJournal<Counted>(folder, () => {});
    for (let state = 1; state <= 5; state += 1)
      journal.append({ count: state }, state % 2 === 0 ? [] : [{ topic: 't', payload: `${state}` }]);
    for (let entry = journal.next(); entry; entry = journal.next()) journal.acknowledge(entry.sequence);
    expect(readdirSync(folder)).toEqual(['000000000005.done.json']);
    expect(openJournal<Counted>(folder, () => {}).state()).toEqual({ count: 5 });
  });

  test('stores at most 10,000 alerts, and always the state', () => {
    const folder = newFolder();
    const journal = openJournal<Counted>(folder, () => {});
    const messages = Array.from({ length: 9_999 }, (_, index) => ({ topic: 't', payload: `${index}` }));
    expect(journal.append({ count: 1 }, messages)).toBe(9_999);
    expect(journal.append({ count: 2 }, messages.slice(0, 2))).toBe(0);
    expect(journal.append({ count: 3 }, messages.slice(0, 1))).toBe(1);
    expect(journal.queueLength()).toBe(10_000);
    expect(journal.state()).toEqual({ count: 3 });
  });
});

function runProgram(
  folder: string,
  port: number,
  total: number,
  killAt: number,
): Promise<{ signal: string | null; output: string }> {
  const args = ['--import', './test/support/faults/kill-at-call.ts', 'test/support/guardian/queue-program.ts'];
  const child = spawn('node', [...args, folder, `mqtt://127.0.0.1:${port}`, `${total}`], {
    env: { ...process.env, KILL_AT_CALL: `${killAt}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  return new Promise((resolve) => child.on('close', (_code, signal) => resolve({ signal, output })));
}
