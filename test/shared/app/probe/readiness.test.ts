import { afterEach, expect, test, vi } from 'vitest';
import { createReadiness } from '../../../../shared/app/probe/readiness.ts';
import { type CheckName, checkNames } from '../../../../shared/domain/probe/readiness.ts';

const at = '2026-11-20T10:00:00.000Z';
afterEach(() => vi.restoreAllMocks());

/** A probe whose checks take as long as `takes` says. Only they and `pass` advance its clock. */
function probed(takes: Partial<Record<CheckName, number>> = {}, failing: readonly CheckName[] = []) {
  let elapsed = 0;
  const lines: unknown[] = [];
  const calls: CheckName[] = [];
  const line = (level: string) => (event: string, fields: object) => void lines.push([level, event, fields]);
  const check = (name: CheckName) => async () => {
    calls.push(name);
    elapsed += takes[name] ?? 0;
    if (failing.includes(name)) throw new Error(`${name} at 10.0.0.7 refused`);
  };
  const checks = Object.fromEntries(checkNames.map((name) => [name, check(name)])) as Record<
    CheckName,
    () => Promise<void>
  >;
  const log = { info: line('info'), warn: line('warn'), error: line('error') };
  const ready = createReadiness({ checks, log, now: () => at, elapsedMs: () => elapsed, version: '1.2.3' });
  return {
    ready,
    lines,
    calls,
    pass(ms: number) {
      elapsed += ms;
    },
  };
}

test('callers within two seconds share one result, and the next one asks again', async () => {
  const { ready, calls, pass } = probed();
  const first = ready();
  expect(ready()).toBe(first);
  expect(await first).toMatchObject({ status: 'ready', timestamp: at, version: '1.2.3' });
  pass(1999);
  expect(ready()).toBe(first);
  expect(calls).toEqual(checkNames);
  pass(1);
  expect(ready()).not.toBe(first);
  expect(calls).toEqual([...checkNames, ...checkNames]);
});

test('a failed check is logged with its error, which the answer does not show', async () => {
  const { ready, lines } = probed({}, ['mqtt']);
  const { status, checks } = await ready();
  expect([status, checks.mqtt]).toEqual([
    'not_ready',
    { status: 'unhealthy', latency_ms: null, error: 'does not answer as it should' },
  ]);
  expect(checks.database).toEqual({ status: 'healthy', latency_ms: 0 });
  expect(lines).toEqual([['error', 'check.failed', { check: 'mqtt', error: 'Error: mqtt at 10.0.0.7 refused' }]]);
});

test.each([
  [50, []],
  [50.6, [['warn', 'check.slow', { check: 'mqtt', latencyMs: 51 }]]],
  [200, [['warn', 'check.slow', { check: 'mqtt', latencyMs: 200 }]]],
  [200.4, [['error', 'check.slow', { check: 'mqtt', latencyMs: 200 }]]],
])('a check that takes %d ms is healthy, and logged as slow: %o', async (ms, expected) => {
  const { ready, lines } = probed({ mqtt: ms });
  expect((await ready()).checks.mqtt.status).toBe('healthy');
  // Checks run concurrently, so the time of the checks before this one includes its time.
  const ofMqtt = lines.filter((line) => JSON.stringify(line).includes('mqtt'));
  expect(ofMqtt).toEqual(expected);
});

test('a check that does not answer is given up after two seconds', async () => {
  const aborts: { ms: number; controller: AbortController }[] = [];
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const controller = new AbortController();
    aborts.push({ ms, controller });
    return controller.signal;
  });
  const never = () => new Promise<void>(() => {});
  const works = async () => {};
  const silent = () => {};
  const ready = createReadiness({
    checks: { database: never, mqtt: works, storage: works, auth: works },
    log: { info: silent, warn: silent, error: silent },
    now: () => at,
    elapsedMs: () => 0,
    version: '1',
  });
  const answer = ready();
  expect(aborts.map(({ ms }) => ms)).toEqual([2000, 2000, 2000, 2000]);
  aborts[0]?.controller.abort(new Error('timeout'));
  const { status, checks } = await answer;
  expect([status, checks.database]).toEqual([
    'not_ready',
    { status: 'unhealthy', latency_ms: null, error: 'no answer within 2000 ms' },
  ]);
});
