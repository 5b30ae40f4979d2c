import { beforeEach, expect, test } from 'vitest';
import { createPageTokens } from '../../../../shared/adapters/auth/page-tokens.ts';
import { createMemoryStore } from '../../../../shared/adapters/memory/store.ts';
import type { Bearer } from '../../../../shared/app/bearer.ts';
import { takeDeadLetter, takeMessage } from '../../../../shared/app/intake/take-message.ts';
import { getQuarantined, listQuarantine } from '../../../../shared/app/quarantine/quarantine.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { message } from '../../../support/records/reports.ts';
import { countingStore } from '../../../support/stores/counting-store.ts';
import { frames } from '../../../support/world/frames.ts';
import { createTestWorld, startOfTests, type TestWorld } from '../../../support/world/world.ts';

const operator: Bearer = { subject: 'user:ana', scopes: new Set(['settings:read']), groups: null };
const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
const tokens = createPageTokens(Buffer.alloc(32));
const broken = (kind = 'status', given = {}) => message(kind, Buffer.from('{'), given);
const listed = async (world: TestWorld) =>
  (await listQuarantine(world, operator, { status: ['all'], pageSize: 200 }, tokens)).reports;

let counted: ReturnType<typeof countingStore>;
let timers: (() => void)[];
/** Two instances of the service on one store. Their long timers fire when the test says so. */
let instances: [TestWorld, TestWorld];
beforeEach(() => {
  counted = countingStore(createMemoryStore());
  timers = [];
  const instance = () => {
    const after: TestWorld['after'] = (ms, call) => {
      if (ms < 10_000) setImmediate(call);
      else timers.push(call);
      return {
        stop() {
          timers = timers.filter((each) => each !== call);
        },
      };
    };
    return { ...createTestWorld(counted.store), after };
  };
  instances = [instance(), instance()];
});
const settle = async () => {
  for (const call of timers.splice(0)) call();
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

test('of one device 20 messages an hour are kept whole, by whatever instances, and the rest is counted on the last of them', async () => {
  const [one, other] = instances;
  const whole = Buffer.alloc(256 * 1024, '{');
  for (let n = 0; n < 30; n += 1) await takeMessage(n % 2 ? one : other, message('status', whole), intake);
  const more = Array.from({ length: 70 }, (_, n) => takeMessage(n % 3 ? one : other, message('nonsense', {}), intake));
  await Promise.all(more);
  await settle();
  const reports = await listed(one);
  expect(reports).toHaveLength(20);
  const counts = reports.flatMap(({ suppressed }) => suppressed ?? []);
  const at = startOfTests;
  expect(counts).toEqual([{ count: 80, firstAt: at, lastAt: at, reasons: { unreadable: 10, 'unknown-kind': 70 } }]);
  const { data, truncated } = await getQuarantined(one, operator, reports[0]?.reportId ?? '');
  expect([Buffer.from(data, 'base64').equals(whole), truncated]).toEqual([true, false]);
});

test('of a larger message the first 256 KiB are kept, and it says so', async () => {
  const [one] = instances;
  const larger = Buffer.alloc(256 * 1024 + 1, '{');
  await takeMessage(one, message('status', larger), intake);
  const [report] = await listed(one);
  const { data, truncated } = await getQuarantined(one, operator, report?.reportId ?? '');
  expect([Buffer.from(data, 'base64').equals(larger.subarray(0, -1)), truncated]).toEqual([true, true]);
});

test('forty that come at once, to two instances, are kept and counted rightly too', async () => {
  const [one, other] = instances;
  await Promise.all(Array.from({ length: 40 }, (_, n) => takeMessage(n % 2 ? one : other, broken(), intake)));
  await settle();
  const reports = await listed(one);
  expect([reports.length, reports.flatMap(({ suppressed }) => suppressed?.count ?? [])]).toEqual([20, [20]]);
});

// A last will is no sign of life, so it causes no other reads and writes.
test('a flood costs a read and a write in ten seconds of each instance, and a quiet hour begins anew', async () => {
  const [one] = instances;
  for (let n = 0; n < 21; n += 1) await takeMessage(one, broken('connection'), intake);
  counted.reset();
  for (let second = 0; second < 100; second += 1) {
    for (let n = 0; n < 50; n += 1) await takeMessage(one, broken('connection'), intake);
    one.pass(1);
  }
  await settle();
  const { reads, writes } = counted.spent;
  expect(reads).toBeLessThanOrEqual(11);
  expect(writes).toBeLessThanOrEqual(11);
  expect((await listed(one)).flatMap(({ suppressed }) => suppressed?.count ?? [])).toEqual([5001]);
  await takeMessage(one, broken('connection', { publishTime: plus(startOfTests, 3600_000) }), intake);
  expect(await listed(one)).toHaveLength(21);
});

test('other devices, and messages without one, have budgets of their own', async () => {
  const [one] = instances;
  for (let n = 0; n < 25; n += 1) await takeMessage(one, broken(), intake);
  await takeMessage(one, broken('status', { deviceId: 'cam-2' }), intake);
  for (let n = 0; n < 210; n += 1) {
    await takeMessage(one, broken('status', n % 2 ? { attributes: {} } : { deviceId: `:${n}` }), intake);
  }
  await settle();
  const reports = await one.store.find({ in: 'quarantine', limit: 1000 });
  const of = (test: (id: string | null) => boolean) => reports.filter(({ data }) => test(data.deviceId));
  expect(of((id) => id === 'cam-1')).toHaveLength(20);
  expect(of((id) => id === 'cam-2')).toHaveLength(1);
  const nobody = of((id) => id === null || id.startsWith(':'));
  expect([nobody.length, nobody.flatMap(({ data }) => data.suppressed?.count ?? [])]).toEqual([200, [10]]);
});

test('a dead letter is kept whatever there is, and a message that comes again comes to its record', async () => {
  const [one, other] = instances;
  const first = broken();
  await takeMessage(one, first, intake);
  for (let n = 0; n < 3; n += 1) await takeMessage(n % 2 ? one : other, first, intake);
  for (let n = 0; n < 25; n += 1) await takeMessage(one, broken(), intake);
  const letters = Array.from({ length: 30 }, () => broken());
  for (const letter of letters) await takeDeadLetter(one, letter, intake);
  await settle();
  const reports = await listed(one);
  expect(reports.filter(({ reason }) => reason === 'dead-letter')).toHaveLength(30);
  expect(reports).toHaveLength(50);
  expect(reports.flatMap(({ suppressed }) => suppressed?.count ?? [])).toEqual([6]);
});

test('a count that the store does not take holds no message up, and is written with the next', async () => {
  const [one] = instances;
  for (let n = 0; n < 20; n += 1) await takeMessage(one, broken(), intake);
  const { commit } = one.store;
  one.store.commit = async () => Promise.reject(new Error('down'));
  await takeMessage(one, broken(), intake).catch(() => {});
  await takeMessage(one, broken(), intake);
  one.store.commit = commit;
  await settle();
  one.pass(11);
  await takeMessage(one, broken(), intake);
  expect((await listed(one)).flatMap(({ suppressed }) => suppressed?.count ?? [])).toEqual([3]);
});

test('a list carries no bytes, only the beginning of the text, in which everything can be seen', async () => {
  const [one] = instances;
  const attributes = { ...message('status', {}).attributes, ...Object.fromEntries(numbered(50)) };
  await takeMessage(one, message('status', Buffer.from(`\u202e\u0000${'x'.repeat(1000)}\n`), { attributes }), intake);
  const [report] = await listed(one);
  expect(report).not.toHaveProperty('data');
  expect(report?.excerpt).toBe(`<U+202E><U+0000>${'x'.repeat(240)}`);
  expect(report?.sizeBytes).toBe(1005);
  expect(Object.entries(report?.attributes ?? {}).every(([, value]) => value.length <= 100)).toBe(true);
  expect(Object.keys(report?.attributes ?? {})).toHaveLength(20);
  const whole = await getQuarantined(one, operator, report?.reportId ?? '');
  expect(whole.attributes).toEqual(attributes);
  await expect(getQuarantined(one, { ...operator, groups: ['north'] }, whole.reportId)).rejects.toThrow('no');
});

function numbered(most: number): [string, string][] {
  return Array.from({ length: most }, (_, n) => [`n${n}`, 'v'.repeat(1000)]);
}
