import { type Difference, isSame, maxSeverity } from './compare.ts';
import { conflictLimits, raiseConflicts, releaseConflicts } from './conflict.ts';
import { type FieldName, normalise } from './fields.ts';
import type { Notice } from './notice.ts';
import type { OpenDrift, WatchState } from './watch-state.ts';

/** One check of the camera. `isConnected`: its MQTT client has a connection. */
export type Check =
  | { status: 'compared'; differences: readonly Difference[]; isConnected: boolean }
  | { status: 'failed'; reason: string };

/**
 * How a heal ended. `leftover`: LOW differences that remained. `isGoldenReached`: the camera had the golden configuration at least once
 * during the heal, whatever followed.
 */
export type HealResult =
  | { status: 'healed'; leftover: readonly Difference[] }
  | { status: 'failed'; reason: string; isGoldenReached: boolean };

/**
 * `slotMs` is the instant at which the check was due, `nowMs` the present one, both on the monotonic clock. Windows count in slots, so that
 * a late timer cannot move an episode into or out of a window.
 */
export type Moment = { slotMs: number; nowMs: number; isHealingAllowed: boolean };

/** The result: the next state, the messages, and whether to write the golden configuration now. */
export type Decision = { state: WatchState; notices: Notice[]; heal: boolean };

/** Checks that must fail in a row before the guardian reports that it is blind. */
const blindAfterChecks = 3;

/** Decides after a check. */
export function decide(before: WatchState, check: Check, moment: Moment): Decision {
  if (check.status === 'failed') return decideBlind(before, check.reason);
  const state = releaseConflicts({ ...before, failedChecks: 0 }, moment.slotMs);
  const drifted = check.differences.filter((difference) => !isRollout(state, difference));
  const isRolloutDue = drifted.length < check.differences.length;
  if (drifted.every(({ severity }) => severity === 'LOW')) {
    if (isRolloutDue) return { state, notices: [], heal: moment.isHealingAllowed };
    return settle(state, drifted, check.isConnected, moment);
  }
  const { state: drifting, notices } = noteDrift({ ...state, lastAdriftAtMs: moment.slotMs }, drifted, moment);
  const heal = moment.isHealingAllowed && (isRolloutDue || isHealDue(drifting, drifted, moment));
  return { state: heal ? startHeal(drifting, drifted, moment) : drifting, notices, heal };
}

/** Decides after a heal. */
export function decideHealed(before: WatchState, result: HealResult, moment: Moment): Decision {
  if (result.status === 'healed') return settle(before, result.leftover, true, moment);
  const open = before.open && result.isGoldenReached ? { ...before.open, values: {} } : before.open;
  const notices: Notice[] =
    before.failure === result.reason ? [] : [{ kind: 'event', type: 'guardian_heal_failed', reason: result.reason }];
  return { state: { ...before, open, failure: result.reason }, notices, heal: false };
}

function decideBlind(before: WatchState, reason: string): Decision {
  const failedChecks = before.failedChecks + 1;
  const notices: Notice[] =
    failedChecks === blindAfterChecks ? [{ kind: 'event', type: 'guardian_blind', reason }] : [];
  return { state: { ...before, failedChecks }, notices, heal: false };
}

/**
 * Whether a difference only shows that the new golden configuration has not been written yet: the field has its
 * previous golden value, or was not golden before. Such a difference is not a drift.
 */
function isRollout({ previous }: WatchState, { name, actual }: Difference): boolean {
  if (previous === null) return false;
  const old = previous[name];
  return old === undefined || isSame(normalise(name, old), actual);
}

/** Ends the open drift: at most LOW fields still differ. A heal counts only if the camera's client is connected too. */
function settle(state: WatchState, leftover: readonly Difference[], isConnected: boolean, { nowMs }: Moment): Decision {
  const { open, previous } = state;
  if (open && open.healAttempts > 0 && !isConnected) {
    return { state: { ...state, open: { ...open, values: {} } }, notices: [], heal: false };
  }
  const notices: Notice[] = [];
  if (open && open.healAttempts > 0) {
    const durationMs = Math.max(0, Math.round(nowMs - (open.healStartedAtMs ?? nowMs)));
    const fields = open.fields.filter((field) => leftover.every(({ name }) => name !== field));
    notices.push({ kind: 'healed', fields, durationMs });
  } else if (open) {
    notices.push({
      kind: 'event',
      type: 'configuration_restored',
      reason: 'The camera is golden again without a heal.',
    });
  }
  if (previous && isConnected) {
    notices.push({
      kind: 'event',
      type: 'config_updated',
      reason: 'The camera has taken the new golden configuration.',
    });
  }
  return {
    state: { ...state, open: null, failure: null, previous: isConnected ? null : previous },
    notices,
    heal: false,
  };
}

/**
 * A new drift value opens an episode and is reported. A drift that merely continues, or a change of a LOW field beside
 * it, does neither.
 */
function noteDrift(
  state: WatchState,
  drifted: readonly Difference[],
  moment: Moment,
): { state: WatchState; notices: Notice[] } {
  const { open } = state;
  const alerting = drifted.filter(({ severity }) => severity !== 'LOW');
  const isChange = open === null || alerting.some(({ name, actual }) => !isSame(open.values[name], actual));
  const next: OpenDrift = {
    fields: [...new Set<FieldName>([...(open?.fields ?? []), ...drifted.map(({ name }) => name)])],
    values: Object.fromEntries(alerting.map(({ name, actual }) => [name, actual])),
    healAttempts: open?.healAttempts ?? 0,
    healStartedAtMs: open?.healStartedAtMs ?? null,
  };
  if (!isChange) return { state: { ...state, open: next }, notices: [] };
  const willHeal = moment.isHealingAllowed && maxSeverity(drifted) !== 'MEDIUM';
  const drift: Notice = { kind: 'drift', differences: drifted, action: willHeal ? 'HEALING' : 'ALERT_ONLY' };
  const episodes = [...state.episodes, { atMs: moment.slotMs, healAttempts: 0 }].slice(-conflictLimits.slowEpisodes);
  const raised = raiseConflicts({ ...state, open: next, episodes, failure: null }, drifted, moment.slotMs);
  return { state: raised.state, notices: [drift, ...raised.notices] };
}

/**
 * CRITICAL is healed at once, even during a conflict. HIGH waits for the backoff of a conflict. MEDIUM must be
 * corrected by a person.
 */
function isHealDue(state: WatchState, drifted: readonly Difference[], { slotMs }: Moment): boolean {
  const severity = maxSeverity(drifted);
  if (severity === 'CRITICAL') return true;
  return severity === 'HIGH' && (!state.isConflict || slotMs >= state.healDueAtMs);
}

function startHeal(state: WatchState, drifted: readonly Difference[], { slotMs, nowMs }: Moment): WatchState {
  const { open, episodes } = state;
  const isBackedOff = state.isConflict && maxSeverity(drifted) !== 'CRITICAL';
  const backoffStep = isBackedOff
    ? Math.min(state.backoffStep + 1, conflictLimits.backoffMs.length - 1)
    : state.backoffStep;
  return {
    ...state,
    backoffStep,
    healDueAtMs: isBackedOff ? slotMs + (conflictLimits.backoffMs[backoffStep] ?? 0) : state.healDueAtMs,
    episodes: episodes.map((episode, index) =>
      index === episodes.length - 1 ? { ...episode, healAttempts: episode.healAttempts + 1 } : episode,
    ),
    open: open && { ...open, healAttempts: open.healAttempts + 1, healStartedAtMs: open.healStartedAtMs ?? nowMs },
  };
}
