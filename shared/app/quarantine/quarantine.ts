import { budgetOf, sumOf } from '../../domain/intake/budget.ts';
import { deviceIdPattern, type MessageRefusal } from '../../domain/intake/message.ts';
import type { Message } from '../../domain/intake/pushed.ts';
import type { QuarantineRecord } from '../../domain/intake/quarantined.ts';
import { retention } from '../../domain/limits.ts';
import { msBetween, plus } from '../../domain/time.ts';
import { notFound } from '../../errors.ts';
import type { QuarantinedMessage, QuarantinedReport, Suppressed } from '../../schema/quarantine/quarantine.ts';
import { visible, withVisibleTexts } from '../../schema/text.ts';
import type { Bearer } from '../bearer.ts';
import { decideAndCommit, put } from '../commit/commit.ts';
import { type DeviceLabel, listKey, namesFor, type Page, type PageTokens, pageOfQuery } from '../paging/paging.ts';
import { type Filter, type Reads, rootOf, type Store, type Timer, type World, type Write } from '../ports.ts';

/** Bytes of a message that are kept. It is the maximum size of a report, so that a retry can succeed after we fix a mistake of ours. */
const maxKeptBytes = 256 * 1024;
/** Characters that a list shows of a message's text, and of each of some attributes. */
const excerptLength = 256;
const mostAttributes = 20;
const attributeLength = 100;
/** Pub/Sub accepts 100 attributes of 1,280 bytes. Escapes can make them six times as long, and a record has at most 1 MiB. */
const maxAttributeBytes = 160 * 1024;

/** The message as lists show it, without its bytes. @param named of the camera that it claims to be from */
function toWireReport(
  { expireAt: _, undo: __, lastSuppressed: ___, attributes, ...report }: QuarantineRecord,
  named: DeviceLabel,
): QuarantinedReport {
  const shown = withVisibleTexts(JSON.parse(attributes), attributes).value as Record<string, string>;
  return { ...report, ...named, attributes: shown };
}

/** One message as it is shown to a bearer. */
export async function shownReport(
  world: Reads<'devices'>,
  bearer: Bearer,
  record: QuarantineRecord,
): Promise<QuarantinedReport> {
  const named = await namesFor(world, bearer, [record.deviceId]);
  return toWireReport(record, named(record.deviceId));
}

/**
 * Stores a message in quarantine with the reasons, and with its bytes while the budget of its device lasts. Further messages are only
 * counted. The same message gives the same record. A message of an erased device is not stored.
 */
export async function quarantine(
  world: World,
  message: Message,
  refusal: MessageRefusal,
  dialect: string,
): Promise<void> {
  const { messageId: reportId, publishTime: receivedAt } = message;
  const budget = budgetOf(refusal, receivedAt);
  const full = budget && fullSince(world, budget.id);
  if (full === null && (await isOfErased(world, refusal))) {
    return world.log.info('message.of-erased', { deviceId: refusal.deviceId });
  }
  const last = full ?? (budget && (await kept(world, message, refusal, dialect, budget)));
  if (budget && last !== null) {
    return countSuppressed(world, budget.id, last, { messageId: reportId, reason: refusal.reason, receivedAt });
  }
  if (!budget) await kept(world, message, refusal, dialect, null);
  const { reason, deviceId, kind, errors } = refusal;
  world.log.warn('report.quarantined', { reportId, reason, deviceId, kind, errors: errors.slice(0, 3) });
}

/** Nothing is stored any more from a device that was erased. */
async function isOfErased({ store }: World, { deviceId }: MessageRefusal): Promise<boolean> {
  if (deviceId === null || !deviceIdPattern.test(deviceId)) return false;
  const [tombstone = null] = await store.get('tombstones', [deviceId]);
  return tombstone?.data.isErased ?? false;
}

/** Keeps a message, or returns the last one that was kept where the budget is used up. */
function kept(
  world: World,
  message: Message,
  refusal: MessageRefusal,
  dialect: string,
  budget: ReturnType<typeof budgetOf>,
): Promise<string | null> {
  const reportId = message.messageId;
  return decideAndCommit(world, async () => {
    const budgetIds = budget ? [budget.id] : [];
    const found = await world.store.getMany({ quarantine: [reportId], quarantineBudgets: budgetIds });
    const [[known = null], [used = null]] = [found.quarantine, found.quarantineBudgets];
    if (known) return { writes: [], wakes: [], answer: null };
    const count = used?.data.count ?? 0;
    if (budget && used && count >= budget.most) return { writes: [], wakes: [], answer: used.data.lastReportId };
    const quarantinedAt = world.now();
    const expireAt = plus(quarantinedAt, retention.quarantine);
    const attributes = textOf(message.attributes);
    const data = message.data.subarray(0, maxKeptBytes).toString('base64');
    const writes: Write[] = [
      { kind: 'create', in: 'quarantine', id: reportId, data: recordOf(message, refusal, dialect, quarantinedAt) },
      { kind: 'accrue', in: 'quarantineBytes', id: reportId, set: { data, attributes, expireAt }, add: {} },
    ];
    if (budget) {
      const next = { count: count + 1, lastReportId: reportId, expireAt };
      writes.push(put('quarantineBudgets', budget.id, next, used));
    }
    return { writes, wakes: [], answer: null };
  });
}

function recordOf(
  message: Message,
  { reason, errors, deviceId, kind }: MessageRefusal,
  dialect: string,
  quarantinedAt: string,
): QuarantineRecord {
  const { data, messageId, publishTime, attributes } = message;
  return {
    reason,
    errors,
    deviceId,
    kind,
    reportId: messageId,
    status: 'quarantined',
    dialect,
    attributes: JSON.stringify(shortened(attributes, mostAttributes)),
    excerpt: visible(data.subarray(0, 4 * excerptLength).toString('utf8'))
      .slice(0, excerptLength)
      .toWellFormed(),
    sizeBytes: data.length,
    truncated: data.length > maxKeptBytes,
    suppressed: null,
    lastSuppressed: null,
    messageId,
    receivedAt: publishTime,
    quarantinedAt,
    undo: null,
    expireAt: plus(quarantinedAt, retention.quarantine),
  };
}

function textOf(attributes: Record<string, string>): string {
  const text = JSON.stringify(attributes);
  return Buffer.byteLength(text) <= maxAttributeBytes ? text : JSON.stringify(shortened(attributes, 100));
}

function shortened(attributes: Record<string, string>, most: number): Record<string, string> {
  const cut = (text: string) => text.slice(0, attributeLength);
  return Object.fromEntries(
    Object.entries(attributes)
      .slice(0, most)
      .map(([name, value]) => [cut(name), cut(value)]),
  );
}

/**
 * One message with everything that is kept of it. A message that cannot be read belongs to no group, so only a bearer without group limits
 * may see it.
 * @throws AppError `not-found`
 */
export async function getQuarantined(
  world: Pick<World, 'store'>,
  bearer: Bearer,
  reportId: string,
): Promise<QuarantinedMessage> {
  const { record, data } = await loadQuarantined(world, bearer, reportId);
  return { ...(await shownReport(world, bearer, record)), data };
}

/** One message with its bytes (base64) and attributes as they came. @throws AppError `not-found` */
export async function loadQuarantined(
  world: Pick<World, 'store'>,
  bearer: Bearer,
  reportId: string,
): Promise<{ record: QuarantineRecord; data: string }> {
  const found = await world.store.getMany({ quarantine: [reportId], quarantineBytes: [reportId] });
  const [[report = null], [bytes = null]] = [found.quarantine, found.quarantineBytes];
  if (!report || !bytes || bearer.groups !== null) throw notFound(`quarantined report ${reportId}`);
  const { data, attributes } = bytes.data;
  return { record: { ...report.data, attributes }, data };
}

/**
 * Lists messages in quarantine, newest first. They belong to no group, so a bearer limited to groups sees none.
 * @throws AppError `invalid-request` for the page token of another list
 */
export async function listQuarantine(
  world: Reads<'quarantine' | 'devices'>,
  bearer: Bearer,
  query: Page & { status?: readonly string[] },
  tokens: PageTokens,
): Promise<{ reports: QuarantinedReport[]; nextPageToken?: string }> {
  const key = listKey('quarantine', query, bearer.groups);
  const status = query.status ?? ['quarantined'];
  const where: Filter<'quarantine'>[] = status.includes('all') ? [] : [{ field: 'status', is: 'in', value: status }];
  const { items, next } = await pageOfQuery(
    world,
    { tokens, key, page: query },
    bearer.groups ? null : { in: 'quarantine', where, orderBy: [['quarantinedAt', 'desc']] },
  );
  const records = items.map(({ data }) => data);
  const named = await namesFor(
    world,
    bearer,
    records.map(({ deviceId }) => deviceId),
  );
  return { reports: records.map((record) => toWireReport(record, named(record.deviceId))), ...next };
}

/**
 * How often an instance writes the count of one budget. A flood of messages then costs one read and one write in this time, and nothing per
 * message.
 */
const everyMs = 10_000;
/** Budgets that an instance remembers as used up. For further ones it asks the store again. */
const mostRemembered = 10_000;

/** The number of messages of one budget that an instance has not kept, and the record to write it to. */
type RetryTally = {
  reportId: string;
  pending: Suppressed | null;
  lastSuppressed: string;
  writtenAt: string | null;
  timer: Timer | null;
};

/** The counts of each instance, by budget. At most the counts of `everyMs` are lost with an instance. */
const instances = new WeakMap<Store, Map<string, RetryTally>>();

function talliesOf({ store }: World): Map<string, RetryTally> {
  const tallies = instances.get(rootOf(store)) ?? new Map<string, RetryTally>();
  instances.set(rootOf(store), tallies);
  return tallies;
}

/** The last record that was kept of a budget that this instance knows to be used up. Null: it does not know that. */
function fullSince(world: World, budgetId: string): string | null {
  return talliesOf(world).get(budgetId)?.reportId ?? null;
}

/**
 * Counts a message that is not kept, on the last record that was. The first count is written at once, and later ones together. Several
 * instances add to one count.
 */
async function countSuppressed(
  world: World,
  budgetId: string,
  reportId: string,
  { messageId, reason, receivedAt: at }: { messageId: string; reason: string; receivedAt: string },
): Promise<void> {
  const tallies = talliesOf(world);
  const tally = tallies.get(budgetId) ?? newTally(reportId);
  tally.lastSuppressed = messageId;
  // Moves it to the end of the order: the budget without messages for the longest time is forgotten first.
  tallies.delete(budgetId);
  tallies.set(budgetId, tally);
  for (const [id, { pending }] of tallies) {
    if (tallies.size <= mostRemembered) break;
    if (!pending) tallies.delete(id);
  }
  tally.pending = sumOf(tally.pending, { count: 1, firstAt: at, lastAt: at, reasons: { [reason]: 1 } });
  if (tally.writtenAt === null || msBetween(tally.writtenAt, world.now()) >= everyMs) return write(world, tally);
  tally.timer ??= world.after(everyMs, () => void write(world, tally));
}

function newTally(reportId: string): RetryTally {
  return { reportId, pending: null, lastSuppressed: '', writtenAt: null, timer: null };
}

/** A failing store must not delay a message. The count waits for the next write. */
async function write(world: World, tally: RetryTally): Promise<void> {
  const { reportId, pending, lastSuppressed } = tally;
  tally.timer?.stop();
  tally.timer = null;
  if (!pending) return;
  tally.pending = null;
  tally.writtenAt = world.now();
  try {
    await decideAndCommit(world, async () => {
      const [stored = null] = await world.store.get('quarantine', [reportId]);
      if (!stored) return { writes: [], wakes: [], answer: undefined };
      const { id, revision } = stored;
      const data = { ...stored.data, suppressed: sumOf(stored.data.suppressed, pending), lastSuppressed };
      return { writes: [{ kind: 'replace', in: 'quarantine', id, data, revision }], wakes: [], answer: undefined };
    });
    world.log.warn('reports.suppressed', { reportId, ...pending });
  } catch (error) {
    tally.pending = sumOf(tally.pending, pending);
    world.log.error('suppressed.failed', { reportId, error: String(error) });
  }
}
