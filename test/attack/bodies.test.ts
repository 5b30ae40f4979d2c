import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Route } from '../../shared/schema/route.ts';
import { type Operation, routes } from '../../shared/schema/routes.ts';
import { uuidOf } from '../support/records/alerts.ts';
import { allRecords } from '../support/records/records.ts';
import { fitting } from '../support/records/schema-values.ts';
import { score } from '../support/score/score.ts';
import { startTestApi } from '../support/world/api.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
let token: string;
beforeAll(async () => {
  api = await startTestApi();
  token = await api.issuer.token();
});
afterAll(() => api.stop());

const all = Object.entries(routes as Record<Operation, Route>) as [Operation, Route][];
const pathOf = ({ path }: Route) =>
  path
    .replace('{kind}', 'site')
    .replace('{tile}', '0/000.p/1')
    .replaceAll(/\{\w+\}/g, uuidOf(1));
const call = ({ method }: Route, path: string, rawBody?: string, headers?: Record<string, string>) =>
  api.call(method.toUpperCase(), path, {
    token,
    ...(rawBody === undefined ? {} : { rawBody }),
    ...(headers ? { headers } : {}),
  });

/** Yields the value as JSON text once for each of its objects, with the member added to that object. */
function* withMember(value: unknown, member: string): Generator<string> {
  const objects: object[] = [];
  JSON.stringify(value, (_, each) => {
    if (typeof each === 'object' && each !== null && !Array.isArray(each)) objects.push(each);
    return each;
  });
  for (const target of objects) {
    const marked = JSON.stringify(value, (_, each) => (each === target ? { ...each, '@@': 0 } : each));
    yield marked.replace('"@@":0', () => member);
  }
}

test('no body or query changes a prototype, and each one that tries is refused', async () => {
  const members = ['__proto__', 'constructor', 'prototype', '__defineGetter__'].map(
    (name) => `"${name}":{"polluted":true,"prototype":{"polluted":true}}`,
  );
  const through: string[] = [];
  let tried = 0;
  for (const [operation, route] of all) {
    const attempts: [string, string | undefined][] = [];
    if (route.body) {
      const value = fc.sample(fitting(route.body, []), { numRuns: 1, seed: 7 })[0];
      for (const member of members) for (const body of withMember(value, member)) attempts.push([pathOf(route), body]);
    }
    if (route.scope && route.path !== '/v1/stream') {
      for (const name of [
        '__proto__',
        '__proto__[polluted]',
        'constructor',
        'constructor.prototype.polluted',
        'hasOwnProperty',
      ]) {
        attempts.push([`${pathOf(route)}?${encodeURIComponent(name)}=1`, route.body ? '{}' : undefined]);
      }
    }
    for (const [path, body] of attempts) {
      tried += 1;
      const { status, body: answer } = await call(route, path, body);
      // An import answers 200 with a result for each line. The body counts as refused if every line was refused.
      const isRefused = status === 400 || (status === 200 && answer.counts?.refused === answer.results?.length);
      if (!isRefused) through.push(`${operation} ${path} ${body}: ${status}`);
    }
  }
  score('S5', 'members of prototypes in bodies and queries', tried, through.length);
  expect(through).toEqual([]);
  expect(tried).toBeGreaterThan(200);
  expect(({} as { polluted?: true }).polluted).toBeUndefined();
  expect(Object.keys(Object.prototype)).toEqual([]);
});

const breaks = [
  '\r\n',
  '\n',
  '\r',
  '\u0000',
  '\u000b',
  '\u001b[2J',
  '\u007f',
  '\ud800',
  '\r\nX-Injected: 1\r\n\r\nGET / HTTP/1.1',
];
const url = 'https://hooks.example.com/';
const ruleOf = (name: string) => ({ name, condition: { code: '*' }, action: { priority: 'P1' } });
const places: [string, string, (text: string) => unknown][] = [
  ['POST', '/v1/webhooks', (text) => ({ url, headers: { [`X-A${text}`]: 'a' } })],
  ['POST', '/v1/webhooks', (text) => ({ url, headers: { 'X-A': `a${text}b` } })],
  ['POST', '/v1/webhooks', (text) => ({ url: `${url}${text}` })],
  ['POST', '/v1/webhooks', (text) => ({ url: `https://hooks${text}.example.com/` })],
  ['POST', '/v1/webhooks', (text) => ({ url, filter: { groups: [`north${text}`] } })],
  ['POST', '/v1/webhooks', (text) => ({ url, filter: { devices: [`cam${text}`] } })],
  ['POST', '/v1/webhooks', (text) => ({ url, filter: { objects: [`a${text}`] } })],
  ['POST', '/v1/webhooks', (text) => ({ url, filter: { schedule: `a${text}` } })],
  ['POST', '/v1/webhooks', (text) => ({ url, method: `POST${text}` })],
  ['POST', '/v1/rules', (text) => ruleOf(`a${text}b`)],
  ['POST', '/v1/rules', (text) => ({ ...ruleOf('a'), condition: { code: `*${text}` } })],
  ['POST', '/v1/rules', (text) => ({ ...ruleOf('a'), condition: { code: '*', group: [`north${text}`] } })],
  ['POST', '/v1/rules', (text) => ({ ...ruleOf('a'), action: { escalate_to: `team${text}` } })],
  ['PUT', '/v1/teams/night', (text) => ({ emails: [`a@example.com${text}`] })],
  ['PUT', '/v1/teams/night', (text) => ({ emails: [`a${text}@example.com`] })],
  ['PUT', '/v1/teams/night', (text) => ({ phones: [`+46701234567${text}`] })],
  ['PUT', '/v1/teams/night', (text) => ({ chats: [{ kind: 'slack', url: `https://hooks.slack.com/${text}` }] })],
  ['POST', '/v1/teams/operations/test', (text) => ({ text: `a${text}b` })],
  ['PATCH', '/v1/devices/cam-1', (text) => ({ name: `a${text}b` })],
  ['PATCH', '/v1/devices/cam-1', (text) => ({ groupId: `a${text}` })],
  [`POST`, `/v1/alerts/${uuidOf(1)}/acknowledge`, (text) => ({ comment: `a${text}b` })],
  [`POST`, `/v1/alerts/${uuidOf(1)}/resolve`, (text) => ({ comment: `a${text}b` })],
];
const refusedHeaders = [
  ...[
    'Host',
    'Connection',
    'Transfer-Encoding',
    'Content-Length',
    'Content-Type',
    'TE',
    'Trailer',
    'Upgrade',
    'Expect',
    'Keep-Alive',
  ],
  ...[
    'Proxy-Authorization',
    'Proxy-Connection',
    'User-Agent',
    'X-Service-Signature',
    'X-Service-Timestamp',
    'webhook-id',
    'webhook-signature',
  ],
  ...[
    'X-CloudTasks-TaskName',
    'X-Goog-Authenticated-User-Email',
    'HTTP2-Settings',
    '__proto__',
    '',
    ' ',
    'a b',
    'a:b',
    'ö',
    '(x)',
    'a\u0000',
  ],
];

test('text that could break out of a header, a line or an address is refused', async () => {
  const before = await allRecords(api.world.store);
  const cases = [
    ...places.flatMap(([method, path, of]) =>
      breaks.flatMap((text) => [text, `${text}x`].map((each) => [method, path, JSON.stringify(of(each))] as const)),
    ),
    ...refusedHeaders.flatMap((name) =>
      [name, name.toUpperCase(), name.toLowerCase()].map(
        (each) => ['POST', '/v1/webhooks', `{"url":"${url}","headers":{${JSON.stringify(each)}:"a"}}`] as const,
      ),
    ),
  ];
  const through: string[] = [];
  for (const [method, path, rawBody] of cases) {
    const { status } = await api.call(method, path, { token, rawBody });
    if (status !== 400) through.push(`${method} ${path} ${rawBody}: ${status}`);
  }
  score('S4', 'broken lines and refused headers', cases.length, through.length);
  expect(through).toEqual([]);
  expect(cases.length).toBeGreaterThan(300);
  expect(await allRecords(api.world.store)).toEqual(before);
});

/** A stream without an end, which counts the bytes that were pulled. */
function endless() {
  let given = 0;
  const chunk = new Uint8Array(16 * 1024).fill(97);
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      given += chunk.length;
      controller.enqueue(chunk);
    },
  });
  return { stream, given: () => given };
}

test('no body is read beyond its limit, whatever length its headers claim', async () => {
  const writing = all.filter(([, route]) => route.body);
  const through: string[] = [];
  let tried = 0;
  const note = (title: string, status: number, allowed: number[]) => {
    tried += 1;
    if (!allowed.includes(status)) through.push(`${title}: ${status}`);
  };
  for (const [operation, route] of writing) {
    for (const headers of [
      { 'Transfer-Encoding': 'chunked' },
      { 'Transfer-Encoding': 'chunked', 'Content-Length': '10' },
      { 'Content-Length': '999999999999' },
    ]) {
      const { stream, given } = endless();
      const init = { method: route.method.toUpperCase(), body: stream, duplex: 'half' };
      const sent = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers };
      const response = await api.fetch(
        new Request(`http://watchpost.test${pathOf(route)}`, { ...init, headers: sent } as RequestInit),
      );
      note(`${operation} endless ${JSON.stringify(headers)}`, response.status, [413]);
      if (given() > (route.maxBodyBytes ?? 64 * 1024) + 192 * 1024) through.push(`${operation} read ${given()} bytes`);
    }
    for (const [title, rawBody] of [
      ['deep lists', '['.repeat(60_000)],
      ['deep lists that end', '['.repeat(30_000) + ']'.repeat(30_000)],
      ['deep objects', '{"a":'.repeat(10_000) + 1 + '}'.repeat(10_000)],
      ['10,000 members', `{${Array.from({ length: 6000 }, (_, index) => `"k${index}":1`)}}`],
      ['100,000 members', `{${Array.from({ length: 100_000 }, (_, index) => `"k${index}":1`)}}`],
      ['a number of many digits', `{"minutes":${'9'.repeat(60_000)}}`],
      ['a letter cut in half', '{"text":"\ud800'],
    ] as const) {
      note(`${operation} ${title}`, (await call(route, pathOf(route), rawBody)).status, [400, 413]);
    }
    note(`${operation} packed`, (await call(route, pathOf(route), '{}', { 'Content-Encoding': 'gzip' })).status, [415]);
  }
  score('S7', 'bodies without end, without bottom, packed', tried, through.length);
  expect(through).toEqual([]);
  expect(tried).toBeGreaterThan(60);
});

test('a header named like a member of every object is a header like any other', async () => {
  const headers = { constructor: '***', toString: '***', valueOf: 'a' };
  const { status, body } = await api.call('POST', '/v1/webhooks', { token, body: { url, headers } });
  expect([status, body.headers]).toEqual([201, headers]);
});
