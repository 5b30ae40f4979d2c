import { describe, expect, test } from 'vitest';
import {
  type CheckName,
  type CheckOutcome,
  checkNames,
  readinessOf,
  slownessOf,
} from '../../../../shared/domain/probe/readiness.ts';

const at = '2026-11-20T10:00:00.000Z';
const fast: Record<CheckName, CheckOutcome> = {
  database: { latencyMs: 12.5 },
  mqtt: { latencyMs: 3.49 },
  storage: { latencyMs: 0 },
  auth: { latencyMs: 7 },
};

test('all four dependencies must work, and each shows its latency in whole milliseconds', () => {
  expect(readinessOf(fast, at, '1.2.3')).toEqual({
    status: 'ready',
    timestamp: at,
    version: '1.2.3',
    checks: {
      database: { status: 'healthy', latency_ms: 13 },
      mqtt: { status: 'healthy', latency_ms: 3 },
      storage: { status: 'healthy', latency_ms: 0 },
      auth: { status: 'healthy', latency_ms: 7 },
    },
  });
});

test.each(checkNames)('where only %s fails, the platform is not ready and says why', (name) => {
  const { status, checks } = readinessOf({ ...fast, [name]: { error: 'no answer' } }, at, '1');
  expect(status).toBe('not_ready');
  expect(checks[name]).toEqual({ status: 'unhealthy', latency_ms: null, error: 'no answer' });
  const others = checkNames.filter((each) => each !== name);
  expect(others.map((each) => checks[each].status)).toEqual(['healthy', 'healthy', 'healthy']);
});

describe('a healthy check is slow', () => {
  test.each([
    ['database', 100, 500],
    ['mqtt', 50, 200],
    ['storage', 200, 1000],
    ['auth', 100, 500],
  ] as const)('%s above %i ms, and very slow above %i ms', (name, warning, critical) => {
    const asked = [warning, warning + 1, critical, critical + 1];
    expect(asked.map((ms) => slownessOf(name, ms))).toEqual([null, 'warning', 'warning', 'critical']);
  });
});
