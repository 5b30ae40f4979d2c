import type { Report, StatusReport } from '../../schema/device/report.ts';
import { unassigned } from '../../schema/vocabulary.ts';
import { thresholds } from '../limits.ts';
import { compareStamps, type Stamp } from './measure.ts';

/** Members of the device record that status reports set. */
export const describedMembers = [
  'name',
  'model',
  'serial',
  'firmware',
  'ip',
  'brokerHost',
  'reconnectAttempts',
  'clockSkewSeconds',
] as const;
export type DescribedMember = (typeof describedMembers)[number];

/** The report that set each member last. Null: the newest status report; a stamp: an older one; absent: no report has set it. */
export type StatedBy = Partial<Record<DescribedMember, Stamp | null>>;

/** The same report without the group that it names, because the registry decides the group of a device. */
export function withoutGroup(report: Report): Report {
  if (report.kind !== 'status' || report.body.groupId === undefined) return report;
  const { groupId: _, ...body } = report.body;
  return { ...report, body };
}

/** The members of a device that a description depends on. */
type Describable = { statedBy: StatedBy; setByHand: readonly string[]; groupId: string };

/**
 * The device as a status report describes it. A report sets only the members that it carries, so an older report can still set a member
 * that no newer one has set.
 * @param newest the newest status report before this one, if any
 */
export function withDescription<D extends Describable>(
  device: D,
  body: StatusReport,
  stamp: Stamp,
  newest: Stamp | null,
): D {
  const stated = statedMembers(device, body, stamp);
  const isNewest = newest === null || compareStamps(newest, stamp) <= 0;
  const statedBy: StatedBy = { ...device.statedBy };
  const changes: Partial<Record<DescribedMember, unknown>> = {};
  for (const member of describedMembers) {
    const by = statedBy[member];
    if (stated[member] === undefined) {
      if (isNewest && by === null && newest !== null) statedBy[member] = newest;
      continue;
    }
    const isLast = isNewest || by === undefined || (by !== null && compareStamps(by, stamp) <= 0);
    if (!isLast) continue;
    changes[member] = stated[member];
    statedBy[member] = isNewest ? null : stamp;
  }
  return { ...device, ...(changes as Partial<D>), groupId: groupOf(device, body), statedBy };
}

/** The first reported group is kept: it is only the initial group of a camera that nobody has assigned. */
function groupOf({ groupId, setByHand }: Describable, body: StatusReport): string {
  return groupId === unassigned && !setByHand.includes('groupId') ? (body.groupId ?? groupId) : groupId;
}

/** The members that a report carries. Undefined means that it does not carry the member. */
function statedMembers(
  { setByHand }: Describable,
  { mqtt, ...body }: StatusReport,
  stamp: Stamp,
): Record<DescribedMember, unknown> {
  return {
    name: setByHand.includes('name') ? undefined : body.name,
    model: body.model,
    serial: body.serial,
    firmware: body.firmware,
    ip: body.ip,
    brokerHost: mqtt?.brokerHost,
    reconnectAttempts: mqtt?.reconnectAttempts,
    clockSkewSeconds: skewOf(stamp),
  };
}

/** Device clock minus cloud clock, where the difference is large enough to show. Undefined where the report carries no time. */
function skewOf({ deviceAt, receivedAt }: Stamp): number | null | undefined {
  if (deviceAt === null) return undefined;
  const seconds = (Date.parse(deviceAt) - Date.parse(receivedAt)) / 1000;
  return Math.abs(seconds) > thresholds.clockSkewSeconds ? Math.round(seconds) : null;
}
