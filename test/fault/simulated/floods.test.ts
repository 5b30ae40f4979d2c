import { expect, test } from 'vitest';
import { pushRetries } from '../../../local/cloud/push/settings.ts';
import { createMemoryStore } from '../../../shared/adapters/memory/store.ts';
import { explainAlert } from '../../../shared/app/alerts/explain.ts';
import { sweep } from '../../../shared/app/due/sweep.ts';
import { getFleet } from '../../../shared/app/fleet/fleet.ts';
import { takeMessage } from '../../../shared/app/intake/take-message.ts';
import type { Store } from '../../../shared/app/ports.ts';
import type { Message } from '../../../shared/domain/intake/pushed.ts';
import { ana, giveTeam } from '../../support/records/alerts.ts';
import { message } from '../../support/records/reports.ts';
import { guardianAlert } from '../../support/records/stories.ts';
import { ledger, sizeOf } from '../../support/score/score.ts';
import { createVirtualClock, type VirtualClock, withVirtualTimers } from '../../support/simulation/clock.ts';
import { createInstance, type Weather } from '../../support/simulation/instances.ts';
import { createOrderedPubSub } from '../../support/simulation/ordered-pub-sub.ts';
import { canariesUnder, clear, seal } from '../../support/simulation/sky.ts';
import { frames } from '../../support/world/frames.ts';
import { createRandom } from '../../support/world/random.ts';

const second = 1000;
const minute = 60 * second;
const intake = { bridgeDialect: 'native', autoRegister: true, frames, canarySeal: seal } as const;
const cameras = 20;
/** Four connections, each of which sends as many messages a second. */
const connections = 4;
const perSecond = 5;
const pieceMs = 8;
const phase = sizeOf(3, 20) * minute;

/** A slow store with one processor: a read takes a piece of its time, and each write another. */
function withOneProcessor(store: Store, clock: VirtualClock): Store {
  let freeAt = 0;
  const work = async (pieces: number) => {
    freeAt = Math.max(freeAt, clock.ms()) + pieces * pieceMs;
    await clock.sleep(freeAt - clock.ms());
  };
  const worked = async <T>(pieces: number, act: () => Promise<T>) => {
    await work(pieces);
    return act();
  };
  return {
    get: (kind, ids) => worked(1, () => store.get(kind, ids)),
    getMany: (ids) => worked(1, () => store.getMany(ids)),
    commit: (writes) => worked(1 + writes.length, () => store.commit(writes)),
    find: (query) => worked(2, () => store.find(query)),
    count: (query) => worked(1, () => store.count(query)),
    tail: (tail) => worked(2, () => store.tail(tail)),
  };
}

/**
 * Plays a quiet time and then a flood of the same length.
 * @param hasBudget without it each message of the flood is decided
 * @param isOrdered whether the bridge names the device as ordering key. If not, messages of one device arrive at the same time
 */
async function played(hasBudget: boolean, isOrdered = true, sort: 'event' | 'guardian' = 'event') {
  const clock = createVirtualClock();
  const random = createRandom(39);
  return withVirtualTimers(clock, random.next, async () => {
    const startMs = clock.ms();
    const endMs = startMs + 2 * phase;
    const weather: Weather = {
      ...{ storeFaults: 0, outages: [], killEvery: 0, wakeFaults: 0, copies: 0, onTheWay: 0 },
      calmFrom: startMs,
    };
    const twin = createMemoryStore();
    const store = withOneProcessor(twin, clock);
    const waker = { wake: async () => {} };
    const { world: made } = createInstance({ store, waker, clock, random, weather });
    const world = hasBudget ? made : { ...made, waits: { ...made.waits, textWindow: 0 } };
    const latencies: { at: number; ms: number }[] = [];
    const sentAt = new Map<string, number>();
    const pubSub = createOrderedPubSub(
      { clock, random },
      pushRetries.messages,
      async (given) => {
        await takeMessage(world, given, intake);
        const at = sentAt.get(given.messageId);
        if (at !== undefined) latencies.push({ at, ms: clock.ms() - at });
      },
      async () => {},
    );
    const publish = async (given: Message) =>
      pubSub.publish((isOrdered ? given.attributes['deviceId'] : null) ?? given.messageId, given);
    const say = (deviceId: string, kind: string, body: object) => {
      const given = message(kind, body, { deviceId, publishTime: clock.now() });
      void publish(given);
      return given.messageId;
    };
    // The clock does not run yet.
    await giveTeam({ ...world, store: twin }, 'operations', { emails: ['ops@example.com'] });
    const names = Array.from({ length: cameras }, (_, index) => `cam-${index}`);
    const canaries = canariesUnder(clear, clock, publish);
    const blind: string[] = [];
    const each = (everyMs: number, act: () => void, fromMs = 0, untilMs = endMs - startMs) => {
      for (let at = fromMs; at < untilMs; at += everyMs) clock.after(at, act);
    };
    each(minute, () => void sweep(world, canaries), 500);
    each(minute, () => names.forEach((name) => void say(name, 'status', { memory: { usedPercent: 40 } })), 100);
    // The alerts of the others: each attempt by a new host opens one or makes it worse, and people are notified.
    let hosts = 0;
    each(2 * second, () => {
      hosts += 1;
      const attempt = { type: 'unauthorized_broker_attempt', timestamp: clock.now(), attemptedHost: `h${hosts}` };
      sentAt.set(say(random.pick(names), 'event', attempt), clock.ms());
    });
    let count = 0;
    for (let connection = 0; connection < connections; connection += 1) {
      each(
        second / perSecond,
        () => {
          if (connection === 0) count += 1;
          const attemptedHost = `host-${count}.example`;
          if (sort === 'guardian')
            return void say(`bad-${connection}`, sort, guardianAlert('drift', ['broker.host'], clock.now()));
          say(`bad-${connection}`, 'event', {
            type: 'unauthorized_broker_attempt',
            timestamp: clock.now(),
            attemptedHost,
          });
        },
        phase + connection,
      );
    }
    each(
      30 * second,
      async () => {
        const { platform } = await getFleet(world, ana);
        if (platform.state !== 'sees') blind.push(`${clock.now()} ${platform.state}`);
      },
      3 * minute,
    );
    await clock.runUntil(endMs + 3 * minute);
    const [bad] = (
      await twin.find({ in: 'alerts', where: [{ field: 'deviceId', is: '==', value: 'bad-0' }], limit: 5 })
    ).map(({ data }) => data);
    const where = [{ field: 'deviceId' as const, is: '==' as const, value: 'bad-0' }];
    const audit = await twin.count({ in: 'audit', where });
    const { notified } = await explainAlert({ ...world, store: twin }, ana, bad?.alertId ?? '');
    const late = (from: number, to: number) => {
      const all = latencies.filter(({ at }) => at >= from && at < to).map(({ ms }) => ms);
      return { count: all.length, mean: all.reduce((sum, ms) => sum + ms, 0) / all.length };
    };
    const [quiet, flooded] = [late(startMs, startMs + phase), late(startMs + phase, endMs)];
    return { quiet, flooded, blind, audit, count, occurrences: bad?.occurrences ?? 0, notified };
  });
}

test.each([
  ['with ordering keys', true],
  ['without them', false],
])(
  'a camera that floods delays the alerts of others by less than twice, empties no explanation and blinds nobody: %s',
  async (how, isOrdered) => {
    const { quiet, flooded, blind, audit, count, occurrences, notified } = await played(true, isOrdered);
    const what = `alerts beside a flood of ${count} messages ${how}: mean ${quiet.mean.toFixed(1)} ms before, ${flooded.mean.toFixed(1)} ms in it; ${audit} entries`;
    const lost = quiet.count + flooded.count < (2 * phase) / (2 * second) ? 1 : 0;
    ledger('R20', what, { tried: quiet.count + flooded.count, lost, wrong: blind.length, doubled: 0 });
    expect(flooded.mean).toBeLessThan(2 * quiet.mean);
    expect(blind).toEqual([]);
    expect(audit).toBeLessThan(100);
    expect(notified[0]?.because).toBe('open');
    expect(occurrences).toBe(count);
    expect(lost).toBe(0);
  },
  600_000,
);

test('this check finds the flood where there is no budget', async () => {
  const { quiet, flooded, audit } = await played(false);
  expect(flooded.mean).toBeGreaterThan(1.1 * quiet.mean);
  expect(audit).toBeGreaterThan(200);
}, 600_000);

/** Each alert of a guardian is listed, so none is only counted: the device's ordering key alone holds a flood back. */
test('a guardian without a key that floods delays the alerts of others by less than twice and blinds nobody', async () => {
  const { quiet, flooded, blind, count, notified } = await played(true, true, 'guardian');
  const what = `alerts beside a flood of ${count} alerts of a guardian: mean ${quiet.mean.toFixed(1)} ms before, ${flooded.mean.toFixed(1)} ms in it`;
  const lost = quiet.count + flooded.count < (2 * phase) / (2 * second) ? 1 : 0;
  ledger('R20', what, { tried: quiet.count + flooded.count, lost, wrong: blind.length, doubled: 0 });
  expect(flooded.mean).toBeLessThan(2 * quiet.mean);
  expect([blind, lost]).toEqual([[], 0]);
  expect(notified[0]?.because).toBe('open');
}, 600_000);
