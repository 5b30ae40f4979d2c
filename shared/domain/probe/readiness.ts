import type { ReadinessResponse } from '../../schema/probe/probe.ts';

export const checkNames = ['database', 'mqtt', 'storage', 'auth'] as const;
export type CheckName = (typeof checkNames)[number];

/** Latencies above which a check counts as slow, milliseconds (contract: dependency latency thresholds). A slow check is still healthy. */
export const latencyThresholdsMs: Record<CheckName, { warning: number; critical: number }> = {
  database: { warning: 100, critical: 500 },
  mqtt: { warning: 50, critical: 200 },
  storage: { warning: 200, critical: 1000 },
  auth: { warning: 100, critical: 500 },
};

/** Latency in milliseconds, or why the check failed, without addresses or secrets. */
export type CheckOutcome = { latencyMs: number } | { error: string };

/** The readiness answer. It is not ready when at least one check failed. */
export function readinessOf(
  outcomes: Record<CheckName, CheckOutcome>,
  timestamp: string,
  version: string,
): ReadinessResponse {
  const result = (name: CheckName): ReadinessResponse['checks'][CheckName] => {
    const outcome = outcomes[name];
    return 'error' in outcome
      ? { status: 'unhealthy', latency_ms: null, error: outcome.error }
      : { status: 'healthy', latency_ms: Math.round(outcome.latencyMs) };
  };
  const checks = {
    database: result('database'),
    mqtt: result('mqtt'),
    storage: result('storage'),
    auth: result('auth'),
  };
  const isReady = checkNames.every((name) => checks[name].status === 'healthy');
  return { status: isReady ? 'ready' : 'not_ready', timestamp, version, checks };
}

/** How slow a healthy check is. Null within its thresholds. */
export function slownessOf(name: CheckName, latencyMs: number): 'warning' | 'critical' | null {
  const { warning, critical } = latencyThresholdsMs[name];
  return latencyMs > critical ? 'critical' : latencyMs > warning ? 'warning' : null;
}
