import { afterAll, beforeAll, expect, test } from 'vitest';
import { takeDeadLetter, takeMessage } from '../../shared/app/intake/take-message.ts';
import type { Message } from '../../shared/domain/intake/pushed.ts';
import { detection } from '../support/records/detections.ts';
import { message } from '../support/records/reports.ts';
import { guardianAlert } from '../support/records/stories.ts';
import { score } from '../support/score/score.ts';
import { onStore, sizeOnStore, storesOfRun } from '../support/stores/store-of-run.ts';
import { startTestApi } from '../support/world/api.ts';
import { frames } from '../support/world/frames.ts';
import { createTestWorld, startOfTests } from '../support/world/world.ts';

const stores = storesOfRun();
let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi(createTestWorld(stores.empty()));
});
afterAll(() => api.stop());

const native = { bridgeDialect: 'native', autoRegister: true, frames } as const;
const emqx = { ...native, bridgeDialect: 'emqx' } as const;
const half = '\ud800';
const bytes = (text: string) => Buffer.from(text);

/** Reports with a lone surrogate in each of their texts, one at a time, and in an unknown member. */
function* halved(kind: string, body: object): Generator<Message> {
  const texts: [holder: Record<string, unknown>, name: string][] = [];
  const copy = structuredClone(body) as Record<string, unknown>;
  const walk = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      if (typeof member === 'string') texts.push([value as Record<string, unknown>, name]);
      walk(member);
    }
  };
  walk(copy);
  for (const [holder, name] of texts) {
    const before = holder[name];
    holder[name] = `${before}${half}`;
    yield message(kind, copy);
    holder[name] = before;
  }
  yield message(kind, { ...body, more: { a: [{ b: half }] } });
  yield message(kind, { ...body, [half]: 1 });
}

const bodies: [kind: string, body: object][] = [
  ['status', { name: 'a', groupId: 'north', bootId: 'b', serial: 's', firmware: '1', mqtt: { brokerHost: 'h' } }],
  ['connection', { status: 'offline', reason: 'r' }],
  ['event', { type: 'restarted', timestamp: startOfTests, reason: 'r', attemptedHost: 'h' }],
  ['guardian', guardianAlert('drift', ['clientId'], startOfTests)],
  ['detection', detection('session')],
];
const names = [
  '__x__',
  '__proto__',
  '',
  '.',
  '..',
  'a.b',
  'a/b',
  '`',
  '[]*~',
  half,
  'x'.repeat(1501),
  '\0',
  '__name__',
];

/** Messages that an attacker controls completely. Each must be noted in quarantine and never be delivered again. */
const refused: [message: Message, intake: typeof native | typeof emqx][] = [
  ...bodies.flatMap(([kind, body]) =>
    [...halved(kind, body)].map((each) => [each, native] as [Message, typeof native]),
  ),
  ...names.map((name): [Message, typeof native] => {
    const attributes = JSON.parse(`{${JSON.stringify(name)}:"a","deviceId":"cam-1","kind":"no kind"}`);
    return [{ ...message('status', {}), attributes }, native];
  }),
  ...names.map((name): [Message, typeof native] => [message(`kind${name}`, {}), native]),
  ...names.map((name): [Message, typeof native] => [message('status', {}, { deviceId: `:${name}` }), native]),
  ...names.map((name): [Message, typeof native] => [message('status', { [name]: half }), native]),
  // The error of JSON.parse quotes the text, and may cut it within a surrogate pair.
  ...Array.from({ length: 24 }, (_, index): [Message, typeof native] => [
    message('status', bytes(`{"a${'b'.repeat(index)}😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀`)),
    native,
  ]),
  ...Array.from({ length: 4 }, (_, index): [Message, typeof native] => [
    message('status', { [`${'a'.repeat(150 + index)}${'😀'.repeat(200_000 / 4)}`]: 1 }),
    native,
  ]),
  ...[
    `devices/cam-1${half}/status`,
    `devices/cam-1/${half}`,
    `other/${'a'.repeat(195)}😀😀`,
    `other/${'a'.repeat(194)}😀😀`,
  ].map((topic): [Message, typeof emqx] => [message('', { event: 'message.publish', topic, payload: '{}' }), emqx]),
  [message('', { event: 'message.publish', topic: 'devices/cam-1/event', payload: { a: half } }), emqx],
  [message('', { event: 'client.disconnected', clientid: 'cam-1', reason: half }), emqx],
  [message('', { topic: `devices/${'😀'.repeat(30_000)}/status`, payload: '{}' }), emqx],
  [
    {
      ...message('no kind', Buffer.alloc(900 * 1024, 'x')),
      attributes: Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`n${index}`, '\0'.repeat(1024)])),
    },
    native,
  ],
];

test('a message with a value that Firestore cannot store is quarantined once with its bytes, and is not retried', {
  timeout: 180_000,
}, async () => {
  const { world } = api;
  const tried = refused.filter((_, index) => index % sizeOnStore(1, 3) === 0);
  const through: string[] = [];
  for (const [each, intake] of tried) {
    const notified = `${JSON.stringify(each.attributes).slice(0, 100)} ${each.data.toString().slice(0, 200)}`;
    try {
      await takeMessage(world, each, intake);
      await takeDeadLetter(world, each, intake);
      const { status, body } = await api.call('POST', `/v1/quarantine/${each.messageId}/retry`);
      const isKept = body?.messageId === each.messageId && body.status === 'quarantined';
      if (!(status === 200 && isKept) && status !== 409) through.push(`${status} ${notified}`);
    } catch (error) {
      through.push(`${error} ${notified}`);
    }
  }
  expect(through).toEqual([]);
  expect(await world.store.count({ in: 'quarantine' })).toBe(tried.length);
  // Messages about an attack are noted and taken all the same.
  expect(await world.store.count({ in: 'devices' })).toBe(1);
  const { body } = await api.call('GET', '/v1/quarantine?pageSize=200');
  expect(body.reports.some(({ attributes }: { attributes: object }) => Object.keys(attributes).length === 3)).toBe(
    true,
  );
  score('S7', `messages with what no store takes${onStore}`, tried.length, through.length);
});

test('no route fails for a token, name or filter that Firestore cannot store', async () => {
  const odd = [[], ['__x__'], ['..'], ['a/b'], [''], ['x'.repeat(1501)], ['\0']];
  const paths = [
    ...[
      'devices',
      'alerts',
      'deliveries',
      'guardian-alerts',
      'rules',
      'webhooks',
      'quarantine',
      'fleet',
      'fleet/trends',
    ],
    ...['devices/cam-1', 'devices/cam-1/alerts', 'devices/cam-1/activity', 'deliveries?status=failed', 'devices?q=a'],
  ];
  const through: string[] = [];
  let tried = 0;
  const ask = async (token: string, path: string, allowed: (status: number) => boolean) => {
    tried += 1;
    const { status } = await api.call('GET', path, { token });
    if (!allowed(status)) through.push(`${path}: ${status}`);
  };
  for (const groups of odd) {
    const token = await api.issuer.token({ groups });
    for (const path of paths) await ask(token, `/v1/${path}`, (status) => status < 500);
  }
  for (const claims of [{ sub: half }, { groups: [half] }, { sub: half, groups: ['north'] }]) {
    await ask(await api.issuer.token(claims), '/v1/devices', (status) => status === 401);
  }
  const whole = await api.issuer.token();
  for (const name of ['__x__', '.', '..', '%00', 'a%2fb', '__id7__', 'x'.repeat(1501)]) {
    for (const path of ['devices', 'alerts', 'deliveries', 'rules', 'webhooks', 'teams', 'quarantine']) {
      await ask(whole, `/v1/${path}/${name}`, (status) => status < 500);
    }
  }
  score('S12', `tokens, names and filters with what no store takes${onStore}`, tried, through.length);
  expect(through).toEqual([]);
});
