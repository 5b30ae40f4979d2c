import { createMemoryStore } from '../../shared/adapters/memory/store.ts';
import type { Store } from '../../shared/app/ports.ts';
import { openTestAlert } from '../support/records/alerts.ts';
import { createTestRouter } from '../support/world/api.ts';
import { createTestWorld } from '../support/world/world.ts';
import { type Asked, type Cpu, measureOperation, operationRow, startFunction } from './frame/function-process.ts';
import { copyRecords, inAnHour, type Platform, startPlatform } from './frame/platform.ts';
import { type Bench, type Row, rowOf } from './frame/row.ts';
import { recordSteps, type Step } from './frame/steps.ts';

const sizes = {
  tiny: { count: 20, rounds: 1 },
  quick: { count: 400, rounds: 3 },
  full: { count: 1000, rounds: 7 },
};
const pageSize = 50;
const listed = 60;

/** N7: acknowledgements by `api`. P13: GET of one alert and of a page. P12: bytes of a page. */
export const measure: Bench = async ({ size, against }) => {
  const plan = sizes[size];
  const platform = await startPlatform();
  try {
    const token = await platform.issuer.token(inAnHour());
    const headers = { authorization: `Bearer ${token}` };
    const get = (path: string): Asked => ({ method: 'GET', path, headers });
    const list = await played(platform, listed, ([first = '']) => [
      get(`/v1/alerts/${first}`),
      get(`/v1/alerts?pageSize=${pageSize}`),
    ]);
    const read = (index: number) => {
      const [asked, steps] = [list.asked[index] as Asked, [list.steps[index] ?? []]];
      const operation = { of: 'api', records: list.records, requestOf: () => asked, status: 200, steps } as const;
      return measureOperation(platform, operation, { ...plan, against });
    };
    const operations = plan.count * (plan.rounds + 1);
    const acknowledged = await played(platform, operations, (ids) =>
      ids.map((id) => ({ method: 'POST', path: `/v1/alerts/${id}/acknowledge`, headers })),
    );
    const acknowledgement = await measureOperation(
      platform,
      {
        of: 'api',
        records: acknowledged.records,
        requestOf: (index) => acknowledged.asked[index] as Asked,
        status: 200,
        steps: acknowledged.steps,
        check: (store) => requireAcknowledged(store, operations),
      },
      { ...plan, against },
    );
    const row = (cpu: Cpu, id: string, what: string, goal: number, moonshot: number | null = null) =>
      operationRow(cpu, { id, what: `${what}: CPU above the framework's no-op`, isAboveNoOp: true, goal, moonshot });
    return [
      row(acknowledgement, 'N7', 'acknowledgement, tasks answering', 0.6),
      row(await read(0), 'P13', 'GET one alert', 1.5),
      row(await read(1), 'P13', `page of ${pageSize}`, 1.5),
      await pageRow(platform, list.records, list.asked[1] as Asked),
    ];
  } finally {
    await platform.stop();
  }
};

/** Opens alerts on the twin and sends requests to the API there. @returns the records before the requests, and the steps of each */
async function played(platform: Platform, alerts: number, requestsOf: (ids: readonly string[]) => Asked[]) {
  const twin = createMemoryStore();
  const { store, waker, taken } = recordSteps(twin);
  const world = { ...createTestWorld(store), now: () => new Date().toISOString() };
  const ids: string[] = [];
  while (ids.length < alerts) ids.push(await openTestAlert(world));
  const records = twin.snapshot();
  const { router } = createTestRouter(
    { ...world, waker },
    { issuer: platform.issuer.url, allowHosts: [], groupsClaim: { name: 'groups', isOptional: true } },
  );
  const asked = requestsOf(ids);
  const steps: Step[][] = [];
  for (const { method, path, headers } of asked) {
    taken();
    const answer = await router.fetch(new Request(`http://watchpost.test${path}`, { method, headers }));
    if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
    steps.push(taken());
  }
  return { records, asked, steps };
}

async function requireAcknowledged(store: Store, wanted: number): Promise<void> {
  const where = [{ field: 'status', is: '==', value: 'acknowledged' } as const];
  const acknowledged = await store.count({ in: 'alerts', where });
  if (acknowledged !== wanted) throw new Error(`${acknowledged} of ${wanted} alerts were acknowledged`);
}

async function pageRow(platform: Platform, records: string, { headers, ...asked }: Asked): Promise<Row> {
  const { environment, store } = platform.newProject();
  await copyRecords(records, store);
  const api = await startFunction('api', environment);
  const kb = async (encoding: string) =>
    (await api.read({ ...asked, headers: { ...headers, 'accept-encoding': encoding } })).length / 1024;
  try {
    const what = `bytes of a page of ${pageSize} to a caller that takes gzip`;
    const beside = [{ name: 'uncompressed', value: await kb('identity') }];
    return rowOf({ id: 'P12', what, unit: 'KB', ours: await kb('gzip'), beside, goal: 25 });
  } finally {
    await api.stop();
  }
}
