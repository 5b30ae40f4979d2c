import { type ReportScheduleRecord, toWireSchedule, writtenSchedule } from '../../domain/ledger/schedule.ts';
import { withoutContacts } from '../../domain/notify/team.ts';
import { timeZoneFault } from '../../domain/settings/local-time.ts';
import { AppError, type Fault, notFound } from '../../errors.ts';
import type { ReportSchedule, ReportScheduleInput } from '../../schema/ledger/schedule.ts';
import { type Bearer, contactsFor } from '../bearer.ts';
import { decideAndCommit, put, requireVersion } from '../commit/commit.ts';

import type { Reads, Stored, World } from '../ports.ts';
import { emptyGroups, requireQuota } from '../settings/configuration.ts';
import { groupsConcerned, isWithinReach, requireMayWrite } from '../writes/may-write.ts';
import { scheduleWakes } from './due.ts';

/** A schedule as the API returns it, with the version that `If-Match` refers to. */
export type VersionedSchedule = { schedule: ReportSchedule; version: number };

const maxSchedules = 200;

/** Lists schedules, the oldest first. A bearer limited to groups sees those that are about only these groups. */
export async function listSchedules(
  world: Reads<'reportSchedules'>,
  bearer: Bearer,
): Promise<{ schedules: ReportSchedule[] }> {
  const seen = (await allOf(world)).filter((schedule) => isWithinReach(bearer, 'reportSchedules', schedule));
  const inOrder = seen.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
  return { schedules: inOrder.map((schedule) => versionedOf(bearer, schedule).schedule) };
}

/** @throws AppError `not-found`, also for a schedule that is about groups outside the bearer's */
export async function getSchedule(
  world: Reads<'reportSchedules'>,
  bearer: Bearer,
  scheduleId: string,
): Promise<VersionedSchedule> {
  return versionedOf(bearer, (await load(world, bearer, scheduleId)).data);
}

/**
 * Creates a schedule. If the bearer is limited to groups, so are its reports.
 * @throws AppError `forbidden` for a bearer who may not read such a report; `invalid-request`; `quota-exceeded`
 */
export async function createSchedule(
  world: World,
  bearer: Bearer,
  input: ReportScheduleInput,
  scheduleId: string,
): Promise<VersionedSchedule> {
  requireFit(input);
  return decideAndCommit(world, async () => {
    const now = world.now();
    const { subject, groups } = bearer;
    const by = { createdBy: subject, createdAt: now, limitedTo: groups && [...groups] };
    const data = writtenSchedule(input, { scheduleId, ...by, sent: null, version: 1 }, now, null);
    await requireRoom(world, bearer, data, await allOf(world));
    return {
      writes: [put('reportSchedules', scheduleId, data, null)],
      wakes: scheduleWakes(data),
      answer: versionedOf(bearer, data),
    };
  });
}

/**
 * Replaces a schedule. Its reports stay limited to the groups of who made it.
 * @throws AppError `forbidden`; `not-found`; `limited-to-groups`; `invalid-request`; `precondition-failed`; `quota-exceeded`
 */
export async function putSchedule(
  world: World,
  bearer: Bearer,
  scheduleId: string,
  input: ReportScheduleInput,
  ifVersion: number | null,
): Promise<VersionedSchedule> {
  return decideAndCommit(world, async () => {
    const stored = await loadWritable(world, bearer, scheduleId);
    const { limitedTo, createdBy, createdAt, sent, version, emails } = stored.data;
    const known = { ...input, emails: unmasked(input.emails, emails) };
    requireFit(known);
    requireVersion('report schedule', version, ifVersion);
    const kept = { scheduleId, limitedTo, createdBy, createdAt, sent, version: version + 1 };
    const data = writtenSchedule(known, kept, world.now(), stored.data);
    await requireRoom(
      world,
      bearer,
      data,
      (await allOf(world)).filter((other) => other.scheduleId !== scheduleId),
    );
    return {
      writes: [put('reportSchedules', scheduleId, data, stored)],
      wakes: scheduleWakes(data),
      answer: versionedOf(bearer, data),
    };
  });
}

/** @throws AppError `not-found`; `limited-to-groups`; `precondition-failed` */
export async function deleteSchedule(
  world: World,
  bearer: Bearer,
  scheduleId: string,
  ifVersion: number | null,
): Promise<void> {
  await decideAndCommit(world, async () => {
    const { data, revision } = await loadWritable(world, bearer, scheduleId);
    requireVersion('report schedule', data.version, ifVersion);
    const write = { kind: 'delete', in: 'reportSchedules', id: scheduleId, revision } as const;
    return { writes: [write], wakes: [], answer: undefined };
  });
}

/** Checks what the schema cannot express. */
function requireFit({ timeZone, emails }: ReportScheduleInput): void {
  const errors: Fault[] = [];
  const fault = timeZoneFault(timeZone);
  if (fault !== null) errors.push({ pointer: '/timeZone', detail: fault });
  for (const [index, email] of emails.entries()) {
    if (email.includes('…'))
      errors.push({ pointer: `/emails/${index}`, detail: 'is masked, and no stored address has this masked form' });
    const first = emails.findIndex((other) => other.toLowerCase() === email.toLowerCase());
    if (first < index) errors.push({ pointer: `/emails/${index}`, detail: `is the same address as /emails/${first}` });
  }
  const [first] = errors;
  if (first) throw new AppError('invalid-request', `${first.pointer} ${first.detail}.`, { errors });
}

async function requireRoom(
  world: World,
  bearer: Bearer,
  schedule: ReportScheduleRecord,
  others: readonly ReportScheduleRecord[],
): Promise<void> {
  if (others.length >= maxSchedules) {
    throw new AppError('quota-exceeded', `There are already ${maxSchedules} reports by mail, the maximum.`);
  }
  const groupsOf = (each: ReportScheduleRecord) => groupsConcerned('reportSchedules', each);
  const asked = { groups: groupsOf(schedule), others: others.map(groupsOf) };
  requireQuota('reports', asked, await emptyGroups(world, bearer, [asked.groups, ...asked.others]));
}

/**
 * Addresses as an answer showed them, masked, stand for those that are stored. Where several have one masked form, all of them must come back:
 * otherwise it is unknown who is meant.
 */
function unmasked(emails: readonly string[], known: readonly string[]): string[] {
  const left = [...known];
  const errors: Fault[] = [];
  const meant = emails.map((email, index) => {
    const isMeant = (address: string) => withoutContacts(address) === email;
    const stored = known.filter(isMeant).length;
    if (stored === 0) return email;
    const asked = emails.filter((other) => other === email).length;
    const at = left.findIndex(isMeant);
    if (asked === stored) return left.splice(at, 1)[0] ?? email;
    const detail = `stands for ${stored} stored addresses: give all of them, or write out the one that you mean`;
    errors.push({ pointer: `/emails/${index}`, detail });
    return email;
  });
  const [first] = errors;
  if (first) throw new AppError('invalid-request', `${first.pointer} ${first.detail}.`, { errors });
  return meant;
}

function versionedOf(bearer: Bearer, data: ReportScheduleRecord): VersionedSchedule {
  const schedule = toWireSchedule(data);
  return { schedule: { ...schedule, emails: schedule.emails.map(contactsFor(bearer)) }, version: data.version };
}

async function allOf({ store }: Reads<'reportSchedules'>): Promise<ReportScheduleRecord[]> {
  return (await store.find({ in: 'reportSchedules', limit: maxSchedules })).map(({ data }) => data);
}

async function load(
  { store }: Reads<'reportSchedules'>,
  bearer: Bearer,
  scheduleId: string,
): Promise<Stored<'reportSchedules'>> {
  const [stored = null] = await store.get('reportSchedules', [scheduleId]);
  if (!stored || !isWithinReach(bearer, 'reportSchedules', stored.data))
    throw notFound(`report schedule ${scheduleId}`);
  return stored;
}

async function loadWritable(
  world: Reads<'reportSchedules'>,
  bearer: Bearer,
  scheduleId: string,
): Promise<Stored<'reportSchedules'>> {
  const stored = await load(world, bearer, scheduleId);
  requireMayWrite(bearer, 'reportSchedules', stored.data, stored.data);
  return stored;
}
