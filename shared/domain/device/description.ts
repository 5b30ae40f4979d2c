import type { Report, StatusReport } from '../../schema/device/report.ts';
import { unassigned } from '../../schema/vocabulary.ts';
import { thresholds } from '../limits.ts';
import { toInstant } from '../time.ts';
import { compareStamps, type Stamp } from './stamp.ts';

/** Members of the device record that status reports tell. */
export const describedMembers = [
  'name',
  'model',
  'serial',
  'firmware',
  'ip',
  'brokerHost',
  'reconnectAttempts',
  'reportedConnectedAt',
  'clockSkewSeconds',
] as const;
export type DescribedMember = (typeof describedMembers)[number];

/** Who told each member last: null is the newest status report of all, a stamp is an older one, and none has never been told. */
export type ToldBy = Partial<Record<DescribedMember, Stamp | null>>;

/** The same report without the group that it names for its device: whose a device is, the registry says. */
export function withoutGroup(report: Report): Report {
  if (report.kind !== 'status' || report.body.groupId === undefined) return report;
  const { groupId: _, ...body } = report.body;
  return { ...report, body };
}

/** What a description needs to know of a device. */
type Describable = { toldBy: ToldBy; setByHand: readonly string[]; groupId: string };

/**
 * The device as a status report describes it. A report speaks only about what it carries, so an older one may still tell a member that
 * no newer one has told.
 * @param newest the newest status report before this one, if any
 */
export function withDescription<D extends Describable>(
  device: D,
  body: StatusReport,
  stamp: Stamp,
  newest: Stamp | null,
): D {
  const told = toldMembers(device, body, stamp);
  const isNewest = newest === null || compareStamps(newest, stamp) <= 0;
  const toldBy: ToldBy = { ...device.toldBy };
  const changes: Partial<Record<DescribedMember, unknown>> = {};
  for (const member of describedMembers) {
    const by = toldBy[member];
    if (told[member] === undefined) {
      if (isNewest && by === null && newest !== null) toldBy[member] = newest;
      continue;
    }
    const isLast = isNewest || by === undefined || (by !== null && compareStamps(by, stamp) <= 0);
    if (!isLast) continue;
    changes[member] = told[member];
    toldBy[member] = isNewest ? null : stamp;
  }
  return { ...device, ...(changes as Partial<D>), groupId: groupOf(device, body), toldBy };
}

/** The first group that is told stands: it is no more than where a camera begins that nobody has put anywhere. */
function groupOf({ groupId, setByHand }: Describable, body: StatusReport): string {
  return groupId === unassigned && !setByHand.includes('groupId') ? (body.groupId ?? groupId) : groupId;
}

/** Undefined is what the report does not tell. */
function toldMembers(
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
    reportedConnectedAt: mqtt?.lastConnected === undefined ? undefined : toInstant(mqtt.lastConnected),
    clockSkewSeconds: skewOf(stamp),
  };
}

/** Device clock minus cloud clock, where that is worth showing; undefined where the report carries no time. */
function skewOf({ deviceAt, receivedAt }: Stamp): number | null | undefined {
  if (deviceAt === null) return undefined;
  const seconds = (Date.parse(deviceAt) - Date.parse(receivedAt)) / 1000;
  return Math.abs(seconds) > thresholds.clockSkewSeconds ? Math.round(seconds) : null;
}
