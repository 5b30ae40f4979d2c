import { v5 as uuidv5 } from 'uuid';
import type { AlertCode } from '../../schema/vocabulary.ts';
import type { FactName } from '../device/absorb.ts';
import { type Device, whereaboutsOf } from '../device/device.ts';
import type { Instant } from '../time.ts';
import type { AlertSeed } from './alert.ts';
import type { Finding } from './conditions.ts';

/**
 * What must happen to the alerts of a device. `see` is a sighting that the trail records: of an event, or of a condition that got worse. `more`: further
 * sightings that were only counted. `pastAt`: what was over when it was found has its own time, and people hear nothing of it.
 */
export type AlertOrder =
  | { kind: 'open'; seed: AlertSeed; pastAt?: Instant }
  | { kind: 'sight'; alertId: string; finding: Finding; more?: number }
  | { kind: 'see'; alertId: string; finding: Finding; isWorse: boolean; why: string; more?: number }
  | {
      kind: 'return';
      alertId: string;
      finding: Finding;
      flapping: boolean;
      notifyAfter: Instant | null;
      lostAt: Instant | null;
      pastAt?: Instant;
    }
  | { kind: 'end'; alertId: string; resolution: 'automatic' | 'superseded'; why: string; pastAt?: Instant };

/** What caused the decision. Alert ids are made from it, so that the same cause opens the same alert. */
export type Cause = {
  id: string;
  fresh: readonly FactName[];
  /** When the report with the new facts was published. Absent where only time has passed, because time carries no facts. */
  publishedAt?: Instant;
  /**
   * Set where losses that are over are judged: no report that was published before the horizon is missing, and when the horizon last went on after it
   * had stood still.
   */
  clearSince?: Instant | null;
  /** The informational alert, if the cause itself is one. */
  informational?: { code: AlertCode; message: string };
};

/** A device while its conditions are evaluated, and the orders so far. */
export type ReconcileStep = { device: Device; orders: AlertOrder[] };

/** Namespace of alert ids: the same device, code and cause give the same id. */
const alertNamespace = '6f3c5ad2-9a0e-5a53-8c55-1d0f6c1f2b77';

export function seedOf(device: Device, code: AlertCode, finding: Finding, cause: Cause): AlertSeed {
  const { deviceId, groupId } = device;
  const alertId = uuidv5(JSON.stringify([deviceId, code, cause.id]), alertNamespace);
  const { message, context } = finding;
  return { alertId, deviceId, ...whereaboutsOf(device), groupId, code, message, context };
}

export function ordered(step: ReconcileStep, order: AlertOrder): ReconcileStep {
  return { ...step, orders: [...step.orders, order] };
}
