import { describe, expect, test } from 'vitest';
import type { CanarySender } from '../../../../shared/app/ports.ts';
import { noCanaries, sendAndAwait } from '../../../../shared/app/sight/send-canaries.ts';
import { takeCanary } from '../../../../shared/app/sight/take-canary.ts';
import { type Canary, canaryText } from '../../../../shared/domain/sight/canary.ts';
import { newSight, type SightRecord } from '../../../../shared/domain/sight/sight.ts';
import { at } from '../../../support/world/timeline.ts';
import { seal } from '../../../support/world/ways.ts';
import { createTestWorld, startOfTests } from '../../../support/world/world.ts';

/** A world that counts its pauses, and senders whose canaries arrive in the given pause (0: at once; null: never). */
function createSky(arrivesIn: { ingest?: number | null; broker?: number | null }) {
  const world = createTestWorld();
  const [sent, pauses]: [Canary[], number[]] = [[], []];
  const onTheWay: { inPause: number; body: string }[] = [];
  const arrive = async () => {
    const here = onTheWay.filter(({ inPause }) => inPause <= pauses.length);
    for (const { body } of here) await takeCanary(world, Buffer.from(body), seal);
  };
  const sender = (inPause: number | null): CanarySender => ({
    async send(canary, body) {
      sent.push(canary);
      if (inPause !== null) onTheWay.push({ inPause, body });
      await arrive();
    },
  });
  const after: typeof world.after = (ms, call) => {
    pauses.push(ms);
    void arrive().then(call);
    return { stop() {} };
  };
  const { ingest, broker } = arrivesIn;
  const senders = {
    ...(ingest === undefined ? {} : { ingest: sender(ingest) }),
    ...(broker === undefined ? {} : { broker: sender(broker) }),
  };
  const look = (sight: SightRecord = newSight(startOfTests)) =>
    sendAndAwait({ ...world, after }, { senders, seal }, sight, startOfTests);
  return { world, sent, pauses, look };
}

describe('the canaries of a sweep', () => {
  test('are four to ingest and one through the broker, each signed', async () => {
    const { sent, pauses, look, world } = createSky({ ingest: 0, broker: 0 });
    const records = await look();
    const numbers = sent.map(({ way, n }) => `${way} ${n}`).toSorted();
    expect(numbers).toEqual(['broker 0', 'ingest 0', 'ingest 1', 'ingest 2', 'ingest 3']);
    expect(sent.every(({ sentAt }) => sentAt === startOfTests)).toBe(true);
    expect(records.map(({ way, n }) => `${way} ${n}`).toSorted()).toEqual(numbers);
    expect([pauses, world.lines]).toEqual([[], []]);
  });

  test.each<[string, { ingest?: number | null; broker?: number | null }, number, number]>([
    ['at once', { ingest: 0 }, 0, 4],
    ['in the first pause', { ingest: 1 }, 1, 4],
    ['in the fourth', { ingest: 4 }, 4, 4],
    ['too late', { ingest: 5 }, 4, 0],
    ['never', { ingest: null }, 4, 0],
    ['on one path later than on the other', { ingest: 0, broker: 2 }, 2, 5],
    ['on no path, because none has a sender', {}, 0, 0],
  ])('are awaited half a second at a time, at most four times: they come %s', async (_, arrivesIn, count, found) => {
    const { pauses, look } = createSky(arrivesIn);
    expect(await look()).toHaveLength(found);
    expect(pauses).toEqual(Array.from({ length: count }, () => 500));
  });

  test('are not awaited on a path where an earlier one is missing', async () => {
    const sight = newSight(startOfTests);
    const waiting = (seconds: number) => ({
      ...sight,
      ways: { ...sight.ways, ingest: { ...sight.ways.ingest, waiting: [at(seconds)] } },
    });
    const stuck = createSky({ ingest: null });
    await stuck.look(waiting(-60));
    expect(stuck.pauses).toEqual([]);
    // The other path is awaited all the same.
    const other = createSky({ ingest: null, broker: 3 });
    await other.look(waiting(-60));
    expect(other.pauses).toHaveLength(3);
  });

  test('are awaited where the earlier ones have arrived meanwhile', async () => {
    const sky = createSky({ broker: 2 });
    const earlier: Canary = { way: 'broker', n: 0, sentAt: at(-60) };
    const body = JSON.stringify({ ...earlier, signature: seal.sign(canaryText(earlier)) });
    await takeCanary(sky.world, Buffer.from(body), seal);
    const sight = newSight(startOfTests);
    const broker = { ...sight.ways.broker, waiting: [at(-60)] };
    await sky.look({ ...sight, ways: { ...sight.ways, broker } });
    expect(sky.pauses).toHaveLength(2);
  });

  test('that could not be sent are written down, and the others are sent', async () => {
    const world = createTestWorld();
    const sender: CanarySender = {
      async send({ n }, body) {
        if (n === 2) throw new Error('the topic refuses us');
        await takeCanary(world, Buffer.from(body), seal);
      },
    };
    const after: typeof world.after = (_ms, call) => {
      call();
      return { stop() {} };
    };
    const sight = newSight(startOfTests);
    const records = await sendAndAwait({ ...world, after }, { senders: { ingest: sender }, seal }, sight, startOfTests);
    expect(records.map(({ n }) => n)).toEqual([0, 1, 3]);
    expect(world.lines).toEqual([
      { event: 'canary.failed', fields: { way: 'ingest', n: 2, error: 'Error: the topic refuses us' } },
    ]);
  });
});

test('an installation without canaries signs and accepts none', () => {
  expect([noCanaries.senders, noCanaries.seal.sign('a'), noCanaries.seal.verify('a', '')]).toEqual([{}, '', false]);
});
