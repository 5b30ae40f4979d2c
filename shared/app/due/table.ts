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
import { decideAlertDue } from './alert-due.ts';

type Row<K extends DueKind> = {
  /** Decides what is due now. The answer says whether the record must be evaluated again at once. */
  decide(world: World, stored: Stored<K>, now: Instant): Promise<Decided<boolean>>;
  /** How long a record may be due before the sweep treats its wake as lost. */
  grace: keyof Waits;
  /** Whether its index on `dueAt` is sharded because it is written often. */
  isSharded: boolean;
  /** Maximum number of records that one sweep handles. The next sweep, a minute later, continues. */
  sweepLimit: number;
};

/** Everything that can be due, in the order in which a sweep handles it. */
export const dueTable: { [K in DueKind]: Row<K> } = {
  devices: { decide: decideDeviceDue, grace: 'alarmGrace', isSharded: true, sweepLimit: 5000 },
  alerts: { decide: decideAlertDue, grace: 'alertGrace', isSharded: false, sweepLimit: 400 },
  incidents: { decide: decideIncidentDue, grace: 'alertGrace', isSharded: false, sweepLimit: 400 },
  targets: { decide: decideTargetDue, grace: 'alarmGrace', isSharded: false, sweepLimit: 400 },
  memberActions: { decide: decideMemberAction, grace: 'alarmGrace', isSharded: false, sweepLimit: 400 },
  jobs: { decide: decideJobDue, grace: 'alarmGrace', isSharded: false, sweepLimit: 20 },
  guardianAlerts: { decide: decideGuardianMail, grace: 'alarmGrace', isSharded: false, sweepLimit: 400 },
  notices: { decide: decideNotice, grace: 'alarmGrace', isSharded: false, sweepLimit: 400 },
  windows: { decide: decideWindowDue, grace: 'alarmGrace', isSharded: false, sweepLimit: 100 },
  drills: { decide: decideDrillDue, grace: 'alarmGrace', isSharded: false, sweepLimit: 1 },
  fanOuts: { decide: decideFanOut, grace: 'alarmGrace', isSharded: false, sweepLimit: 400 },
};

export function isDueKind(kind: unknown): kind is DueKind {
  return typeof kind === 'string' && Object.hasOwn(dueTable, kind);
}
