import { thresholds, type Waits } from '../limits.ts';
import { type Instant, msBetween, plus, spell } from '../time.ts';

/** What the sweep remembers of the platform's own sight: one record. */
export type PlatformState = {
  platformId: 'sight';
  /** When the platform last found itself blind. */
  blindAt: Instant | null;
  /** While it is blind for want of any report; null once they flow. */
  isIdle: boolean;
  /** No device is declared silent before this. */
  resumeAt: Instant | null;
};

export const platformId = 'sight';
export const clearSight: PlatformState = { platformId, blindAt: null, isIdle: false, resumeAt: null };

/** What one sweep sees of the fleet. */
export type Sight = {
  now: Instant;
  /** Devices that count as online. */
  online: number;
  /** Of them those that are due to be declared silent and were not when the platform was last blind. */
  newlySilent: number;
  /** The newest report of any device that is written; null without devices online. */
  lastReportAt: Instant | null;
};

/** `declare`: those who are due are silent. `wait`: not yet. `blind`: it is us, and operations must be told why. */
export type Verdict =
  | { kind: 'declare' }
  | { kind: 'wait'; state: PlatformState }
  | { kind: 'blind'; state: PlatformState; why: string };

/** Is it them or us? Decides whether silence in the fleet is believed. */
export function judgeSilence(state: PlatformState, sight: Sight, waits: Waits): Verdict {
  const { now, online, newlySilent, lastReportAt } = sight;
  // The newest report that is written may be older than the newest that was handled by as much as sightings are coarse.
  const idleMs = waits.ingestIdle + waits.lastSeenCoarse;
  const isIdle = online > 0 && lastReportAt !== null && msBetween(lastReportAt, now) >= idleMs;
  if (isIdle) {
    const next: PlatformState = { platformId, blindAt: state.isIdle ? state.blindAt : now, isIdle, resumeAt: null };
    if (state.isIdle) return { kind: 'wait', state: next };
    const why = `no report of any device for ${spell(msBetween(lastReportAt, now))}, with ${online} online`;
    return { kind: 'blind', state: next, why };
  }
  if (state.isIdle) return { kind: 'wait', state: { ...state, isIdle: false, resumeAt: resumeAfter(now, waits) } };
  if (newlySilent >= thresholds.blindDevices && newlySilent > thresholds.blindShare * online) {
    const next: PlatformState = { platformId, blindAt: now, isIdle: false, resumeAt: resumeAfter(now, waits) };
    return { kind: 'blind', state: next, why: `${newlySilent} of ${online} online devices fell silent at once` };
  }
  if (state.resumeAt !== null && now < state.resumeAt) return { kind: 'wait', state };
  return { kind: 'declare' };
}

/** The silence clocks start anew, with a grace of one report period. */
function resumeAfter(now: Instant, waits: Waits): Instant {
  return plus(now, waits.connectionLost + 3 * waits.reportPeriod);
}
