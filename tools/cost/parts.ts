import { type Operations, operations, type UnitOfWork } from './operations.ts';
import { priceOf } from './prices.ts';

/** What a month brings. `alerts` are conditions that begin and end; `endpoints` is how many want each detection; `framesKib` 0: no frames. */
export type Amounts = {
  devices: number;
  detections: number;
  alerts: number;
  endpoints: number;
  /** Consoles that are open day and night, each with its stream. */
  tabs: number;
  /** Size of the frame that each detection brings into our bucket; it is stored for 30 days and read once. */
  framesKib: number;
  environment: 'dev' | 'production';
};

export type Part = { part: string; amount: string; dollars: number };

const hoursPerMonth = 730;
const secondsPerMonth = hoursPerMonth * 3600;
const minutesPerMonth = 30 * 24 * 60;
const kib = 1 / 1024 ** 2;

/** Bytes of one unit, in KiB: a message is billed as at least 1 KiB for each of publish and push; a record with its index entries. */
const sizesKib = {
  message: 1,
  detectionMessage: 2,
  webhookRequest: 6,
  deliveryRecord: 4,
  alertRecord: 3,
  apiAnswer: 4,
  deviceRecord: 6,
  /** A device has about 40 index rows, an alert 40, its trail 6, a delivery 16, each of about 100 bytes. */
  indexRow: 0.1,
};
const indexRows = { device: 40, alert: 40, entry: 6, delivery: 16 };

/** What an open console reads: the fleet each 20 s and a few seconds after each change; the stream itself; a list of 20 alerts after a change. */
const tab = { fleetReadsAMinute: 3, readsOfChange: 21 };
/** Days that a topic keeps what it delivered (`terraform/messages.tf`), and backups that are kept. */
const retained = { topicDays: 1, backups: 14 };

/** Mean seconds that a request holds an instance, and keeps its CPU busy. */
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

/** Instances kept warm, reserved addresses, policies and secrets of terraform/, by environment. */
const standing = {
  dev: { warm: 1, addresses: 1, hasBalancer: false, secrets: 3 },
  production: { warm: 3, addresses: 2, hasBalancer: true, secrets: 5 },
};

/** Calls of the API that operators' consoles make for each device and day: lists and streams. */
const apiCallsPerDeviceDay = 5;

/** Dollars a month, part by part, at list price and with the free quotas of one project. */
export function dollarsOf(amounts: Amounts): Part[] {
  const { devices, detections, endpoints, alerts } = amounts;
  const units: Record<UnitOfWork, number> = {
    unchangedReport: devices * minutesPerMonth,
    alert: alerts,
    detection: detections,
    delivery: detections * endpoints,
    sweep: minutesPerMonth,
    // Conditions that begin or end within 4 s share one.
    fold: Math.min(2 * alerts, secondsPerMonth / 4),
  };
  const ofTabs = tabReads(amounts);
  const apiCalls = devices * 30 * apiCallsPerDeviceDay + ofTabs.calls;
  const operated = sumOf(units, endpoints);
  const spent = { ...operated, reads: operated.reads + ofTabs.reads };
  const messages = units.unchangedReport + 2 * alerts + detections;
  return [
    ...databaseParts(amounts, { ...spent, reads: spent.reads + apiCalls }),
    ...frameParts(amounts),
    {
      part: 'Pub/Sub',
      amount: `${count(messages)} messages`,
      dollars: priceOf(
        'published',
        2 * ((messages - detections) * sizesKib.message + detections * sizesKib.detectionMessage) * kib,
      ),
    },
    {
      part: 'Pub/Sub: kept in the topic',
      amount: `${retained.topicDays} day`,
      dollars: priceOf('retained', (messages / 30) * retained.topicDays * sizesKib.message * kib),
    },
    ...computeParts(amounts, messages, units.delivery, apiCalls + 2 * units.sweep),
    { part: 'Cloud Tasks', amount: `${count(spent.tasks)} tasks`, dollars: priceOf('task', 2 * spent.tasks) },
    ...networkParts(amounts, units.delivery, apiCalls),
    ...standingParts(amounts, units.delivery + apiCalls),
  ];
}

/** A further endpoint costs a detection one more delivery record, its end, and its task. */
function sumOf(units: Record<UnitOfWork, number>, endpoints: number): Operations {
  const extra = units.detection * (endpoints - 1);
  const total: Operations = { reads: 0, writes: extra, deletes: extra, tasks: extra };
  for (const [name, each] of Object.entries(operations) as [UnitOfWork, Operations][]) {
    for (const kind of ['reads', 'writes', 'deletes', 'tasks'] as const) total[kind] += units[name] * each[kind];
  }
  return total;
}

/** What open consoles ask for: the stream is a call of the API that lasts, whose reads all tabs of an instance share. */
function tabReads({ tabs, alerts }: Amounts): { reads: number; calls: number } {
  const polls = tabs * minutesPerMonth * tab.fleetReadsAMinute;
  const changes = tabs * Math.min(2 * alerts, minutesPerMonth * 10);
  return { reads: polls + changes * tab.readsOfChange, calls: polls + 2 * changes };
}

/** Records stand until their end: deliveries 90 days, detections 30, alerts and their trail 400. */
function databaseParts({ devices, detections, endpoints, alerts, environment }: Amounts, spent: Operations): Part[] {
  const deliveries = detections * 3 * endpoints;
  const kept = alerts * 13;
  const recordsKib =
    devices * sizesKib.deviceRecord +
    (detections + deliveries) * sizesKib.deliveryRecord +
    kept * 3 * sizesKib.alertRecord;
  const rows =
    devices * indexRows.device + deliveries * indexRows.delivery + kept * (indexRows.alert + 2 * indexRows.entry);
  const [storedGib, indexGib] = [recordsKib * kib, rows * sizesKib.indexRow * kib];
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

function computeParts({ environment }: Amounts, messages: number, deliveries: number, others: number): Part[] {
  const total = messages + deliveries + others;
  const seconds =
    billedSeconds(messages, requests.report) +
    billedSeconds(deliveries, requests.delivery) +
    billedSeconds(others, requests.other);
  const { warm } = standing[environment];
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

/** Instance seconds with at least one request in hand: requests that come at random share an instance, so a busy one is cheap for each. */
function billedSeconds(perMonth: number, { held, busy }: { held: number; busy: number }): number {
  const perSecond = perMonth / secondsPerMonth;
  const instances = Math.max(1, Math.ceil((perSecond * busy) / fullAt));
  const share = 1 - Math.exp((-perSecond / instances) * Math.max(billedStep, held));
  return instances * secondsPerMonth * share;
}

function networkParts({ environment }: Amounts, deliveries: number, apiCalls: number): Part[] {
  const { addresses, hasBalancer } = standing[environment];
  const webhookGib = deliveries * sizesKib.webhookRequest * kib;
  const apiGib = apiCalls * sizesKib.apiAnswer * kib;
  // Only `deliver` leaves through the NAT: its warm instance, and one more for as long as it is busy.
  const natHours = hoursPerMonth * 2;
  const out: Part[] = [
    {
      part: 'Cloud NAT',
      amount: `${addresses} addresses`,
      dollars:
        priceOf('natHour', natHours) +
        priceOf('natAddressHour', addresses * hoursPerMonth) +
        priceOf('natGib', webhookGib),
    },
    {
      part: 'Traffic out',
      amount: `${(webhookGib + apiGib).toFixed(1)} GiB`,
      dollars: priceOf('outGib', webhookGib + apiGib),
    },
  ];
  if (!hasBalancer) return out;
  const balancer = priceOf('balancerHour', hoursPerMonth) + priceOf('balancerGib', apiGib);
  const armor = priceOf('armorPolicy', 2) + priceOf('armorRule', 2) + priceOf('armorRequest', apiCalls);
  return [
    ...out,
    { part: 'Load balancer', amount: '2 forwarding rules', dollars: balancer },
    { part: 'Cloud Armor', amount: '2 policies', dollars: armor },
  ];
}

/** About a KiB of log for each call of the API and each attempt; of what the platform calls, terraform/ keeps only what went wrong. */
function standingParts({ environment }: Amounts, logged: number): Part[] {
  const logGib = logged * kib;
  const { secrets } = standing[environment];
  return [
    { part: 'Logs', amount: `${logGib.toFixed(1)} GiB`, dollars: priceOf('logGib', logGib) },
    { part: 'Secrets', amount: `${secrets} versions`, dollars: priceOf('secretVersion', secrets) },
  ];
}

function count(amount: number): string {
  return Math.round(amount).toLocaleString('en-US');
}
