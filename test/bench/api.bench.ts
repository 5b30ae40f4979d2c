import { randomUUID } from 'node:crypto';
import { createMemoryStore } from '../../shared/adapters/memory/store.ts';
import type { Store } from '../../shared/app/ports.ts';
import { openTestAlert } from '../support/records/alerts.ts';
import { createTestRouter } from '../support/world/api.ts';
import { issuersOf } from '../support/world/issuer.ts';
import { createTestWorld } from '../support/world/world.ts';
import {
  type Asked,
  type Cpu,
  type FunctionProcess,
  type Operation,
  operationRow,
  startByTurns,
} from './frame/function-process.ts';
import { inAnHour, type Platform, startPlatform } from './frame/platform.ts';
import { type Bench, type Row, rowOf } from './frame/row.ts';
import { recordSteps, type Step } from './frame/steps.ts';

const sizes = {
  tiny: { count: 20, rounds: 1 },
  quick: { count: 400, rounds: 3 },
  full: { count: 1000, rounds: 7 },
};
const pageSize = 50;
const listed = 60;
const codes = ['CONN_001', 'RES_001', 'SEC_001', 'RES_002'] as const;

/** N7: acknowledgements by `api`. P13: GET of one alert and of a page. P12: bytes of a page. */
export const measure: Bench = async ({ size, against }) => {
  const plan = sizes[size];
  const operations = plan.count * (plan.rounds + 1);
  const platform = await startPlatform();
  const turns = await startByTurns(platform, 'api', { against, hasNoOp: true });
  try {
    const headers = { authorization: `Bearer ${await platform.issuer.token(inAnHour())}` };
    const one = (id: string): Asked => ({ method: 'GET', path: `/v1/alerts/${id}`, headers });
    const page: Asked = { method: 'GET', path: `/v1/alerts?pageSize=${pageSize}`, headers };
    const acknowledge = (id: string): Asked => ({ method: 'POST', path: `/v1/alerts/${id}/acknowledge`, headers });
    // The emulator reads all alerts for a page, so there are few of them yet.
    const single = await played(platform, listed, (ids) => ids.map(one));
    const paged = await played(platform, listed, () => [page]);
    const cpu = {
      one: await turns.measure(single, plan),
      page: await turns.measure(paged, { ...plan, count: Math.ceil(plan.count / 5) }),
    };
    const bytes = await bytesRow(turns.ours, page);
    const acknowledged = await played(platform, operations, (ids) => ids.map(acknowledge));
    const check = (store: Store) => requireAcknowledged(store, operations);
    const acknowledgement = await turns.measure({ ...acknowledged, check }, plan);
    const row = (of: Cpu, id: string, what: string, goal: number) =>
      operationRow(of, { id, what: `${what}: CPU above the framework's no-op`, goal });
    return [
      row(acknowledgement, 'N7', 'acknowledge, tasks answering', 0.7),
      row(cpu.one, 'P13', 'GET one alert', 1.5),
      row(cpu.page, 'P13', `page of ${pageSize}`, 1.5),
      bytes,
    ];
  } finally {
    await turns.stop();
    await platform.stop();
  }
};

/** Opens alerts on the twin, and sends requests about them to the API there. */
async function played(
  platform: Platform,
  alerts: number,
  requestsOf: (ids: readonly string[]) => Asked[],
): Promise<Operation> {
  const twin = createMemoryStore();
  const { store, waker, taken } = recordSteps(twin);
  const world = { ...createTestWorld(store), now: () => new Date().toISOString() };
  const ids: string[] = [];
  while (ids.length < alerts) {
    const code = codes[ids.length % codes.length] ?? 'CONN_001';
    ids.push(await openTestAlert(world, { alertId: randomUUID(), code }));
  }
  const records = twin.snapshot();
  const { router } = createTestRouter(
    { ...world, waker },
    { issuers: issuersOf({ issuer: platform.issuer.url }), allowHosts: [] },
  );
  const asked = requestsOf(ids);
  const steps: Step[][] = [];
  for (const { method, path, headers } of asked) {
    taken();
    const answer = await router.fetch(new Request(`http://watchpost.test${path}`, { method, headers }));
    if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
    steps.push(taken());
  }
  return { records, requestOf: (index) => asked[index % asked.length] as Asked, status: 200, steps };
}

async function requireAcknowledged(store: Store, wanted: number): Promise<void> {
  const where = [{ field: 'status', is: '==', value: 'acknowledged' } as const];
  const acknowledged = await store.count({ in: 'alerts', where });
  if (acknowledged !== wanted) throw new Error(`${acknowledged} of ${wanted} alerts were acknowledged`);
}

async function bytesRow(api: FunctionProcess, { headers, ...asked }: Asked): Promise<Row> {
  const kib = async (encoding: string) =>
    (await api.read({ ...asked, headers: { ...headers, 'accept-encoding': encoding } })).length / 1024;
  const what = `bytes of a page of ${pageSize} to a caller that takes gzip`;
  const beside = [{ name: 'uncompressed', value: await kib('identity') }];
  return rowOf({ id: 'P12', what, unit: 'KB', ours: await kib('gzip'), beside, goal: 25 });
}
