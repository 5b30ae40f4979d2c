import { v5 as uuidv5 } from 'uuid';
import { type Attached, type AttachmentRecord, attachmentParts } from '../../domain/attachment.ts';
import type { Delivery } from '../../domain/delivery/delivery.ts';
import { longestWaitMs, type ReportScheduleRecord, sentSchedule } from '../../domain/ledger/schedule.ts';
import { retention } from '../../domain/limits.ts';
import { bodyFor } from '../../domain/messages/bodies.ts';
import { reportContent } from '../../domain/messages/report-content.ts';
import { messageTo } from '../../domain/notify/address.ts';
import { type Instant, msBetween, plus } from '../../domain/time.ts';
import type { AvailabilityQuery } from '../../schema/ledger/report.ts';
import type { Bearer } from '../bearer.ts';
import { type Decided, put } from '../commit/commit.ts';

import { deliveryCreation, deliveryWakes } from '../deliveries/wakes.ts';
import { isRecordedUntil } from '../ledger/cameras.ts';
import { reportAvailability } from '../ledger/report.ts';
import type { ReportPress, Stored, Wake, World } from '../ports.ts';

const namespace = 'c1f9b8d2-0d4e-5b7a-9e0c-6a5f1c0b7e31';

/**
 * Mails the report of a period that is over. The files, a delivery for each recipient and the next period are one commit, so that a period
 * is sent once wherever a run stops. A report waits for a ledger that is behind. The answer says whether the next one is due as well.
 */
export async function handleReportDue(
  world: World,
  stored: Stored<'reportSchedules'>,
  now: Instant,
): Promise<Decided<boolean>> {
  const { data: schedule } = stored;
  const { period, groups, by, timeZone } = schedule;
  const press = pressOf(world);
  const bearer: Bearer = { subject: schedule.createdBy, scopes: new Set(), groups: schedule.limitedTo };
  const time = { from: period.from, to: period.to, by, timeZone };
  const asked: AvailabilityQuery = groups ? { ...time, groupId: groups } : time;
  const mayWait = msBetween(period.sendAt, now) < longestWaitMs;
  if (mayWait && !(await isRecordedUntil(world, bearer, asked)))
    return later(stored, plus(now, world.waits.ledgerHour));
  const next = sentSchedule(schedule, now);
  const fileId = uuidv5(`${schedule.scheduleId} ${period.name}`, namespace);
  const [known = null] = await world.store.get('attachments', [`${fileId}-0`]);
  const mailed = known
    ? { files: [], deliveries: [] }
    : await mailOf(world, press, { schedule, bearer, asked, fileId }, now);
  const { files, deliveries } = mailed;
  world.log.info('report.sent', { ...idsOf(schedule), recipients: deliveries.length });
  return {
    writes: [
      put('reportSchedules', stored.id, next, stored),
      ...files.map((file) => put('attachments', file.attachmentId, file, null)),
      ...deliveries.map(deliveryCreation),
    ],
    wakes: [...deliveryWakes(deliveries), ...scheduleWakes(next)],
    answer: next.period.sendAt <= now,
  };
}

/** The wake of a schedule, if it is not paused. */
export function scheduleWakes({ scheduleId: id, version, dueAt }: ReportScheduleRecord): Wake[] {
  return dueAt === null ? [] : [{ in: 'reportSchedules', id, version, dueAt }];
}

function later({ id, data, revision }: Stored<'reportSchedules'>, dueAt: Instant): Decided<boolean> {
  const waiting = { ...data, dueAt, version: data.version + 1 };
  const write = { kind: 'replace', in: 'reportSchedules', id, data: waiting, revision } as const;
  return { writes: [write], wakes: scheduleWakes(waiting), answer: false };
}

type ReportRun = { schedule: ReportScheduleRecord; bearer: Bearer; asked: AvailabilityQuery; fileId: string };

async function mailOf(
  world: World,
  press: ReportPress,
  { schedule, bearer, asked, fileId }: ReportRun,
  now: Instant,
): Promise<{ files: AttachmentRecord[]; deliveries: Delivery[] }> {
  const { name, emails, period, scheduleId } = schedule;
  const report = await reportAvailability(world, await press.checkpoint(), bearer, asked);
  const expireAt = plus(now, retention.delivery);
  const files: AttachmentRecord[] = [];
  const attached: Attached[] = [];
  for (const format of ['pdf', 'csv'] as const) {
    const { packed, media } = await press.render(report, format);
    const id = format === 'pdf' ? fileId : `${fileId}-${format}`;
    const parts = attachmentParts(id, packed, expireAt);
    files.push(...parts);
    attached.push({
      ...{ name: `availability-${period.name}.${format}`, media },
      parts: parts.map(({ attachmentId }) => attachmentId),
    });
  }
  const body = bodyFor('email', reportContent(report, { name, period: period.name }, `${world.consoleUrl}/reports`));
  const about = { eventType: 'report', eventId: `${scheduleId} ${period.name}` };
  const event = { ...about, alertId: null, deviceId: null, groupId: null };
  const deliveries = emails.map((address): Delivery => {
    const target = { kind: 'email', team: name, address } as const;
    const contact = { channel: 'email', target, name: address, chatKind: null } as const;
    return { ...messageTo(contact, { event, body }, now), attached };
  });
  return { files, deliveries };
}

function pressOf({ press }: World): ReportPress {
  if (!press) throw new Error('Reports by mail need a press.');
  return press;
}

function idsOf({ scheduleId, period }: ReportScheduleRecord) {
  return { scheduleId, period: period.name };
}
