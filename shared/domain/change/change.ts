import type { AlertRecord } from '../alert/alert.ts';
import type { AlertChange } from '../alert/change.ts';
import type { Finding } from '../alert/conditions.ts';
import type { AuditEntry } from '../alert/lifecycle.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { AlertEventChange } from '../delivery/webhook-events.ts';
import type { ActivityEntry } from '../device/activity.ts';
import type { Device } from '../device/device.ts';
import type { DrillTargets } from '../drill/drill.ts';
import type { EventRecord } from '../event/event.ts';
import type { CounterAccrual } from '../fleet/trends.ts';
import type { IncidentRecord } from '../incident/incident.ts';
import type { Waits } from '../limits.ts';
import type { Configuration } from '../notify/configuration.ts';
import type { TargetRecord } from '../notify/target.ts';
import type { Instant } from '../time.ts';
import type { Rename } from './renames.ts';

/** Records that a decision may use, by id. Null: the record does not exist. A record that is not in the map has not been read. */
export type KnownRecords = {
  /** Null: not read yet. It is read together with the first record that is needed. */
  configuration: Configuration | null;
  alerts: ReadonlyMap<string, AlertRecord | null>;
  targets: ReadonlyMap<string, TargetRecord | null>;
  /** Activity entries by id, and whether they already exist: they are created and never replaced. */
  activity: ReadonlyMap<string, boolean>;
  /** The device of the alert, and the incident that it was a member of. Undefined: not read. */
  device?: Device | null;
  incident?: IncidentRecord | null;
};

/** `KnownRecords` with the configuration, without which no alert can be opened or changed. */
export type KnownAll = KnownRecords & { configuration: Configuration };

/** Records that must be read before the decision can be made. It is then made again with them. */
export type Needs = {
  kind: 'needs';
  alerts: readonly string[];
  targets: readonly string[];
  activity?: readonly string[];
  device?: string;
  incident?: string;
};

/**
 * Inputs from outside. `at`: the time of the decision; `recordedAt`: the wall clock, which is later if the report was delayed; `drill`: the targets
 * of a drill.
 */
export type DecisionContext = { at: Instant; recordedAt: Instant; waits: Waits; drill?: DrillTargets | null };

/** A condition that was seen again while its alert is open, `times` times. It is counted without reading the alert. */
export type Sighting = { alertId: string; finding: Finding; at: Instant; times: number };

/** Everything that must be written after one input, in one commit. */
export type Change = {
  kind: 'change';
  /** The device after the change. Null: it does not change. */
  device: Device | null;
  alerts: AlertRecord[];
  sightings: Sighting[];
  renames: Rename[];
  entries: AuditEntry[];
  activity: ActivityEntry[];
  events: EventRecord[];
  deliveries: Delivery[];
  counters: CounterAccrual[];
};

export function noChange(): Change {
  return {
    kind: 'change',
    device: null,
    alerts: [],
    sightings: [],
    renames: [],
    entries: [],
    activity: [],
    events: [],
    deliveries: [],
    counters: [],
  };
}

/** The event that endpoints get for a change of an alert or an incident. A change that is not listed is no event. */
export const eventChanges: Partial<Record<AlertChange['kind'], AlertEventChange>> = {
  open: 'opened',
  announce: 'opened',
  acknowledge: 'acknowledged',
  unacknowledge: 'unacknowledged',
  escalate: 'escalated',
  resolve: 'resolved',
  end: 'resolved',
  reopen: 'reopened',
  return: 'reopened',
};
