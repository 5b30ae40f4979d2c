import type { Message } from '../../shared/domain/intake/pushed.ts';
import { faultsOf } from '../../shared/schema/validate.ts';
import { unchangedReports } from '../support/records/unchanged-reports.ts';
import { startTestIssuer } from '../support/world/issuer.ts';
import { type Asked, environmentOf, type Load, startServer } from './frame/load.ts';
import { cpuOfPlain, median, medianAbove, spreadOf } from './frame/measure.ts';
import { type Bench, rowOf } from './frame/row.ts';

const counts = { tiny: 20, quick: 1000, full: 4000 };
/** Reports before the measurement, so that the code is compiled. */
const warmUps = { tiny: 20, quick: 3000, full: 6000 };
const devices = 500;
const width = 16;

/** P3: status reports that change nothing, pushed to `ingest` as Pub/Sub does, compared with a function that only answers. */
export const measure: Bench = async ({ size }) => {
  const count = counts[size];
  const rounds = { tiny: 1, quick: 5, full: 7 }[size];
  const issuer = await startTestIssuer('ES256');
  const ingest = await startServer('ingest', environmentOf(issuer.url));
  const noOp = await startServer('no-op');
  try {
    await ingest.program.ask({ kind: 'seed-devices', count: devices });
    const token = await issuer.token({ email: 'push@bench.example', email_verified: true });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const minutes = 1 + Math.ceil((warmUps[size] + rounds * count) / devices);
    // Skips the first report of each device. It was seeded, because it does change something.
    const messages = unchangedReports(devices, minutes);
    next(messages, devices);
    const loads = { ours: [] as Load[], noOp: [] as Load[] };
    const parse: number[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const reports = round === 0 ? warmUps[size] : count;
      const bodies = next(messages, reports).map(pushOf);
      const requestOf = (index: number): Asked => ({ method: 'POST', path: '/', headers, body: bodies[index] ?? '' });
      const ours = await ingest.load(reports, width, 204, requestOf);
      const floor = await noOp.load(reports, width, 200, requestOf);
      const parsing = cpuOfPlain(reports, (index) => parseOnly(bodies[index] ?? ''));
      if (round === 0) continue;
      loads.ours.push(ours);
      loads.noOp.push(floor);
      parse.push(parsing);
    }
    const cpu = (name: keyof typeof loads) => loads[name].map(({ cpuUs }) => cpuUs);
    return [
      rowOf({
        id: 'P3',
        what: "CPU for each unchanged report above the framework's no-op",
        unit: 'µs',
        ours: medianAbove(cpu('ours'), cpu('noOp')),
        beside: [
          { name: "framework's no-op in all", value: median(cpu('noOp')) },
          { name: 'parse, validate, base64', value: median(parse) },
        ],
        goal: 0.3,
        goalOf: 'ratio',
        note: `${median(cpu('ours')).toFixed(0)} µs in all, rounds ${spreadOf(cpu('ours'))}; in-process store, ${width} at a time`,
      }),
    ];
  } finally {
    await Promise.all([ingest.stop(), noOp.stop(), issuer.stop()]);
  }
};

function next(messages: Iterator<Message>, count: number): Message[] {
  return Array.from({ length: count }, () => messages.next().value as Message);
}

function pushOf({ data, ...message }: Message): string {
  const subscription = 'projects/bench/subscriptions/ingest';
  return JSON.stringify({ message: { ...message, data: data.toString('base64') }, subscription });
}

/** The least work of a report: it is parsed and validated. */
function parseOnly(push: string): void {
  const { message } = JSON.parse(push) as { message: { data: string } };
  const faults = faultsOf('StatusReport', JSON.parse(Buffer.from(message.data, 'base64').toString()));
  if (faults.length > 0) throw new Error(`a report does not fit: ${JSON.stringify(faults)}`);
}
