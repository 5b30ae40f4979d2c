import { type Amounts, hoursPerMonth, kib, type Part } from './amounts.ts';
import { type Operations, operations, type UnitOfWork } from './operations.ts';
import { priceOf } from './prices.ts';
import { networkParts, standing, standingParts } from './standing.ts';

const secondsPerMonth = hoursPerMonth * 3600;
const minutesPerMonth = 30 * 24 * 60;
/** An hourly round of the standing drill: the messages that it publishes, and the attempts that follow. */
const drill = { roundsAMonth: 30 * 24, messages: 2, attempts: 4 };

/**
 * Sizes in KiB. A message is billed twice, for publishing and for pushing, each time as at least 1 KiB. `indexRow`: one
 * index entry of a record.
 */
const sizesKib = {
  message: 1,
  detectionMessage: 2,
  indexRow: 0.1,
};
/** Size of each record in KiB without its index entries, and the approximate number of these. */
const recordsKib = { device: 6, detection: 1, event: 3, delivery: 2, alert: 3, entry: 3 };
const indexRows = { device: 40, detection: 0, event: 5, delivery: 16, alert: 57, entry: 6 };

/** Reads of an open console: the fleet every 20 s, and after each change the fleet and a list of 20 alerts. */
const tab = { fleetReadsAMinute: 3, readsOfChange: 21 };
/**
 * Packs of our bridge: above how many messages a second, of how many lanes each makes one, after how many seconds and at most with how many entries
 * (`bridge/forward/packer.ts`). KiB of an entry, compressed: measured 0.01 to 0.03. CPU of an entry, of a report alone: `npm run bench -- --only N1`.
 */
const packs = { above: 50, lanes: 32, seconds: 2, most: 200, entryKib: 0.06, share: 0.3 };

/** Days that a topic keeps delivered messages (`terraform/messages.tf`), and the number of backups. */
const retained = { topicDays: 1, backups: 14 };

/** Mean seconds for which a request occupies an instance, and for which it uses the CPU. */
const requests = {
  report: { held: 0.012, busy: 0.002 },
  delivery: { held: 0.15, busy: 0.003 },
  other: { held: 0.03, busy: 0.004 },
};
/** An instance is billed while it handles a request, in steps of this many seconds. */
const billedStep = 0.1;
/** Share of its CPU at which the platform adds an instance. */
const fullAt = 0.6;
const instance = { cpu: 1, memoryGib: 0.5 };

/** Calls of the API that operators' consoles make for each device and day: lists and streams. */
const apiCallsPerDeviceDay = 5;

/** Reads by the cursors of the change stream: three kinds each second, in one instance, while a console is open. */
const streamReads = 3 * secondsPerMonth;

/** Dollars a month, part by part, at list price and with the free quotas of one project. */
export function dollarsOf(amounts: Amounts): Part[] {
  const { devices, detections, endpoints, alerts, heartbeats } = amounts;
  const units: Record<UnitOfWork, number> = {
    unchangedReport: devices * minutesPerMonth,
    alert: alerts,
    detection: detections,
    delivery: detections * endpoints,
    sweep: minutesPerMonth,
    drill: drill.roundsAMonth,
    heartbeat: minutesPerMonth * heartbeats,
    // Conditions that begin or end within 4 s share one calculation of the summaries.
    summary: Math.min(2 * alerts, secondsPerMonth / 4),
  };
  const ofTabs = tabReads(amounts);
  const apiCalls = devices * 30 * apiCallsPerDeviceDay + ofTabs.calls;
  const operated = sumOf(units, endpoints);
  const spent = { ...operated, reads: operated.reads + ofTabs.reads };
  const entries = entriesOfPack(amounts);
  const reports = units.unchangedReport / entries;
  const messages = reports + 2 * alerts + detections + drill.messages * units.drill;
  const attempts = units.delivery + drill.attempts * units.drill + units.heartbeat;
  return [
    ...databaseParts(amounts, { ...spent, reads: spent.reads + apiCalls + streamReads }),
    ...frameParts(amounts),
    {
      part: 'Pub/Sub',
      amount: `${count(messages)} messages`,
      dollars: priceOf(
        'published',
        2 *
          ((messages - detections - reports) * sizesKib.message +
            reports * Math.max(sizesKib.message, entries * packs.entryKib) +
            detections * sizesKib.detectionMessage) *
          kib,
      ),
    },
    {
      part: 'Pub/Sub: kept in the topic',
      amount: `${retained.topicDays} day`,
      dollars: priceOf('retained', (messages / 30) * retained.topicDays * sizesKib.message * kib),
    },
    ...computeParts(amounts, messages, attempts, apiCalls + 2 * units.sweep),
    { part: 'Cloud Tasks', amount: `${count(spent.tasks)} tasks`, dollars: priceOf('task', 2 * spent.tasks) },
    ...networkParts(amounts, attempts, apiCalls),
    ...standingParts(amounts, attempts + apiCalls),
  ];
}

/** How many reports come in one message. */
function entriesOfPack({ devices, isPacked = false }: Amounts): number {
  const perSecond = devices / 60;
  if (!isPacked || perSecond <= packs.above) return 1;
  return Math.min(packs.most, Math.max(1, (perSecond * packs.seconds) / packs.lanes));
}

/** Each further endpoint costs a detection one more delivery record, its deletion, and its task. */
function sumOf(units: Record<UnitOfWork, number>, endpoints: number): Operations {
  const extra = units.detection * (endpoints - 1);
  const total: Operations = { reads: 0, writes: extra, deletes: extra, tasks: extra };
  for (const [name, each] of Object.entries(operations) as [UnitOfWork, Operations][]) {
    for (const kind of ['reads', 'writes', 'deletes', 'tasks'] as const) total[kind] += units[name] * each[kind];
  }
  return total;
}

/**
 * Reads and calls of open consoles a month, without the stream: it is one long call, and all tabs of an instance share
 * its reads (`streamReads`).
 */
function tabReads({ tabs, alerts }: Amounts): { reads: number; calls: number } {
  const polls = tabs * minutesPerMonth * tab.fleetReadsAMinute;
  const changes = tabs * Math.min(2 * alerts, minutesPerMonth * 10);
  return { reads: polls + changes * tab.readsOfChange, calls: polls + 2 * changes };
}

/** Records are kept until they expire: detections and events 30 days, deliveries and their events 90, alerts and their trail 400. */
function databaseParts({ devices, detections, endpoints, alerts, environment }: Amounts, spent: Operations): Part[] {
  const events = detections * (endpoints > 0 ? 3 : 1) + 3 * alerts;
  const ofDetections = { detection: detections, delivery: detections * 3 * endpoints };
  const kept = { device: devices, event: events, ...ofDetections, alert: 13 * alerts, entry: 2 * 13 * alerts };
  const storedGib = total(kept, recordsKib) * kib;
  const indexGib = total(kept, indexRows) * sizesKib.indexRow * kib;
  const bothGib = storedGib + indexGib;
  const copies: Part[] = [
    { part: 'Firestore: point-in-time recovery', amount: gib(bothGib), dollars: priceOf('pointInTime', bothGib) },
    {
      part: 'Firestore: backups',
      amount: gib(retained.backups * storedGib),
      dollars: priceOf('backup', retained.backups * storedGib),
    },
  ];
  return [
    { part: 'Firestore reads', amount: count(spent.reads), dollars: priceOf('read', spent.reads) },
    { part: 'Firestore writes', amount: count(spent.writes), dollars: priceOf('write', spent.writes) },
    { part: 'Firestore deletes', amount: count(spent.deletes), dollars: priceOf('delete', spent.deletes) },
    {
      part: 'Firestore storage',
      amount: `${gib(storedGib)} + ${gib(indexGib)} of indexes`,
      dollars: priceOf('stored', bothGib),
    },
    ...(environment === 'production' ? copies : []),
  ];
}

/** Sums the kept records of each kind, multiplied by a value per record. */
function total(kept: typeof recordsKib, each: typeof recordsKib): number {
  return (Object.keys(kept) as (keyof typeof kept)[]).reduce((sum, kind) => sum + kept[kind] * each[kind], 0);
}

function frameParts({ detections, framesKib }: Amounts): Part[] {
  if (framesKib === 0) return [];
  const frames = detections * framesKib * kib;
  return [
    {
      part: 'Frames stored',
      amount: gib(frames),
      dollars: priceOf('objectGib', frames) + priceOf('objectWrite', detections),
    },
    {
      part: 'Frames sent',
      amount: gib(frames),
      dollars: priceOf('outGib', frames) + priceOf('objectRead', detections),
    },
  ];
}

function gib(amount: number): string {
  return `${amount.toFixed(1)} GiB`;
}

function computeParts(amounts: Amounts, messages: number, deliveries: number, others: number): Part[] {
  const total = messages + deliveries + others;
  const entries = entriesOfPack(amounts);
  const busy = entries === 1 ? requests.report.busy : requests.report.busy * entries * packs.share;
  const seconds =
    billedSeconds(messages, { held: requests.report.held + busy - requests.report.busy, busy }) +
    billedSeconds(deliveries, requests.delivery) +
    billedSeconds(others, requests.other);
  const { warm } = standing[amounts.environment];
  const idle = Math.max(0, warm * secondsPerMonth - seconds);
  const parts = [
    { part: 'Functions: requests', amount: count(total), dollars: priceOf('request', total) },
    {
      part: 'Functions: CPU and memory',
      amount: `${count(seconds)} s`,
      dollars: priceOf('cpuSecond', seconds * instance.cpu) + priceOf('memorySecond', seconds * instance.memoryGib),
    },
  ];
  if (warm === 0) return parts;
  const dollars =
    priceOf('idleCpuSecond', idle * instance.cpu) + priceOf('idleMemorySecond', idle * instance.memoryGib);
  return [...parts, { part: 'Functions: kept warm', amount: `${warm} instances`, dollars }];
}

/** Instance seconds with at least one active request. Requests arrive at random and share instances, so more traffic makes each one cheaper. */
function billedSeconds(perMonth: number, { held, busy }: { held: number; busy: number }): number {
  const perSecond = perMonth / secondsPerMonth;
  const instances = Math.max(1, Math.ceil((perSecond * busy) / fullAt));
  const share = 1 - Math.exp((-perSecond / instances) * Math.max(billedStep, held));
  return instances * secondsPerMonth * share;
}

function count(amount: number): string {
  return Math.round(amount).toLocaleString('en-US');
}
