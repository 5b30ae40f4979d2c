import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { BridgeMessage } from '../../../bridge/forward/message.ts';
import { createPacker, type Packer } from '../../../bridge/forward/packer.ts';
import { createMetrics } from '../../../bridge/process/metrics.ts';
import { isPack, unpacked } from '../../../shared/domain/intake/pack.ts';

type Published = { message: BridgeMessage; resolve: () => void; reject: (error: Error) => void };
let published: Published[];
let now: number;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  [published, now] = [[], 0];
});
afterEach(() => void vi.useRealTimers());

const create = (given: { above?: number; window?: number } = {}): Packer =>
  createPacker(
    {
      publish: (message) => new Promise((resolve, reject) => void published.push({ message, resolve, reject })),
      above: 3,
      window: 2000,
      now: () => now,
      ...given,
    },
    createMetrics(),
  );
const said = (deviceId: string, text: string | Buffer = '{}', kind = 'status'): BridgeMessage => ({
  data: Buffer.from(text),
  attributes: { deviceId, kind },
  orderingKey: deviceId,
});
/** The entries of each pack, and messages that are alone, as the service reads them. */
const entriesIn = ({ message }: Published) => {
  const pushed = { messageId: 'p', publishTime: '2026-11-24T10:00:00.000Z', ...message };
  if (!isPack(pushed, 'native')) return [{ message: pushed, refused: null }];
  return unpacked(gunzipSync(message.data).toString(), pushed) ?? [];
};
const textsIn = (each: Published) => entriesIn(each).map(({ message }) => message.data.toString());
/** Waits until compression has ended, which is work of another thread. */
const until = (count: number) => vi.waitFor(() => expect(published).toHaveLength(count), { interval: 1 });
const busy = async (packer: Packer) => {
  for (let n = 0; n < 3; n += 1) void packer.publish(said('cam-busy', `before ${n}`));
  for (const { resolve } of published.splice(0)) resolve();
};

test('while few messages come, each is published at once, as it is', () => {
  const packer = create();
  for (let n = 0; n < 10; n += 1) {
    now += 400;
    void packer.publish(said(`cam-${n}`));
  }
  expect(published.map(({ message }) => message.orderingKey)).toEqual(Array.from({ length: 10 }, (_, n) => `cam-${n}`));
});

test('while many come, those of a lane go as one, with their bytes, kinds and ages, after 2 s', async () => {
  const packer = create();
  await busy(packer);
  const bytes = Buffer.from([0, 255, 10, 34]);
  const done: string[] = [];
  for (const [index, message] of [
    said('cam-1', '{"a":"ü"}'),
    said('cam-1', bytes, 'event'),
    said('cam-1', '3'),
  ].entries()) {
    now = index * 500;
    void packer.publish(message).then(() => done.push('done'));
    vi.advanceTimersByTime(45);
  }
  now = 2000;
  vi.advanceTimersByTime(2000);
  await until(1);
  const [pack] = published;
  if (!pack) throw new Error('no pack');
  expect(pack.message.attributes).toEqual({ 'watchpost-bridge': '{"partition":1,"of":1,"entries":3}' });
  const entries = entriesIn(pack).map(({ message }) => message);
  expect(entries.map(({ data }) => data)).toEqual([Buffer.from('{"a":"ü"}'), bytes, Buffer.from('3')]);
  expect(entries.map(({ attributes }) => attributes['kind'])).toEqual(['status', 'event', 'status']);
  expect(entries.map(({ publishTime }) => publishTime)).toEqual([
    '2026-11-24T09:59:58.000Z',
    '2026-11-24T09:59:58.500Z',
    '2026-11-24T09:59:59.000Z',
  ]);
  expect(done).toEqual([]);
  pack.resolve();
  await vi.waitFor(() => expect(done).toHaveLength(3));
});

test('a pack holds at most 200 messages and 512 KB, and a large message goes alone', async () => {
  const packer = create();
  await busy(packer);
  for (let n = 0; n < 200; n += 1) void packer.publish(said('cam-1', String(n)));
  await until(1);
  expect(published.map((each) => textsIn(each).length)).toEqual([200]);
  published.pop()?.resolve();
  for (let n = 0; n < 9; n += 1) void packer.publish(said('cam-1', 'x'.repeat(60_000)));
  await until(1);
  expect(published.map((each) => textsIn(each).length)).toEqual([9]);
  published[0]?.resolve();
  void packer.publish(said('cam-1', 'y'.repeat(65_537)));
  await until(2);
  expect(published[1]?.message.orderingKey).toBe('cam-1');
});

test('what waits is published when nothing comes for a moment, because the broker may wait for it', async () => {
  const packer = create();
  await busy(packer);
  void packer.publish(said('cam-1', '1'));
  void packer.publish(said('cam-1', '2'));
  vi.advanceTimersByTime(49);
  expect(published).toEqual([]);
  vi.advanceTimersByTime(1);
  await until(1);
});

test('half of what the broker sends without an acknowledgement is the most that waits', async () => {
  const packer = create({ window: 20 });
  await busy(packer);
  for (let n = 0; n < 11; n += 1) void packer.publish(said('cam-1', String(n)));
  await until(2);
  expect(published.map((each) => textsIn(each).length)).toEqual([10, 1]);
});

test('a device stays in its lane, in order, also when few come again', async () => {
  const packer = create();
  await busy(packer);
  void packer.publish(said('cam-1', 'first'));
  now = 5000;
  void packer.publish(said('cam-1', 'second'));
  void packer.publish(said('cam-busy', 'elsewhere'));
  packer.flush();
  await until(2);
  expect(published.map(textsIn).toSorted()).toEqual([['elsewhere'], ['first', 'second']]);
});

test('packs of a lane are published in their order, however long their compression takes', async () => {
  const packer = create();
  await busy(packer);
  const large = 'x'.repeat(50_000);
  for (const texts of [
    [large, large, large],
    ['4', '5'],
    ['6', '7'],
  ]) {
    for (const text of texts) void packer.publish(said('cam-1', text));
    packer.flush();
  }
  await until(3);
  expect(published.map(textsIn)).toEqual([
    [large, large, large],
    ['4', '5'],
    ['6', '7'],
  ]);
});

test('a message that is alone in its lane, and a canary, are published as they are', async () => {
  const packer = create();
  await busy(packer);
  void packer.publish({ ...said('watchpost', '{}', 'canary'), attributes: { 'watchpost-bridge': '{}' } });
  expect(published).toHaveLength(1);
  void packer.publish(said('cam-1', 'alone'));
  packer.flush();
  await until(2);
  expect(published[1]?.message).toEqual(said('cam-1', 'alone'));
});

test('if Pub/Sub refuses a pack, its messages are published one by one', async () => {
  const packer = create();
  await busy(packer);
  const outcomes: string[] = [];
  for (const text of ['good', 'bad'])
    void packer.publish(said('cam-1', text)).then(
      () => outcomes.push(`${text} taken`),
      () => outcomes.push(`${text} refused`),
    );
  packer.flush();
  await until(1);
  published[0]?.reject(new Error('3 INVALID_ARGUMENT'));
  await until(3);
  published[1]?.resolve();
  published[2]?.reject(new Error('3 INVALID_ARGUMENT'));
  await vi.waitFor(() => expect(outcomes).toEqual(['good taken', 'bad refused']));
});

test('with 0 nothing is packed', () => {
  const packer = create({ above: 0 });
  for (let n = 0; n < 100; n += 1) void packer.publish(said('cam-1', String(n)));
  expect(published).toHaveLength(100);
});
