import { startTasks } from '../../local/cloud/tasks/server.ts';
import { defaultQueueSettings } from '../../local/cloud/tasks/settings.ts';
import { startTestIssuer } from '../support/world/issuer.ts';
import { ownCommits, parseAndStringify } from './frame/api-floors.ts';
import { type Asked, environmentOf, type Load, type Server, startServer } from './frame/load.ts';
import { median, medianAbove, spreadOf } from './frame/measure.ts';
import { type Bench, type Row, rowOf } from './frame/row.ts';

const counts = { tiny: 20, quick: 400, full: 2000 };
/** Requests to each server before the measurement, so that its code is compiled. */
const warmUps = { tiny: 20, quick: 2000, full: 4000 };
const width = 16;

/**
 * P13: three routes of the API, compared with a function that only answers and with a bare Node server, each server in its own process; and
 * with the least work of a page and of an acknowledgement, in this process.
 */
export const measure: Bench = async ({ size }) => {
  const count = counts[size];
  const rounds = { tiny: 1, quick: 5, full: 7 }[size];
  const issuer = await startTestIssuer('ES256');
  // An acknowledgement creates wakes. Without this stand-in the calls would fail, and a failed call costs several times more CPU.
  const tasks = await startTasks({ port: 0, issuer: issuer.url, queues: queuesOf('bench'), journalFile: null });
  const environment = { ...environmentOf(issuer.url), TASKS_ENDPOINT: `127.0.0.1:${tasks.port}` };
  const servers = {
    api: await startServer('api', environment),
    noOp: await startServer('no-op'),
    raw: await startServer('raw'),
  };
  try {
    const headers = { authorization: `Bearer ${await issuer.token()}` };
    const seed = (alerts: number) => servers.api.program.ask<string[]>({ kind: 'seed-alerts', count: alerts });
    const warmUp = warmUps[size];
    const work = { count, warmUp, rounds, servers };
    // Few alerts at first: without an index, each query of the in-process store reads all of them.
    const [alertId] = await seed(60);
    const one: Asked = { method: 'GET', path: `/v1/alerts/${alertId}`, headers };
    const page: Asked = { method: 'GET', path: '/v1/alerts?pageSize=50', headers };
    const rows = [
      ...(await measureRoute('GET one alert', work, { requestOf: () => one })),
      ...(await measureRoute('page of 50', work, {
        requestOf: () => page,
        floor: { name: 'parse and stringify of its bytes', measure: parseAndStringify(await servers.api.read(page)) },
      })),
    ];
    const alertIds = await seed(warmUp + count * rounds);
    const acknowledge = (index: number): Asked => {
      return { method: 'POST', path: `/v1/alerts/${alertIds[index]}/acknowledge`, headers };
    };
    const floor = { name: "the in-process store's own commit of its records", measure: ownCommits(width) };
    rows.push(...(await measureRoute('acknowledge', work, { requestOf: acknowledge, floor })));
    return rows;
  } finally {
    await Promise.all([...Object.values(servers).map((server) => server.stop()), issuer.stop(), tasks.stop()]);
  }
};

/** The queues of an installation with default settings. */
function queuesOf(project: string) {
  const parent = `projects/${project}/locations/europe-west1/queues`;
  return Object.fromEntries([0, 1, 2, 3].map((queue) => [`${parent}/deadlines-${queue}`, defaultQueueSettings]));
}

type Work = { count: number; warmUp: number; rounds: number; servers: Record<'api' | 'noOp' | 'raw', Server> };

/** `floor`: what the CPU of the route is compared with. Without a floor the goal is a number of microseconds. */
type Route = {
  requestOf: (index: number) => Asked;
  floor?: { name: string; measure: (count: number) => Promise<number> };
};

async function measureRoute(
  what: string,
  { count, warmUp, rounds, servers }: Work,
  { requestOf, floor }: Route,
): Promise<Row[]> {
  const loads = { api: [] as Load[], noOp: [] as Load[], raw: [] as Load[] };
  const least: number[] = [];
  for (const server of Object.values(servers)) await server.load(warmUp, width, 200, requestOf);
  await floor?.measure(warmUp);
  for (let round = 0; round < rounds; round += 1) {
    const first = warmUp + round * count;
    if (floor) least.push(await floor.measure(count));
    for (const name of ['api', 'noOp', 'raw'] as const) {
      loads[name].push(await servers[name].load(count, width, 200, (index) => requestOf(first + index)));
    }
  }
  const cpu = (name: keyof typeof loads) => loads[name].map(({ cpuUs }) => cpuUs);
  const p99 = (name: keyof typeof loads) => median(loads[name].map(({ p99Ms }) => p99Ms));
  const note = `${median(cpu('api')).toFixed(0)} µs in all, rounds ${spreadOf(cpu('api'))}; ${width} at a time`;
  return [
    rowOf({
      id: 'P13',
      what: `${what}: CPU above the framework's no-op`,
      unit: 'µs',
      ours: medianAbove(cpu('api'), cpu('noOp')),
      beside: [
        ...(floor ? [{ name: floor.name, value: median(least) }] : []),
        { name: "framework's no-op in all", value: median(cpu('noOp')) },
        { name: 'raw node:http in all', value: median(cpu('raw')) },
      ],
      ...(floor ? { goal: 1.5, goalOf: 'ratio' } : { goal: 60 }),
      note,
    }),
    rowOf({
      id: 'P13',
      what: `${what}: p99`,
      unit: 'ms',
      ours: p99('api'),
      beside: [
        { name: "framework's no-op", value: p99('noOp') },
        { name: 'raw node:http', value: p99('raw') },
      ],
      goal: 2,
      goalOf: 'ratio',
    }),
  ];
}
