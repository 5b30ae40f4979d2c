import { v5 as uuidv5 } from 'uuid';
import type { Device } from '../device/device.ts';
import { lossRaisedAt, standingLoss } from '../device/presence.ts';

import type { Waits } from '../limits.ts';
import { type Instant, plus } from '../time.ts';
import type { Counted } from './outage.ts';
import { placeIdOf } from './place.ts';
import { isCommonPlace } from './scope.ts';

/**
 * The counts at the places of devices that are lost in the same minute. The first of these devices pays for the counts, and the others read
 * this record.
 */
export type CensusRecord = {
  censusId: string;
  horizonAt: Instant;
  places: { placeId: string; total: number; dark: number }[];
  /** The incident that is open there. */
  incidentId: string | null;
  /** One of the places has so many devices that the notification waits, because more devices may be lost. */
  isHeld: boolean;
  expireAt: Instant;
};

const namespace = '0b7c1f52-94a4-5f0d-8a3b-61d5c1f8e7a0';
const dayMs = 24 * 60 * 60_000;

/**
 * A device that became dark before this is unrelated to a device that is lost now. The period includes the wait before the loss was
 * declared.
 */
export function darkFrom({ patience }: Pick<Device, 'patience'>, horizon: Instant, waits: Waits): Instant {
  const seconds = Math.max(patience.lossSeconds, patience.silenceSeconds ?? 0);
  return plus(horizon, -waits.outageWindow - seconds * waits.settingsSecond);
}

/** One id for all devices with the same places and the same wait that are evaluated for the same minute. */
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

/** Whether a loss is declared although reports published meanwhile may be missing. */
export function isLossUnseen(device: Device, horizon: Instant | null, waits: Waits): boolean {
  if (device.silentSince !== null) return false;
  const loss = standingLoss(device.presence, device.aliveAt, waits);
  return loss !== null && (horizon ?? '') < lossRaisedAt(device, loss.at, waits);
}
