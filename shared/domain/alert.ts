import type { Alert, AlertContext, DeviceAlert } from '../schema/alert.ts';
import { catalogue } from './catalogue.ts';
import { availableActions } from './lifecycle.ts';
import type { Instant } from './time.ts';

/** An alert as it is stored: the members of the wire that are not computed, and what drives it. */
export type AlertRecord = Omit<Alert, 'availableActions'> & {
  /** Not resolved: lets "open" be one index entry. */
  isOpen: boolean;
  /** Has a `snoozedUntil`. */
  isSnoozed: boolean;
  /** When it must be looked at again without anybody's doing. */
  dueAt: Instant | null;
  /** Counts the changes of its lifecycle: the ETag, and the number of the next audit entry. */
  version: number;
  /** When the store may forget it; null while it is open. */
  expireAt: Instant | null;
};

export type AlertSeed = {
  alertId: string;
  deviceId: string;
  groupId: string;
  code: DeviceAlert['code'];
  message: string;
  context: AlertContext;
  /** Tells nobody before this time; absent: at once. */
  notifyAfter?: Instant | null;
};

/** A new alert before its first change: `open` gives it its state. */
export function seedAlert(seed: AlertSeed, at: Instant): AlertRecord {
  const { severity, category } = catalogue[seed.code];
  const { notifyAfter: _notifyAfter = null, ...members } = seed;
  return {
    ...members,
    severity,
    category,
    timestamp: at,
    resolved: false,
    resolvedAt: null,
    status: 'active',
    isOpen: true,
    isSnoozed: false,
    occurrences: 1,
    lastSeenAt: at,
    priority: null,
    team: null,
    acknowledgedAt: null,
    acknowledgedBy: null,
    escalatedAt: null,
    snoozedUntil: null,
    resolution: null,
    flapping: false,
    dueAt: null,
    version: 0,
    expireAt: null,
  };
}

/** The alert as the API and the webhooks show it. */
export function toWireAlert(record: AlertRecord): Alert {
  const {
    isOpen: _isOpen,
    isSnoozed: _isSnoozed,
    dueAt: _dueAt,
    version: _version,
    expireAt: _expireAt,
    ...wire
  } = record;
  return { ...wire, availableActions: availableActions(record.status) };
}
