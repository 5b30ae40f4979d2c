import {
  type Account,
  addEntry,
  availabilityOf,
  emptyAccount,
  kindsOfTime,
  sumOf,
} from '../../domain/ledger/account.ts';
import { longestEntryMs } from '../../domain/ledger/entry.ts';
import type { Interval } from '../../domain/ledger/intervals.ts';
import { type Instant, msBetween, plus } from '../../domain/time.ts';
import { AppError } from '../../errors.ts';
import type { AvailabilityQuery, AvailabilityReport } from '../../schema/ledger/report.ts';
import { askedInstant } from '../asked-time.ts';
import { type Bearer, visibleGroups } from '../bearer.ts';
import type { Stored, World } from '../ports.ts';
import type { LogObjects } from './objects.ts';
import { readCheckpointNote } from './read.ts';

const pageSize = 1000;
const longestMs = 400 * 24 * 60 * 60_000;
/** Cameras that are named in a query. Entries of more are read together with those of all others. */
const mostNamed = 30;
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

type Camera = { deviceId: string; name: string; site: string | null; groupId: string };
type Kept = { outages: AvailabilityReport['outages']; inAll: number };

/**
 * How long each camera was seen between two instants, by what the ledger recorded. It reads entries of the ledger, a few for each camera
 * and day, and no reports.
 * @throws AppError `invalid-request`
 */
export async function reportAvailability(
  world: Pick<World, 'store' | 'now'>,
  log: LogObjects | null,
  bearer: Bearer,
  query: AvailabilityQuery,
): Promise<AvailabilityReport> {
  const [from, to, by] = [askedInstant(query.from, '?from'), askedInstant(query.to, '?to'), query.by ?? 'device'];
  requireTime(from, to);
  const cameras = await camerasOf(world, bearer, query);
  const months = spansOf(from, to, nextMonth);
  const days = query.deviceId === undefined ? [] : spansOf(from, to, nextDay);
  const byDay = days.map(emptyAccount);
  const accounts = new Map<string, Account[]>();
  for (const deviceId of cameras.keys()) accounts.set(deviceId, months.map(emptyAccount));
  const kept: Kept = { outages: [], inAll: 0 };
  for await (const { data } of entriesOf(world, from, to, [...cameras.keys()])) {
    const own = accounts.get(data.deviceId);
    if (!own) continue;
    const { intervals } = JSON.parse(data.body) as { intervals: Interval[] };
    for (const [index, month] of months.entries())
      addEntry(own[index] ?? emptyAccount(), { ...data, intervals }, month.from, month.to);
    for (const [index, day] of days.entries())
      addEntry(byDay[index] ?? emptyAccount(), { ...data, intervals }, day.from, day.to);
    keepOutages(kept, data, intervals, from, to);
  }
  for (const own of accounts.values()) for (const [index, month] of months.entries()) addUnrecorded(own[index], month);
  const parts = partsOf(cameras, accounts, by);
  const all = [...accounts.values()];
  const note = log && (await readCheckpointNote(log).catch(() => null));
  return {
    ...{ from, to, by, generatedAt: world.now(), accounting },
    total: { id: 'total', name: null, devices: cameras.size, ...shown(sumOf(all.flat())) },
    months: months.map((month, index) => ({
      month: month.from.slice(0, 7),
      ...shown(sumOf(all.flatMap((own) => own[index] ?? []))),
    })),
    days: days.map((day, index) => {
      addUnrecorded(byDay[index], day);
      return { day: day.from.slice(0, 10), minutes: shown(byDay[index] ?? emptyAccount()).minutes };
    }),
    parts,
    worst: worstOf(parts),
    ...{ outages: longestOf(kept), outagesInAll: kept.inAll },
    checkpoint: note && Buffer.from(note).toString('utf8'),
    verification,
  };
}

function requireTime(from: Instant, to: Instant): void {
  const detail = from >= to ? 'must be later than `from`' : 'must be at most 400 days after `from`';
  if (from < to && msBetween(from, to) <= longestMs) return;
  throw new AppError('invalid-request', 'The query is not valid.', { errors: [{ pointer: '?to', detail }] });
}

/** The cameras that the bearer may see and asks for. */
async function camerasOf(
  { store }: Pick<World, 'store'>,
  bearer: Bearer,
  query: AvailabilityQuery,
): Promise<Map<string, Camera>> {
  const groups = visibleGroups(query.groupId, bearer.groups);
  const found = new Map<string, Camera>();
  const add = ({ data }: Stored<'devices'>) => {
    const { deviceId, name, site, groupId } = data;
    if (groups === null || groups.includes(groupId)) found.set(deviceId, { deviceId, name, site, groupId });
  };
  if (query.deviceId !== undefined) {
    for (const device of await store.get('devices', [query.deviceId])) if (device) add(device);
    return found;
  }
  if (groups?.length === 0) return found;
  const where = groups ? [{ field: 'groupId' as const, is: 'in' as const, value: groups }] : [];
  for (let last: string | null = null; ; ) {
    const after: { after?: unknown[] } = last === null ? {} : { after: [last, last] };
    const page: Stored<'devices'>[] = await store.find({
      in: 'devices',
      where,
      orderBy: [['deviceId', 'asc']],
      limit: pageSize,
      ...after,
    });
    for (const device of page) add(device);
    last = page.at(-1)?.id ?? null;
    if (page.length < pageSize) return found;
  }
}

async function* entriesOf(
  { store }: Pick<World, 'store'>,
  from: Instant,
  to: Instant,
  deviceIds: readonly string[],
): AsyncGenerator<Stored<'ledgerEntries'>> {
  if (deviceIds.length === 0) return;
  const isFew = deviceIds.length <= mostNamed;
  const only = isFew ? [{ field: 'deviceId' as const, is: 'in' as const, value: deviceIds }] : [];
  const where = [...only, { field: 'to' as const, is: '>' as const, value: from }];
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

type Span = { from: Instant; to: Instant };

const nextMonth = (at: Date) => Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1);
const nextDay = (at: Date) => Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + 1);

/** The calendar months or days (UTC) of a time, the first and the last cut off by it. */
function spansOf(from: Instant, to: Instant, nextAfter: (at: Date) => number): Span[] {
  const spans: Span[] = [];
  for (let begin = from; begin < to; ) {
    const next = new Date(nextAfter(new Date(begin))).toISOString();
    const end = next < to ? next : to;
    spans.push({ from: begin, to: end });
    begin = end;
  }
  return spans;
}

/** What no entry says anything of is not recorded. */
function addUnrecorded(account: Account | undefined, { from, to }: Span): void {
  if (!account) return;
  const recorded = kindsOfTime.reduce((sum, kind) => sum + account[kind], 0);
  account.notRecorded += Math.max(0, msBetween(from, to) - recorded);
}

function keepOutages(
  kept: Kept,
  entry: { deviceId: string; index: number; from: Instant; to: Instant },
  intervals: readonly Interval[],
  from: Instant,
  to: Instant,
): void {
  for (const { state, cause, begin, end, isOpen, planned } of intervals) {
    // Each outage once: in the entry in which it ends, or in the last one while it lasts.
    const isOfThis = end[1] <= entry.to && end[1] > entry.from && end[1] > from && begin[0] < to;
    if (!isOfThis || cause === 'not-registered') continue;
    const began = { earliest: begin[0], latest: begin[1] };
    const ended = isOpen ? null : { earliest: end[0], latest: end[1] };
    const { deviceId, index } = entry;
    const before = kept.outages.findIndex(
      (other) => other.deviceId === deviceId && other.ended === null && other.began.earliest === begin[0],
    );
    if (before >= 0) kept.outages.splice(before, 1);
    else kept.inAll += 1;
    kept.outages.push({ deviceId, state, cause, began, ended, isPlanned: planned.length > 0, index });
  }
  if (kept.outages.length > 4 * mostOutages) kept.outages = longestOf(kept);
}

function longestOf({ outages }: Kept): AvailabilityReport['outages'] {
  const lasting = ({ began, ended }: AvailabilityReport['outages'][number]) =>
    ended === null ? Number.POSITIVE_INFINITY : msBetween(began.latest, ended.earliest);
  return outages
    .toSorted((a, b) => lasting(b) - lasting(a) || (a.began.earliest < b.began.earliest ? 1 : -1))
    .slice(0, mostOutages);
}

function partsOf(
  cameras: ReadonlyMap<string, Camera>,
  accounts: ReadonlyMap<string, Account[]>,
  by: 'device' | 'site' | 'group',
) {
  const idOf = ({ deviceId, site, groupId }: Camera) =>
    by === 'device' ? deviceId : by === 'site' ? (site ?? groupId) : groupId;
  const groups = Map.groupBy(cameras.values(), idOf);
  return [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, members]): AvailabilityReport['parts'][number] => {
      const [first] = members;
      const name = by === 'device' && first && first.name !== id ? first.name : null;
      const sum = sumOf(members.flatMap(({ deviceId }) => accounts.get(deviceId) ?? []));
      return { id, name, devices: members.length, ...shown(sum) };
    });
}

/** Those that were seen least of the time that counts. */
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
