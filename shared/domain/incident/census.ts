import { v5 as uuidv5 } from 'uuid';
import type { Device } from '../device/device.ts';
import { lossRaisedAt } from '../device/patience.ts';
import { standingLoss } from '../device/presence.ts';
import type { Waits } from '../limits.ts';
import { type Instant, plus } from '../time.ts';
import type { Counted } from './outage.ts';
import { placeIdOf } from './place.ts';
import { isCommonPlace } from './scope.ts';

/** What was found where devices hang that are lost in one minute: the first of them pays for the counts, the others read it. */
export type CensusRecord = {
  censusId: string;
  horizonAt: Instant;
  places: { placeId: string; total: number; dark: number }[];
  /** The incident that is open there. */
  incidentId: string | null;
  /** One of the places has so many devices that the others are waited for. */
  isHeld: boolean;
  expireAt: Instant;
};

const namespace = '0b7c1f52-94a4-5f0d-8a3b-61d5c1f8e7a0';
const dayMs = 24 * 60 * 60_000;

/** What became dark before this tells nothing of a device that is lost now: it had to wait for itself so long. */
export function darkFrom({ patience }: Pick<Device, 'patience'>, horizon: Instant, waits: Waits): Instant {
  const seconds = Math.max(patience.lossSeconds, patience.silenceSeconds ?? 0);
  return plus(horizon, -waits.outageWindow - seconds * waits.settingsSecond);
}

/** One for all devices that hang on the same, wait as long, and are looked at up to the same minute. */
export function censusIdOf(keys: readonly string[], from: Instant, horizon: Instant): string {
  return `${uuidv5(JSON.stringify([keys, from]), namespace)}-${horizon}`;
}

export function censusOf(
  censusId: string,
  counted: readonly Counted[],
  incidentId: string | null,
  horizonAt: Instant,
): CensusRecord {
  const places = counted.map(({ place, total, dark }) => ({ placeId: placeIdOf(place), total, dark }));
  const isHeld = counted.some(isCommonPlace);
  return { censusId, horizonAt, places, incidentId, isHeld, expireAt: plus(horizonAt, dayMs) };
}

/** Whether a loss is declared although what was published meanwhile may be missing. */
export function isLossUnseen(device: Device, horizon: Instant | null, waits: Waits): boolean {
  if (device.silentSince !== null) return false;
  const loss = standingLoss(device.presence, device.aliveAt, waits);
  return loss !== null && (horizon ?? '') < lossRaisedAt(device, loss.at, waits);
}
