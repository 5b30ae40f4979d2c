import { type Operations, operations, type UnitOfWork } from './operations.ts';
import { priceOf } from './prices.ts';

/** What a month brings. `alerts` are conditions that begin and end; `endpoints` is how many want each detection. */
export type Amounts = {
  devices: number;
  detections: number;
  alerts: number;
  endpoints: number;
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
};

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
  };
  const apiCalls = devices * 30 * apiCallsPerDeviceDay;
  const spent = sumOf(units, endpoints);
  const messages = units.unchangedReport + 2 * alerts + detections;
  return [
    ...databaseParts(amounts, { ...spent, reads: spent.reads + apiCalls }),
    {
      part: 'Pub/Sub',
      amount: `${count(messages)} messages`,
      dollars: priceOf(
        'published',
        2 * ((messages - detections) * sizesKib.message + detections * sizesKib.detectionMessage) * kib,
      ),
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

/** Records stand until their end: deliveries 90 days, detections 30, alerts and their trail 400. */
function databaseParts({ detections, endpoints, alerts }: Amounts, spent: Operations): Part[] {
  const records = detections * (1 + 3 * endpoints);
  const storedGib = (records * sizesKib.deliveryRecord + alerts * 13 * 3 * sizesKib.alertRecord) * kib;
  return [
    { part: 'Firestore reads', amount: count(spent.reads), dollars: priceOf('read', spent.reads) },
    { part: 'Firestore writes', amount: count(spent.writes), dollars: priceOf('write', spent.writes) },
    { part: 'Firestore deletes', amount: count(spent.deletes), dollars: priceOf('delete', spent.deletes) },
    { part: 'Firestore storage', amount: `${storedGib.toFixed(1)} GiB`, dollars: priceOf('stored', storedGib) },
  ];
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
