import type { Waits } from '../../domain/limits.ts';
import type { Instant } from '../../domain/time.ts';
import type { Decided } from '../commit/commit.ts';
import { handleFanOutDue } from '../deliveries/fan-out-due.ts';
import { handleDeviceDue } from '../devices/due.ts';
import { handleDrillDue } from '../drill/drill-due.ts';
import { decideIncidentDue } from '../incidents/due.ts';
import { decideMemberAction } from '../incidents/members.ts';
import { handleJobDue } from '../jobs/due.ts';
import { handleWindowDue } from '../maintenance/due.ts';
import { handleGuardianMailDue } from '../notify/guardian-mail.ts';
import { handleNoticeDue } from '../notify/notices.ts';
import { handleTargetDue } from '../notify/target-due.ts';
import type { DueKind, Stored, World } from '../ports.ts';
import { handleReportDue } from '../reports/due.ts';
import { handleCheckpointDue } from '../webhooks/sequences.ts';
import { handleAlertDue } from './alert-due.ts';

type DueRow<K extends DueKind> = {
  /** Decides what is due now. The answer says whether the record must be evaluated again at once. */
  handle(world: World, stored: Stored<K>, now: Instant): Promise<Decided<boolean>>;
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
  devices: { handle: handleDeviceDue, grace: 'wakeGrace', sweepLimit: 2000 },
  alerts: { handle: handleAlertDue, grace: 'alertGrace', sweepLimit: 10_000, mostInARow: 4 },
  incidents: { handle: decideIncidentDue, grace: 'alertGrace', sweepLimit: 400, mostInARow: 4 },
  targets: { handle: handleTargetDue, grace: 'wakeGrace', sweepLimit: 400 },
  memberActions: { handle: decideMemberAction, grace: 'wakeGrace', sweepLimit: 400, mostInARow: untilDone },
  jobs: { handle: handleJobDue, grace: 'wakeGrace', sweepLimit: 20, mostInARow: untilDone },
  guardianAlerts: { handle: handleGuardianMailDue, grace: 'wakeGrace', sweepLimit: 400 },
  notices: { handle: handleNoticeDue, grace: 'wakeGrace', sweepLimit: 400 },
  windows: { handle: handleWindowDue, grace: 'wakeGrace', sweepLimit: 100, mostInARow: untilDone },
  drills: { handle: handleDrillDue, grace: 'wakeGrace', sweepLimit: 1 },
  sequenceCheckpoints: { handle: handleCheckpointDue, grace: 'wakeGrace', sweepLimit: 400, mostInARow: untilDone },
  reportSchedules: { handle: handleReportDue, grace: 'wakeGrace', sweepLimit: 10, mostInARow: untilDone },
  fanOuts: { handle: handleFanOutDue, grace: 'wakeGrace', sweepLimit: 400, mostInARow: untilDone },
};

export function isDueKind(kind: unknown): kind is DueKind {
  return typeof kind === 'string' && Object.hasOwn(dueTable, kind);
}
