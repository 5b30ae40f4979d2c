import type { GuardianHealth } from '../../../shared/schema/guardian/envelope.ts';
import { type Message, printable } from '../decide/notice.ts';
import type { WatchState } from '../decide/watch-state.ts';
import type { Golden } from '../golden/golden.ts';
import type { Seal } from './identity.ts';

/** Checks that must fail in a row before the guardian reports that it is blind. */
const blindAfterChecks = 3;

export type HealthParts = {
  seal: Seal;
  watch: () => WatchState;
  golden: () => Golden | null;
  refusal: () => string | null;
  /** Why the last check failed. Null: it succeeded. */
  failure: () => string | null;
  /** The journal and the number of the last alert. */
  counted: () => { epoch: string; alertSeq: number };
  intervalSeconds: number;
  healthIntervalSeconds: number;
};

/**
 * Reports the guardian's health when it changes and once per interval. The `seq` of a message is the time, so that it
 * increases over restarts without a write to flash memory.
 * @returns a function that makes the message that is due, or null
 */
export function createHealthTeller(parts: HealthParts): (nowMs: number, monotonicMs: number) => Message | null {
  let last: { said: string; atMs: number } | null = null;
  let lastSeq = 0;
  return (nowMs, monotonicMs) => {
    const { epoch, alertSeq } = parts.counted();
    const state = stateOf(parts);
    const said = JSON.stringify(state);
    const isDue =
      last === null || said !== last.said || monotonicMs - last.atMs >= parts.healthIntervalSeconds * 1000 - slackMs;
    if (!isDue) return null;
    last = { said, atMs: monotonicMs };
    lastSeq = Math.max(lastSeq + 1, Math.round(nowMs), 1);
    const { intervalSeconds, healthIntervalSeconds } = parts;
    const health: GuardianHealth = { ...state, lastAlertSeq: alertSeq, intervalSeconds, healthIntervalSeconds };
    return parts.seal('health', { epoch, seq: lastSeq }, JSON.stringify(health));
  };
}

/**
 * Milliseconds. Health is only sent after a check, so a check that comes slightly early must not leave it to the next.
 */
const slackMs = 500;

function stateOf(parts: HealthParts): Pick<GuardianHealth, 'status' | 'goldenGeneration' | 'reason'> {
  const { failedChecks, failure, previous } = parts.watch();
  // A generation counts as applied when the camera has it.
  const goldenGeneration = previous === null ? (parts.golden()?.generation ?? null) : null;
  const health = (status: GuardianHealth['status'], reason: string | null) => ({
    status,
    goldenGeneration,
    ...(reason === null ? {} : { reason: printable(reason).slice(0, 512) }),
  });
  if (failedChecks >= blindAfterChecks) return health('blind', parts.failure());
  if (failure !== null) return health('heal-failed', failure);
  const refusal = parts.refusal();
  return refusal === null ? health('ok', null) : health('golden-refused', refusal);
}
