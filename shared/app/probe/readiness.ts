import {
  type CheckName,
  type CheckOutcome,
  checkNames,
  readinessOf,
  slownessOf,
} from '../../domain/probe/readiness.ts';
import type { ReadinessResponse } from '../../schema/probe/probe.ts';
import type { Log } from '../ports.ts';

/** One check. It resolves when the dependency works, and rejects when it does not. */
export type Check = (signal: AbortSignal) => Promise<void>;

/** A fault whose message may be shown: it names the part that does not answer, and nothing else. */
export class CheckFault extends Error {}

type Probe = {
  checks: Record<CheckName, Check>;
  log: Log;
  now: () => string;
  /** Milliseconds on a monotonic clock. */
  elapsedMs: () => number;
  version: string;
};

/** The longest time that a check may take, and how long callers share its result, milliseconds. */
export const checkLimitMs = 2000;
export const sharedForMs = 2000;

/** The readiness probe: four concurrent checks, each with a time limit. Callers within two seconds share one result. */
export function createReadiness(probe: Probe): () => Promise<ReadinessResponse> {
  let shared: { result: Promise<ReadinessResponse>; until: number } | null = null;
  return () => {
    const at = probe.elapsedMs();
    if (!shared || shared.until <= at) shared = { result: runAll(probe), until: at + sharedForMs };
    return shared.result;
  };
}

async function runAll(probe: Probe): Promise<ReadinessResponse> {
  const outcomes = await Promise.all(checkNames.map(async (name) => [name, await runOne(probe, name)] as const));
  return readinessOf(Object.fromEntries(outcomes) as Record<CheckName, CheckOutcome>, probe.now(), probe.version);
}

async function runOne({ checks, log, elapsedMs }: Probe, name: CheckName): Promise<CheckOutcome> {
  const startedAt = elapsedMs();
  const signal = AbortSignal.timeout(checkLimitMs);
  try {
    await Promise.race([checks[name](signal), rejectionOf(signal)]);
    const latencyMs = elapsedMs() - startedAt;
    const slowness = slownessOf(name, latencyMs);
    if (slowness)
      log[slowness === 'critical' ? 'error' : 'warn']('check.slow', { check: name, latencyMs: Math.round(latencyMs) });
    return { latencyMs };
  } catch (error) {
    log.error('check.failed', { check: name, error: String(error) });
    if (error instanceof CheckFault) return { error: error.message };
    return { error: signal.aborted ? `no answer within ${checkLimitMs} ms` : 'does not answer as it should' };
  }
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}
