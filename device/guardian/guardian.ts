import { compare, type Difference } from './decide/compare.ts';
import { type Check, decide, decideHealed, type HealResult, type Moment } from './decide/decide.ts';
import { heal, isConnectedAsWanted } from './decide/heal.ts';
import { type Instant, isHealingAllowed, type Policy } from './decide/maintenance.ts';
import type { ManagementInterface } from './decide/management-interface.ts';
import type { Notice } from './decide/notice.ts';
import { type Golden, type GoldenOffer, isSameGolden } from './golden/golden.ts';
import type { Health, LastCheck } from './memory/health.ts';
import type { Memory } from './memory/memory.ts';
import type { Log } from './process/log.ts';

export type GuardianParts = {
  serial: string;
  policy: Policy;
  camera: ManagementInterface;
  memory: Memory;
  golden: () => GoldenOffer;
  log: Log;
  clock: () => Instant;
  wait: (milliseconds: number) => Promise<void>;
  /** Time between two readings during a heal, milliseconds. */
  pollMs: number;
};

export type Guardian = {
  /** One check of the camera with everything that follows. @param slotMs monotonic instant at which it was due */
  check: (slotMs: number) => Promise<void>;
  health: () => Health;
  /** Why the last check failed, and why the last offered golden configuration is not used. Null where there is no such reason. */
  troubles: () => { failure: string | null; refusal: string | null };
};

/** The part of the guardian that acts: it checks, decides, stores the decision, then performs it. */
export function createGuardian(parts: GuardianParts): Guardian {
  const { policy, memory, log, clock } = parts;
  const startedAt = clock();
  const lookForGolden = createGoldenKeeper(parts);
  let lastCheck: LastCheck | null = null;
  let checkedAt: string | null = null;
  const counts = { drift: 0, healed: 0, conflict: 0, event: 0 };

  const momentOf = (slotMs: number): Moment => {
    const now = clock();
    return { slotMs, nowMs: now.monotonicMs, isHealingAllowed: isHealingAllowed(policy, startedAt, now) };
  };
  const update = (decision: { state: ReturnType<Memory['watch']>; notices: readonly Notice[] }) => {
    memory.update({ watch: decision.state }, decision.notices);
    for (const { kind } of decision.notices) counts[kind] += 1;
  };

  return {
    async check(slotMs) {
      const began = clock();
      checkedAt = new Date(began.calendarMs).toISOString();
      lookForGolden.look();
      const golden = memory.golden();
      if (golden === null) {
        log('check.skipped', { reason: lookForGolden.refusal() }, 'ERROR');
        return;
      }
      const seen = await look(parts, golden);
      const decision = decide(memory.watch(), seen, momentOf(slotMs));
      update(decision);
      lastCheck = summaryOf(seen, clock().monotonicMs - began.monotonicMs);
      log('check.ended', lastCheck, seen.status === 'failed' ? 'WARNING' : 'INFO');
      if (!decision.heal || seen.status === 'failed') return;
      const result = await runHeal(parts, golden, seen.differences);
      update(decideHealed(memory.watch(), result, momentOf(slotMs)));
    },
    troubles: () => ({
      failure: lastCheck?.outcome === 'failed' ? lastCheck.reason : null,
      refusal: lookForGolden.refusal(),
    }),
    health() {
      const { open, isConflict, isSlowFight } = memory.watch();
      const golden = memory.golden();
      const isDisputed = isConflict || isSlowFight;
      return {
        status: statusOf(golden, lastCheck, open !== null, isDisputed),
        checkedAt,
        lastCheck,
        driftCount: counts.drift,
        healCount: counts.healed,
        openDrift: open?.fields ?? [],
        goldenGeneration: golden?.generation ?? null,
        goldenRefused: lookForGolden.refusal(),
        droppedAlerts: memory.droppedAlerts(),
      };
    },
  };
}

/**
 * Follows the source of golden configurations: uses newer ones and refuses all others. A reason is reported once, not
 * at each check.
 */
function createGoldenKeeper({ memory, log, golden }: GuardianParts) {
  let refusal: string | null = null;

  const refuse = (reason: string) => {
    if (refusal === reason) return;
    refusal = reason;
    memory.update({ watch: memory.watch() }, [{ kind: 'event', type: 'guardian_golden_refused', reason }]);
  };
  const adopt = (offered: Golden) => {
    const present = memory.golden();
    if (present && offered.generation < present.generation) {
      refuse(`Generation ${offered.generation} is older than ${present.generation}, which was seen.`);
      return;
    }
    if (present && offered.generation === present.generation && !isSameGolden(present, offered)) {
      refuse(`Generation ${offered.generation} was seen with another content: a change needs a higher one.`);
      return;
    }
    refusal = null;
    if (present && isSameGolden(present, offered)) return;
    const watch = memory.watch();
    // Until the camera has the new configuration, values of the old one are not drift.
    const previous = present ? (watch.previous ?? present.configuration) : null;
    memory.update({ watch: { ...watch, previous }, golden: offered }, []);
    log('golden.adopted', { generation: offered.generation, fields: Object.keys(offered.configuration) });
  };

  return {
    look() {
      const offer = golden();
      if (offer.status === 'refused') refuse(offer.reason);
      if (offer.status === 'offered') adopt(offer.golden);
    },
    refusal: () => refusal,
  };
}

async function look({ camera, serial }: GuardianParts, { configuration }: Golden): Promise<Check> {
  const seen = await camera.read(configuration);
  if (seen.status === 'failed') return { status: 'failed', reason: `${seen.reason}: ${seen.detail}` };
  const differences = compare(configuration, seen.configuration, serial);
  return { status: 'compared', differences, isConnected: isConnectedAsWanted(configuration, seen.isConnected) };
}

async function runHeal(parts: GuardianParts, golden: Golden, differences: readonly Difference[]): Promise<HealResult> {
  const { clock, log } = parts;
  const beganMs = clock().monotonicMs;
  const result = await heal({ ...parts, golden: golden.configuration }, differences);
  const durationMs = Math.round(clock().monotonicMs - beganMs);
  if (result.status === 'failed') log('heal.failed', { reason: result.reason, durationMs }, 'ERROR');
  else log('heal.verified', { durationMs });
  return result;
}

function summaryOf(check: Check, durationMs: number): LastCheck {
  const rounded = Math.round(durationMs);
  if (check.status === 'failed') return { outcome: 'failed', reason: check.reason, durationMs: rounded };
  const differing = check.differences.map(({ name, severity }) => ({ name, severity }));
  const outcome = differing.length > 0 ? 'differs' : 'matches';
  return { outcome, differing, isConnected: check.isConnected, durationMs: rounded };
}

function statusOf(
  golden: Golden | null,
  last: LastCheck | null,
  isDrifted: boolean,
  isDisputed: boolean,
): Health['status'] {
  if (golden === null) return 'no-golden';
  if (last === null) return 'starting';
  if (last.outcome === 'failed') return 'blind';
  if (isDisputed) return 'conflict';
  return isDrifted ? 'drifted' : 'golden';
}
