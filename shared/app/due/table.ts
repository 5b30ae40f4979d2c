import type { Waits } from '../../domain/limits.ts';
import type { Instant } from '../../domain/time.ts';
import type { Decided } from '../commit/commit.ts';
import { decideFanOut } from '../deliveries/fan-out-due.ts';
import { decideDeviceDue } from '../devices/due.ts';
import { decideDrillDue } from '../drill/drill-due.ts';
import { decideIncidentDue } from '../incidents/due.ts';
import { decideMemberAction } from '../incidents/members.ts';
import { decideJobDue } from '../jobs/due.ts';
import { decideWindowDue } from '../maintenance/due.ts';
import { decideGuardianMail } from '../notify/guardian-mail.ts';
import { decideNotice } from '../notify/notices.ts';
import { decideTargetDue } from '../notify/target-due.ts';
import type { DueKind, Stored, World } from '../ports.ts';
import { decideReportDue } from '../reports/due.ts';
import { decideCheckpointDue } from '../webhooks/sequences.ts';
import { decideAlertDue } from './alert-due.ts';

type DueRow<K extends DueKind> = {
  /** Decides what is due now. The answer says whether the record must be evaluated again at once. */
  decide(world: World, stored: Stored<K>, now: Instant): Promise<Decided<boolean>>;
  /** How long a record may be due before the sweep treats its wake as lost. */
  grace: keyof Waits;
  /** Maximum number of records that one sweep handles itself. For more devices each shard gets a task. The next sweep, a minute later, continues. */
  sweepLimit: number;
  /** Maximum number of decisions for one wake, for example the end of a snooze, then an expired response time, then a reminder. Absent: one. */
  mostInARow?: number;
};

const untilDone = Number.POSITIVE_INFINITY;

/** Everything that can be due, except deliveries. `sweep.ts` has the order in which a sweep handles it. */
export const dueTable: { [K in DueKind]: DueRow<K> } = {
  devices: { decide: decideDeviceDue, grace: 'wakeGrace', sweepLimit: 2000 },
  alerts: { decide: decideAlertDue, grace: 'alertGrace', sweepLimit: 10_000, mostInARow: 4 },
  incidents: { decide: decideIncidentDue, grace: 'alertGrace', sweepLimit: 400, mostInARow: 4 },
  targets: { decide: decideTargetDue, grace: 'wakeGrace', sweepLimit: 400 },
  memberActions: { decide: decideMemberAction, grace: 'wakeGrace', sweepLimit: 400, mostInARow: untilDone },
  jobs: { decide: decideJobDue, grace: 'wakeGrace', sweepLimit: 20, mostInARow: untilDone },
  guardianAlerts: { decide: decideGuardianMail, grace: 'wakeGrace', sweepLimit: 400 },
  notices: { decide: decideNotice, grace: 'wakeGrace', sweepLimit: 400 },
  windows: { decide: decideWindowDue, grace: 'wakeGrace', sweepLimit: 100, mostInARow: untilDone },
  drills: { decide: decideDrillDue, grace: 'wakeGrace', sweepLimit: 1 },
  sequenceCheckpoints: { decide: decideCheckpointDue, grace: 'wakeGrace', sweepLimit: 400, mostInARow: untilDone },
  reportSchedules: { decide: decideReportDue, grace: 'wakeGrace', sweepLimit: 10, mostInARow: untilDone },
  fanOuts: { decide: decideFanOut, grace: 'wakeGrace', sweepLimit: 400, mostInARow: untilDone },
};

export function isDueKind(kind: unknown): kind is DueKind {
  return typeof kind === 'string' && Object.hasOwn(dueTable, kind);
}
