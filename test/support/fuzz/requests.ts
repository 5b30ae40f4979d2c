import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import type { TSchema } from 'typebox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { takeMessage } from '../../../shared/app/intake/take-message.ts';
import { newDelivery } from '../../../shared/domain/delivery/delivery.ts';
import { Problem } from '../../../shared/schema/problem.ts';
import type { Route } from '../../../shared/schema/route.ts';
import { identifierPattern, type Operation, parameterPatterns, routes } from '../../../shared/schema/routes.ts';
import { giveTeam, openTestAlert, uuidOf } from '../records/alerts.ts';
import { detection } from '../records/detections.ts';
import { message } from '../records/reports.ts';
import { broken, fitting, junk } from '../records/schema-values.ts';
import { score } from '../score/score.ts';
import { onStore, storesOfRun } from '../stores/store-of-run.ts';
import { startTestApi } from '../world/api.ts';
import { description } from '../world/described.ts';
import { frames } from '../world/frames.ts';
import { createTestWorld } from '../world/world.ts';

const seed = Number(process.env['SEED'] ?? 20_261_121);

const ajv = new Ajv2020.default({ strict: false, allErrors: true });
addFormats.default(ajv);
const isProblem = ajv.compile(structuredClone(Problem));

type Shot = { path: string; body: string | null; headers: Record<string, string> };

let api: Awaited<ReturnType<typeof startTestApi>>;
let tokens: string[];
let ids: string[];

/** Stores records of several kinds. @returns their ids, which the requests then use */
async function populate(): Promise<string[]> {
  const { world } = api;
  const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
  const send = (kind: string, body: object) =>
    takeMessage(world, message(kind, body, { messageId: `m-${kind}` }), intake);
  await send('status', { groupId: 'north', memory: { usedPercent: 95 } });
  await send('detection', detection('session-1'));
  await send('event', { type: 7 });
  const alertIds = [];
  for (let index = 0; index < 5; index += 1)
    alertIds.push(await openTestAlert(world, { deviceId: 'cam-1', code: index % 2 ? 'SEC_001' : 'RES_004' }));
  await giveTeam(world, 'night', { emails: ['night@example.com'] });
  const rule = { name: 'one', condition: { code: '*' }, action: { priority: 'P2' } };
  const { ruleId } = (await api.call('POST', '/v1/rules', { body: rule })).body;
  const { webhookId } = (
    await api.call('POST', '/v1/webhooks', {
      body: { url: 'https://hooks.example.com/', filter: { groups: ['north'] } },
    })
  ).body;
  const deliveryId = uuidOf(4242);
  const target = { kind: 'webhook' as const, webhookId };
  const event = { eventType: 'alert', eventId: 'e', alertId: null, deviceId: null, groupId: 'north', body: '{}' };
  const data = newDelivery(
    { deliveryId, channel: 'webhook', target, targetName: webhookId, ...event, maxAttempts: 3 },
    world.now(),
    'held',
  );
  await world.store.commit([{ kind: 'create', in: 'deliveries', id: deliveryId, data }]);
  return [...alertIds, ruleId, webhookId, deliveryId, 'cam-1', 'm-event', 'night', 'operations', 'north'];
}

/** Requests to one route: some are valid, some are invalid in the body, query, path or headers. */
function shotsAt(operation: Operation, route: Route): fc.Arbitrary<Shot> {
  // With the id of an endpoint, its test would send a real request.
  const known = operation === 'testWebhook' ? [] : ids;
  const path = pathOf(route, known);
  const query = route.query ? fitting(route.query, known) : fc.constant({});
  const body = route.body ? fitting(route.body, known) : fc.constant(null);
  const odd = fc.dictionary(
    fc.oneof(fc.constantFrom('pageToken', 'pageSize', '__proto__', 'since', 'groupId', 'x'), fc.string()),
    junk,
    { maxKeys: 3 },
  );
  return fc
    .record({
      path,
      query: fc.oneof(
        { weight: 3, arbitrary: query },
        { weight: 1, arbitrary: odd },
        { weight: 1, arbitrary: broken(query) },
      ),
      body: fc.oneof({ weight: 3, arbitrary: body }, { weight: 2, arbitrary: route.body ? broken(body) : body }),
      raw: fc.oneof(
        { weight: 12, arbitrary: fc.constant(null) },
        { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
      ),
      headers: fc.oneof({ weight: 6, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: oddHeaders }),
    })
    .map(({ path: at, query: asked, body: sent, raw, headers }) => ({
      path: `${at}${searchOf(asked)}`,
      body: route.method === 'get' ? null : (raw ?? (route.body ? (JSON.stringify(sent) ?? null) : null)),
      headers,
    }));
}

const oddHeaders: fc.Arbitrary<Record<string, string>> = fc.constantFrom<Record<string, string>>(
  { 'If-Match': '"1"' },
  { 'If-Match': '"999999999999999"' },
  { 'If-Match': 'W/"x"' },
  { 'If-Match': '*' },
  { 'Content-Type': 'text/plain' },
  { 'Content-Type': '' },
  { 'Content-Encoding': 'gzip' },
  { 'Last-Event-ID': '2026-13-45T99:99:99.999Z~x' },
  { 'Last-Event-ID': '2026-11-20T00:00:00.000Z~x' },
  { Origin: 'null' },
);

function pathOf(route: Route, known: readonly string[]): fc.Arbitrary<string> {
  const path = route.path.replace('{kind}', 'site');
  const parameter = /\{(\w+)\}/.exec(path)?.[1];
  if (!parameter) return fc.constant(path);
  const pattern = new RegExp(parameterPatterns[parameter] ?? identifierPattern);
  const fits = known.filter((id) => pattern.test(id));
  const named = fits.length > 0 ? fc.constantFrom(...fits) : fc.stringMatching(pattern);
  const odd = fc.oneof(
    fc.stringMatching(pattern),
    fc.constantFrom('__proto__', 'constructor', '.', '..', '%', '%zz', '%c0%af', '%00', 'a%2fb', ' ', '%F0%9F%8E%A5'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 10 }).map((text) => encodeURIComponent(text.toWellFormed())),
  );
  return fc
    .oneof({ weight: 4, arbitrary: named }, { weight: 1, arbitrary: odd })
    .map((id) => path.replace(/\{\w+\}/, () => id));
}

function searchOf(asked: unknown): string {
  if (typeof asked !== 'object' || asked === null) return '';
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(asked)) {
    for (const each of Array.isArray(value) ? value : [value])
      search.append(name, typeof each === 'string' ? each : JSON.stringify(each));
  }
  return search.size > 0 ? `?${search}` : '';
}

/** Sends a request. @returns what is wrong with the answer; null: it matches the API description */
async function faultOf(
  route: Route,
  shot: Shot,
  token: string,
  fits: ((value: unknown) => boolean) | null,
): Promise<string | null> {
  const { body, headers } = shot;
  const sent =
    body === null ? {} : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) };
  const response = await api.fetch(
    new Request(`http://watchpost.test${shot.path}`, {
      method: route.method.toUpperCase(),
      headers: { Authorization: `Bearer ${token}`, ...sent, ...headers },
      ...(body === null ? {} : { body }),
    }),
  );
  const { status } = response;
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream')) {
    await response.body?.cancel();
    return null;
  }
  const text = await response.text();
  const notified = () => `${status} ${text.slice(0, 300)}`;
  // The segments `.` and `..` make an address of another path.
  const isOfRoute = !/\/\.\.?(\/|\?|$)/.test(shot.path);
  if (isOfRoute && !(status in (description.paths[route.path]?.[route.method]?.responses ?? {})))
    return `not described: ${notified()}`;
  if (status >= 500)
    return `${notified()} ${JSON.stringify(api.world.lines.findLast(({ event }) => event === 'request.failed')?.fields).slice(0, 700)}`;
  if (status >= 400) {
    const problem = JSON.parse(text);
    return type === 'application/problem+json' && isProblem(problem) && problem.status === status ? null : notified();
  }
  if (text === '') return status === 204 && route.answer === null ? null : notified();
  if (route.media === 'text/plain') return status === 200 && type.startsWith(route.media) ? null : notified();
  if (route.formats?.some((format) => type.startsWith(format))) return status === 200 ? null : notified();
  if (type !== 'application/json' || !fits) return notified();
  return fits(JSON.parse(text)) ? null : `${notified()} ${ajv.errorsText((fits as { errors?: [] }).errors ?? null)}`;
}

/**
 * Registers a test that sends random requests to routes of the API, some valid and some not.
 * @param requests number in all, if every route had its share
 * @param part every how many routes one is tried, from the first-th on
 */
export function registerFuzz(requests: number, { first, every }: { first: number; every: number }): void {
  const stores = storesOfRun();
  beforeAll(async () => {
    api = await startTestApi(createTestWorld(stores.empty()));
    tokens = [await api.issuer.token(), await api.issuer.token({ groups: ['north'] })];
    ids = await populate();
  });
  afterAll(() => api.stop());

  test('no request makes a route fail with a 5xx or give an answer that its schema does not allow', {
    timeout: 600_000,
  }, async () => {
    const routesOfApi = Object.entries(routes as Record<Operation, Route>) as [Operation, Route][];
    const each = Math.ceil(requests / routesOfApi.length);
    const faults: string[] = [];
    let tried = 0;
    let through = 0;
    for (const [operation, route] of routesOfApi.filter((_, index) => index % every === first)) {
      const own = await faultsAt(operation, route, each);
      tried += each;
      through += own.length;
      faults.push(...own.slice(0, 3));
    }
    score('S12', `requests of a fuzzer at every route${onStore}`, tried, through);
    expect(faults, `seed ${seed}`).toEqual([]);
  });
}

async function faultsAt(operation: Operation, route: Route, count: number): Promise<string[]> {
  const fits = route.answer ? ajv.compile(structuredClone(route.answer as TSchema)) : null;
  const own: string[] = [];
  for (const [index, shot] of fc.sample(shotsAt(operation, route), { numRuns: count, seed }).entries()) {
    const fault = await faultOf(route, shot, tokens[index % 2] ?? '', fits);
    if (fault)
      own.push(`${operation} ${shot.path} ${JSON.stringify(shot.headers)} ${shot.body?.slice(0, 300)}: ${fault}`);
  }
  return own;
}
