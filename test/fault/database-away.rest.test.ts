import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Emulator, missingForEmulators, startEmulator } from '../../local/cloud/emulators.ts';
import { startFunctions } from '../../local/cloud/function-host.ts';
import { freePort } from '../support/net/free-port.ts';
import { uuidOf } from '../support/records/alerts.ts';
import { functionSettings } from '../support/stack/built-function.ts';
import { until } from '../support/stack/stack.ts';
import { description } from '../support/world/described.ts';
import { issuerSetting, startTestIssuer } from '../support/world/issuer.ts';

const missing = missingForEmulators();
if (missing && process.env['CI'] === 'true') throw new Error(`${missing} is missing.`);

/** Routes that answer from what the process knows, or, like the ledger's, from a bucket, which is not there either. */
const withoutDatabase = ['getMe', 'getOpenApi', 'getEgressRanges', 'getCheckpoint', 'getTile', 'getProof'];

type Described = { operationId: string; requestBody?: { content: Record<string, { examples: Record<string, Ref> }> } };
type Ref = { $ref: string };

/** What a route demands beside its path and body. */
const queries: Record<string, string> = {
  getAvailability: '?from=2026-10-01T00:00:00.000Z&to=2026-11-01T00:00:00.000Z',
};

/** A request to every route of this function, with the example of its body in the description of the API. */
const requests = Object.entries(description.paths)
  .filter(([path]) => path !== '/health' && path !== '/ready')
  .flatMap(([path, operations]) =>
    Object.entries(operations as unknown as Record<string, Described>).map(([method, { operationId, requestBody }]) => {
      const [example] = Object.values(requestBody?.content['application/json']?.examples ?? {});
      const body = example && description.components.examples[example.$ref.split('/').at(-1) ?? '']?.value;
      const ids: Record<string, string> = { kind: 'site', name: 'operations', tile: '0/000' };
      return {
        operationId,
        path: path.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name] ?? uuidOf(7)) + (queries[operationId] ?? ''),
        init: {
          method: method.toUpperCase(),
          ...(body === undefined
            ? {}
            : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
        },
      };
    }),
  );

const atOnce = 25;

/** The function `api` as the platform runs it, with the real client of the database. */
describe.skipIf(missing)('while the database is away', () => {
  let emulator: Emulator;
  let api: { stop(): Promise<void> };
  let issuer: Awaited<ReturnType<typeof startTestIssuer>>;
  let base: string;
  let token: string;
  let port: number;
  const startDatabase = async () => {
    emulator = await startEmulator('firestore', { port });
  };
  beforeAll(async () => {
    port = await freePort();
    const [apiPort, started] = await Promise.all([freePort(), startTestIssuer(), startDatabase()]);
    issuer = started;
    const environment = {
      ...functionSettings(apiPort),
      PATH: process.env['PATH'] ?? '',
      STORE: 'firestore',
      FIRESTORE_EMULATOR_HOST: emulator.host,
      AUTH_ISSUERS: issuerSetting({ issuer: issuer.url }),
      REQUESTS_PER_MINUTE: '1000000',
    };
    api = await startFunctions({
      functions: [{ name: 'api', port: apiPort, environment }],
      snapshotFile: null,
      builtFolder: null,
    });
    base = `http://127.0.0.1:${apiPort}`;
    token = await issuer.token();
  });
  afterAll(async () => {
    await api?.stop();
    await Promise.all([emulator?.stop(), issuer?.stop()]);
  });

  const ask = async (path: string, { headers, ...init }: RequestInit = {}) => {
    const startedAt = performance.now();
    const response = await fetch(`${base}${path}`, {
      ...init,
      headers: { Authorization: `Bearer ${token}`, ...(headers as Record<string, string>) },
      redirect: 'error',
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, tookMs: performance.now() - startedAt };
  };
  const answersAgain = async () =>
    until('the database answers again', async () => (await ask('/v1/alerts')).status === 200);
  /** What is wrong with the answers of all routes, asked some at a time: this process also makes the requests. */
  const faultsOfAll = async () => {
    const faults: string[] = [];
    for (let first = 0; first < requests.length; first += atOnce)
      faults.push(...(await Promise.all(requests.slice(first, first + atOnce).map(faultsOf))).flat());
    return faults;
  };
  const faultsOf = async ({ operationId, path, init }: (typeof requests)[number]) => {
    const { status, headers, text, tookMs } = await ask(path, init);
    // A batch has an answer for each alert.
    const isAway =
      operationId === 'actOnAlerts'
        ? JSON.parse(text).results?.[0].problem.code === 'unavailable'
        : status === 503 && headers.get('Retry-After') === '5' && JSON.parse(text).code === 'unavailable';
    if ((isAway || withoutDatabase.includes(operationId)) && tookMs < 5000) return [];
    return [`${operationId} ${path}: ${status} after ${Math.round(tookMs)} ms ${text.slice(0, 200)}`];
  };

  test('every route answers 503 with Retry-After within 5 s when the database hangs, and works again when it does not', async () => {
    await answersAgain();
    process.kill(emulator.pid, 'SIGSTOP');
    try {
      expect(await faultsOfAll()).toEqual([]);
    } finally {
      process.kill(emulator.pid, 'SIGCONT');
    }
    await answersAgain();
  });

  test('every route answers 503 with Retry-After within 5 s when the database is gone, and works again when it is back', async () => {
    await answersAgain();
    await emulator.stop();
    try {
      expect(await faultsOfAll()).toEqual([]);
    } finally {
      await startDatabase();
    }
    await answersAgain();
  });

  test('the page of a link says so too', async () => {
    process.kill(emulator.pid, 'SIGSTOP');
    try {
      const { status, headers, text, tookMs } = await ask(`/t/${'a'.repeat(22)}`);
      expect([status, headers.get('Retry-After'), headers.get('Content-Type')]).toEqual([
        503,
        '5',
        'text/html; charset=utf-8',
      ]);
      expect(text).toContain('The database does not answer.');
      expect(tookMs).toBeLessThan(5000);
    } finally {
      process.kill(emulator.pid, 'SIGCONT');
    }
  });
});
