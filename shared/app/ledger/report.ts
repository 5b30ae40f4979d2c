import { nameOf as nameOfDevice } from '../../domain/device/device.ts';
import {
  type Account,
  addEntry,
  availabilityOf,
  emptyAccount,
  kindsOfTime,
  sumOf,
} from '../../domain/ledger/account.ts';
import { headIdOf, longestEntryMs } from '../../domain/ledger/entry.ts';
import { type DaySpan, daysOf, monthsOf } from '../../domain/ledger/spans.ts';
import { timeZoneFault } from '../../domain/settings/local-time.ts';
import type { Interval } from '../../domain/sight/intervals.ts';
import { type Instant, msBetween, plus } from '../../domain/time.ts';
import { AppError } from '../../errors.ts';
import type { AvailabilityQuery, AvailabilityReport } from '../../schema/ledger/report.ts';
import { askedInstant } from '../asked-time.ts';
import { type Bearer, visibleGroups } from '../bearer.ts';
import type { Filter, Stored, World } from '../ports.ts';
import { type Camera, camerasOf } from './cameras.ts';

const pageSize = 1000;
const longestMs = 400 * 24 * 60 * 60_000;
const mostWorst = 20;
const mostOutages = 1000;

const accounting =
  'Counted: the time in which a camera was seen, was lost (its broker or last will said so) or was silent (it had to report and did not). ' +
  'Excused: planned maintenance, blindness of Watchpost itself, the time before a camera was registered, and time that is not recorded. ' +
  'Uncertain: sightings are written about every two minutes, so that the edges of an outage are known within minutes only; ' +
  'availability is given twice, with all of the uncertain counted as not seen and with all of it counted as seen.';
const verification =
  'Ask GET /v1/ledger/proof for a camera and a time, and check the answer with verify/watchpost_verify.py and the public key of the ledger: ' +
  'it needs no trust in Watchpost. docs/proof.md says what is proven and what is not.';

const nameOf = (camera: Stay['camera'] | undefined) => (camera ? nameOfDevice(camera) : null);
/** The time of a camera in one group. */
type Stay = { camera: Omit<Camera, 'patience'>; accounts: Account[] };
type Outage = Omit<AvailabilityReport['outages'][number], 'deviceName'>;
/** `open`: outages that continue in the camera's next entry, by camera and begin. They are ranked only when their length is known. */
type OutageList = { ended: Outage[]; open: Map<string, Outage>; inAll: number };

/**
 * How long each camera was seen between two instants, as the ledger recorded it. Reads a few ledger entries per camera and day, and no reports.
 * @param checkpoint the note by which the report can be checked
 * @throws AppError `invalid-request`
 */
export async function reportAvailability(
  world: Pick<World, 'store' | 'now'>,
  checkpoint: string | null,
  bearer: Bearer,
  query: AvailabilityQuery,
): Promise<AvailabilityReport> {
  const [from, to, by] = [askedInstant(query.from, '?from'), askedInstant(query.to, '?to'), query.by ?? 'device'];
  const { timeZone = 'UTC' } = query;
  requireTime(from, to);
  requireZone(timeZone);
  const cameras = await camerasOf(world, bearer, query);
  const months = monthsOf(from, to, timeZone);
  const days = query.deviceId === undefined ? [] : daysOf(from, to, timeZone);
  const byDay = days.map(emptyAccount);
  const stays = new Map<string, Stay>();
  for (const camera of cameras.values()) stays.set(keyOf(camera), { camera, accounts: months.map(emptyAccount) });
  const kept: OutageList = { ended: [], open: new Map(), inAll: 0 };
  for await (const { data } of entriesOf(world, from, to, bearer, query)) {
    const { deviceId, groupId } = data;
    if (groupId === null) continue;
    const stay = stays.get(keyOf({ deviceId, groupId })) ?? formerStay(deviceId, groupId, months);
    stays.set(keyOf(stay.camera), stay);
    const { intervals } = JSON.parse(data.body) as { intervals: Interval[] };
    const isHere = cameras.get(deviceId)?.groupId === groupId;
    for (const [index, month] of months.entries()) add(stay.accounts[index], { ...data, intervals }, month, isHere);
    for (const [index, day] of days.entries()) add(byDay[index], { ...data, intervals }, day, isHere);
    keepOutages(kept, data, intervals, from, to);
  }
  for (const camera of cameras.values()) addUnrecordedOf(camera, [...stays.values()], months);
  const parts = partsOf([...stays.values()], by);
  const all = [...stays.values()].map(({ accounts }) => accounts);
  return {
    ...{ from, to, by, timeZone, generatedAt: world.now(), accounting },
    total: { id: 'total', name: null, devices: devicesOf([...stays.values()]), ...shown(sumOf(all.flat())) },
    months: months.map((month, index) => ({
      month: month.day.slice(0, 7),
      ...shown(sumOf(all.flatMap((own) => own[index] ?? []))),
    })),
    days: days.map((day, index) => {
      addUnrecorded(byDay[index], day);
      return { day: day.day, minutes: shown(byDay[index] ?? emptyAccount()).minutes };
    }),
    parts,
    worst: worstOf(parts),
    outages: longestOf([...kept.ended, ...kept.open.values()]).map((outage) => ({
      ...outage,
      deviceName: nameOf(cameras.get(outage.deviceId)),
    })),
    outagesInAll: kept.inAll,
    checkpoint,
    verification,
  };
}

/** The time in a group of a camera that is elsewhere now, or was removed. What it is called there does not concern this group. */
function formerStay(deviceId: string, groupId: string, months: readonly DaySpan[]): Stay {
  return { camera: { deviceId, groupId, name: deviceId, site: null }, accounts: months.map(emptyAccount) };
}

/** @param isHere only its present group accounts for the time in which a camera was not registered there */
function add(
  account: Account | undefined,
  entry: Parameters<typeof addEntry>[1],
  { from, to }: DaySpan,
  isHere: boolean,
) {
  if (!account) return;
  const { notRegistered } = account;
  addEntry(account, entry, from, to);
  if (!isHere) account.notRegistered = notRegistered;
}

function keyOf({ deviceId, groupId }: Pick<Camera, 'deviceId' | 'groupId'>): string {
  return headIdOf(deviceId, groupId);
}

function requireTime(from: Instant, to: Instant): void {
  const detail = from >= to ? 'must be later than `from`' : 'must be at most 400 days after `from`';
  if (from < to && msBetween(from, to) <= longestMs) return;
  throw new AppError('invalid-request', `?to ${detail}.`, { errors: [{ pointer: '?to', detail }] });
}

function requireZone(timeZone: string): void {
  const detail = timeZoneFault(timeZone);
  if (detail === null) return;
  throw new AppError('invalid-request', `?timeZone ${detail}.`, { errors: [{ pointer: '?timeZone', detail }] });
}

async function* entriesOf(
  { store }: Pick<World, 'store'>,
  from: Instant,
  to: Instant,
  bearer: Bearer,
  query: AvailabilityQuery,
): AsyncGenerator<Stored<'ledgerEntries'>> {
  const groups = visibleGroups(query.groupId, bearer.groups);
  if (groups?.length === 0) return;
  const where: Filter<'ledgerEntries'>[] = [
    ...(query.deviceId === undefined ? [] : [{ field: 'deviceId', is: '==', value: query.deviceId } as const]),
    ...(groups === null ? [] : [{ field: 'groupId', is: 'in', value: groups } as const]),
    { field: 'to', is: '>', value: from },
  ];
  let after: { after?: unknown[] } = {};
  for (;;) {
    const page: Stored<'ledgerEntries'>[] = await store.find({
      in: 'ledgerEntries',
      where,
      orderBy: [['to', 'asc']],
      limit: pageSize,
      ...after,
    });
    for (const entry of page) if (entry.data.from < to) yield entry;
    const last = page.at(-1);
    if (!last || page.length < pageSize || last.data.to > plus(to, longestEntryMs)) return;
    after = { after: [last.data.to, last.id] };
  }
}

/** The time of a camera that is here, in whichever of the shown groups it was, that has no entry. */
function addUnrecordedOf(camera: Camera, stays: readonly Stay[], months: readonly DaySpan[]): void {
  const own = stays.filter((stay) => stay.camera.deviceId === camera.deviceId);
  const present = own.find((stay) => stay.camera.groupId === camera.groupId);
  for (const [index, month] of months.entries()) {
    const elsewhere = own.flatMap((stay) => (stay === present ? [] : (stay.accounts[index] ?? [])));
    addUnrecorded(present?.accounts[index], month, sumOf(elsewhere));
  }
}

/** Time without an entry counts as not recorded. */
function addUnrecorded(account: Account | undefined, { from, to }: DaySpan, beside: Account = emptyAccount()): void {
  if (!account) return;
  const recorded = kindsOfTime.reduce((sum, kind) => sum + account[kind] + beside[kind], 0);
  account.notRecorded += Math.max(0, msBetween(from, to) - recorded);
}

function keepOutages(
  kept: OutageList,
  entry: { deviceId: string; index: number; from: Instant; to: Instant },
  intervals: readonly Interval[],
  from: Instant,
  to: Instant,
): void {
  for (const { state, cause, begin, end, isOpen, planned } of intervals) {
    // Counts each outage once: in the entry in which it ends, or in the last one if it continues.
    const isOfThis = end[1] <= entry.to && end[1] > entry.from && end[1] > from && begin[0] < to;
    if (!isOfThis || cause === 'not-registered') continue;
    const began = { earliest: begin[0], latest: begin[1] };
    const ended = isOpen ? null : { earliest: end[0], latest: end[1] };
    const { deviceId, index } = entry;
    const key = `${deviceId} ${begin[0]}`;
    if (!kept.open.delete(key)) kept.inAll += 1;
    const outage = { deviceId, state, cause, began, ended, isPlanned: planned.length > 0, index };
    if (isOpen) kept.open.set(key, outage);
    else kept.ended.push(outage);
  }
  if (kept.ended.length > 4 * mostOutages) kept.ended = longestOf(kept.ended);
}

function longestOf(outages: readonly Outage[]): Outage[] {
  const lasting = ({ began, ended }: Outage) =>
    ended === null ? Number.POSITIVE_INFINITY : msBetween(began.latest, ended.earliest);
  return outages
    .toSorted((a, b) => lasting(b) - lasting(a) || (a.began.earliest < b.began.earliest ? 1 : -1))
    .slice(0, mostOutages);
}

function devicesOf(stays: readonly Stay[]): number {
  return new Set(stays.map(({ camera }) => camera.deviceId)).size;
}

function partsOf(stays: readonly Stay[], by: 'device' | 'site' | 'group') {
  const idOf = ({ camera: { deviceId, site, groupId } }: Stay) =>
    by === 'device' ? deviceId : by === 'site' ? (site ?? groupId) : groupId;
  const groups = Map.groupBy(stays, idOf);
  return [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, members]): AvailabilityReport['parts'][number] => {
      // A camera that is here was put in first.
      const [first] = members;
      const name = by === 'device' ? nameOf(first?.camera) : null;
      return { id, name, devices: devicesOf(members), ...shown(sumOf(members.flatMap(({ accounts }) => accounts))) };
    });
}

/** The parts (cameras, sites or groups) with the lowest availability. */
function worstOf(parts: AvailabilityReport['parts']): AvailabilityReport['worst'] {
  const upOf = ({ availability }: AvailabilityReport['parts'][number]) => availability.uncertainIsUp ?? 100;
  return parts
    .filter((part) => upOf(part) < 100)
    .toSorted((a, b) => upOf(a) - upOf(b))
    .slice(0, mostWorst);
}

function shown(account: Account) {
  const minutes = Object.fromEntries(kindsOfTime.map((kind) => [kind, Math.round(account[kind] / 600) / 100]));
  return { minutes: minutes as AvailabilityReport['total']['minutes'], availability: availabilityOf(account) };
}
