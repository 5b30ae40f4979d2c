// Prints what a month costs in the cloud, part by part: operations as the tests measure them, times list prices.
import { parseArgs } from 'node:util';
import type { Amounts } from './cost/amounts.ts';
import { dollarsOf } from './cost/parts.ts';
import { pricedOn, prices } from './cost/prices.ts';

const help = `npm run cost -- [--devices 1000] [--detections 50000] [--alerts N] [--endpoints 1] [--tabs 2] [--frame-kib 0] [--heartbeats 1] [--packed] [--environment production|dev]

  --devices      cameras that report once a minute
  --detections   detections a month, of the whole fleet
  --alerts       conditions that begin and end in a month (default: 10 for each camera)
  --endpoints    endpoints that want each detection
  --tabs         consoles that are open day and night
  --frame-kib    size of the frame of each detection that lies in our bucket; 0 for none
  --heartbeats   addresses of the watch outside, each of which gets a beat a minute
  --packed       our bridge packs reports
  --environment  what stands there without any traffic`;

/** Costs that are not included. */
const leftOut = [
  'SMS and mail, which their providers bill: the standing drill sends one an hour to each of its targets',
  'the MQTT broker and its bridge',
  'what guardians report: a message each some minutes from each camera that has one',
  'the weekly export in the second region and its reads',
  'data-access logs beyond our own lines',
  'Firestore versions that point-in-time recovery keeps of records that change often',
  'the CPU of streams beyond what a call of the API costs',
];

const { values } = parseArgs({
  options: {
    devices: { type: 'string', default: '1000' },
    detections: { type: 'string', default: '50000' },
    alerts: { type: 'string' },
    endpoints: { type: 'string', default: '1' },
    tabs: { type: 'string', default: '2' },
    'frame-kib': { type: 'string', default: '0' },
    heartbeats: { type: 'string', default: '1' },
    packed: { type: 'boolean', default: false },
    environment: { type: 'string', default: 'production' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(help);
else print(amountsOf(values));

function amountsOf(given: typeof values): Amounts {
  const devices = whole('devices', given.devices);
  const { environment } = given;
  if (environment !== 'production' && environment !== 'dev') throw new Error('--environment must be production or dev');
  return {
    devices,
    detections: whole('detections', given.detections),
    alerts: given.alerts === undefined ? devices * 10 : whole('alerts', given.alerts),
    endpoints: whole('endpoints', given.endpoints),
    tabs: whole('tabs', given.tabs),
    framesKib: whole('frame-kib', given['frame-kib']),
    heartbeats: whole('heartbeats', given.heartbeats),
    isPacked: given.packed,
    environment,
  };
}

function whole(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new Error(`--${name} must be a whole number, not "${text}"`);
  return value;
}

function print(amounts: Amounts): void {
  const parts = dollarsOf(amounts);
  const total = parts.reduce((sum, { dollars }) => sum + dollars, 0);
  const { devices, detections, alerts, environment } = amounts;
  console.log(`${environment}: ${devices} cameras, ${detections} detections and ${alerts} alerts a month\n`);
  for (const { part, amount, dollars } of parts) {
    console.log(`${part.padEnd(36)}${amount.padStart(34)}${dollars.toFixed(2).padStart(12)}`);
  }
  console.log(`${'Dollars a month'.padEnd(70)}${total.toFixed(2).padStart(12)}`);
  if (devices > 0) console.log(`${'For each camera'.padEnd(70)}${(total / devices).toFixed(4).padStart(12)}`);
  console.log(`\nLeft out: ${leftOut.join('; ')}.`);
  const sources = [...new Set(Object.values(prices).map(({ source }) => source))];
  console.log(
    `\nList prices of ${pricedOn}, free quotas taken off, taxes and discounts left out:\n  ${sources.join('\n  ')}`,
  );
}
