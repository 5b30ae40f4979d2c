import type { AlertRecord } from '../alert/alert.ts';
import type { Finding } from '../alert/conditions/condition.ts';
import type { AuditEntry } from '../alert/lifecycle.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { ActivityEntry } from '../device/activity.ts';
import type { Device } from '../device/device.ts';
import type { CounterAccrual } from '../fleet/trends.ts';
import type { Standing } from '../incident/standing.ts';
import type { Waits } from '../limits.ts';
import type { Configuration } from '../notify/configuration.ts';
import type { TargetRecord } from '../notify/target.ts';
import type { Instant } from '../time.ts';
import type { Rename } from './renames.ts';

/** Records that a decision may look at, by id; null: there is none. A record that is not here has not been read. */
export type Known = {
  /** null: it has not been read yet; it comes with whatever is read first. */
  configuration: Configuration | null;
  alerts: ReadonlyMap<string, AlertRecord | null>;
  targets: ReadonlyMap<string, TargetRecord | null>;
  /** Lines of activity, by id, and whether they are written already: they are created, never replaced. */
  activity: ReadonlyMap<string, boolean>;
  /** What stands where the device hangs; null: it has not been asked for. */
  standing: Standing | null;
};

/** The same with the configuration, without which no alert is opened or changed. */
export type KnownAll = Known & { configuration: Configuration };

/** A decision that cannot be made before these records are read: it is asked again with them. */
export type Needs = {
  kind: 'needs';
  alerts: readonly string[];
  targets: readonly string[];
  activity?: readonly string[];
  /** The device is lost: what stands where it hangs decides who is told. */
  standing?: true;
};

/** What the world gives to a decision. `at`: the time that it is made by; `recordedAt`: by the clock on the wall, later for a report that was long on its way. */
export type Given = { at: Instant; recordedAt: Instant; waits: Waits };

/** A condition seen again while its alert is open: counted without reading the alert. */
export type Sighting = { alertId: string; finding: Finding; at: Instant };

/** Everything that shall be after one input. Written in one commit. */
export type Change = {
  kind: 'change';
  /** The device as it shall be; null: it stays as it is. */
  device: Device | null;
  alerts: AlertRecord[];
  sightings: Sighting[];
  renames: Rename[];
  entries: AuditEntry[];
  activity: ActivityEntry[];
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
    deliveries: [],
    counters: [],
  };
}
