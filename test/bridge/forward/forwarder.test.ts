import { beforeEach, expect, test } from 'vitest';
import { createForwarder, type Forwarder } from '../../../bridge/forward/forwarder.ts';
import type { BridgeMessage } from '../../../bridge/forward/message.ts';
import { createLog } from '../../../bridge/process/log.ts';
import { createMetrics } from '../../../bridge/process/metrics.ts';

type Publication = { message: BridgeMessage; taken: () => void; refused: (error: Error) => void };

const turn = () => new Promise((resolve) => setImmediate(resolve));
let published: Publication[];
let reading: string[];
let lines: string[];
let metrics: ReturnType<typeof createMetrics>;
let forwarder: Forwarder;

beforeEach(() => {
  [published, reading, lines] = [[], [], []];
  metrics = createMetrics();
  forwarder = createForwarder(
    {
      publish: (message) =>
        new Promise((taken, refused) => {
          published.push({ message, taken, refused });
        }),
      partition: { partition: 1, of: 1 },
      mostBytes: 10_000,
      droppedTopic: '$SYS/dropped',
      pause: () => reading.push('pause'),
      resume: () => reading.push('resume'),
    },
    createLog((line) => lines.push(line)),
    metrics,
  );
});

/** A connection, and what it acknowledges. It can break. */
function connect(isResumed: boolean) {
  const connection = { acknowledged: [] as number[], isBroken: false };
  const hear = forwarder.accepted((messageId) => {
    if (!connection.isBroken) connection.acknowledged.push(messageId);
    return !connection.isBroken;
  }, isResumed);
  const say = (messageId: number | null, text: string, topic = 'devices/cam-1/status') =>
    hear({ topic, payload: Buffer.from(text), isRetained: false, messageId });
  return Object.assign(connection, { say });
}
const texts = () => published.map(({ message }) => message.data.toString());

test('a message is acknowledged after Pub/Sub has it, behind those before it', async () => {
  const connection = connect(false);
  for (const n of [1, 2, 3]) connection.say(n, `m${n}`);
  expect(texts()).toEqual(['m1', 'm2', 'm3']);
  published[2]?.taken();
  published[1]?.taken();
  await turn();
  expect(connection.acknowledged).toEqual([]);
  published[0]?.taken();
  await turn();
  expect(connection.acknowledged).toEqual([1, 2, 3]);
});

test('it stops reading when too many bytes are being published, and goes on when half of them are taken', async () => {
  const connection = connect(false);
  for (let n = 1; n <= 6; n += 1) connection.say(n, 'x'.repeat(1000));
  expect(reading).toEqual(['pause']);
  expect(metrics.read('watchpost_bridge_waiting')).toBe(1);
  expect(metrics.read('watchpost_bridge_in_flight_bytes')).toBeGreaterThan(10_000);
  for (const n of [0, 1]) published[n]?.taken();
  await turn();
  expect(metrics.read('watchpost_bridge_in_flight_bytes')).toBeLessThan(10_000);
  expect(reading).toEqual(['pause']);
  for (const n of [2, 3]) published[n]?.taken();
  await turn();
  expect(reading).toEqual(['pause', 'resume']);
  for (const { taken } of published) taken();
  await forwarder.settled();
  await turn();
  expect(metrics.read('watchpost_bridge_in_flight_bytes')).toBe(0);
  expect(metrics.read('watchpost_bridge_in_flight_messages')).toBe(0);
});

test.each([
  ['before', true],
  ['after', false],
])('what the broker sends again is not published twice, if it was taken %s the repetition', async (_when, isFirst) => {
  const lost = connect(false);
  lost.say(7, 'm7');
  lost.isBroken = true;
  if (isFirst) published[0]?.taken();
  await turn();
  const next = connect(true);
  next.say(7, 'm7');
  published[0]?.taken();
  await turn();
  expect(texts()).toEqual(['m7']);
  expect(next.acknowledged).toEqual([7]);
  expect(metrics.read('watchpost_bridge_repeated_total')).toBe(1);
});

test('an id that a new session, or another message, uses again is a new message', async () => {
  const lost = connect(false);
  lost.say(7, 'same');
  lost.say(8, 'one');
  lost.isBroken = true;
  const resumed = connect(true);
  resumed.say(8, 'another');
  resumed.isBroken = true;
  connect(false).say(7, 'same');
  expect(texts()).toEqual(['same', 'one', 'another', 'same']);
});

test('a message of another topic, and one that Pub/Sub will never take, do not stop those behind them', async () => {
  const connection = connect(false);
  connection.say(1, 'x', 'elsewhere');
  connection.say(2, 'poison');
  connection.say(3, 'good');
  published[0]?.refused(new Error('3 INVALID_ARGUMENT'));
  published[1]?.taken();
  await turn();
  expect(connection.acknowledged).toEqual([1, 2, 3]);
  expect(metrics.read('watchpost_bridge_ignored_total')).toBe(1);
  expect(metrics.read('watchpost_bridge_refused_total')).toBe(1);
  expect(lines.map((line) => JSON.parse(line).message)).toEqual(['message.refused']);
});

test('what the broker has dropped is said when it grows, and not what it dropped long ago', () => {
  const connection = connect(false);
  const say = (text: string) => connection.say(null, text, '$SYS/dropped');
  for (const text of ['12', '12', 'nonsense', '15']) say(text);
  expect(published).toEqual([]);
  expect(metrics.read('watchpost_bridge_broker_dropped_messages')).toBe(15);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ message: 'broker.dropped', messages: 3 }]);
});
