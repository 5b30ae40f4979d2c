import { describe, expect, test } from 'vitest';
import {
  type ConcurrencyLimiter,
  createConcurrencyLimiter,
  type DispatchPermit,
} from '../../../../shared/app/deliveries/dispatch-guards.ts';

type Timer = { at: number; call: () => void };

/** A limiter whose clock and timers the test controls. */
function limited() {
  let now = 10_000;
  let timers: Timer[] = [];
  const limiter: ConcurrencyLimiter = createConcurrencyLimiter(
    {
      after(ms, call) {
        const timer = { at: now + ms, call };
        timers.push(timer);
        return {
          stop() {
            timers = timers.filter((each) => each !== timer);
          },
        };
      },
    },
    () => now,
  );
  const settle = () => new Promise(setImmediate);
  return {
    limiter,
    waiting: () => timers.length,
    settle,
    async pass(ms: number) {
      now += ms;
      for (const timer of timers.filter(({ at }) => at <= now)) {
        timers = timers.filter((each) => each !== timer);
        timer.call();
      }
      await settle();
    },
  };
}

function leave(admission: DispatchPermit | undefined): void {
  if (admission?.kind !== 'admitted') throw new Error('it was not admitted');
  admission.leave();
}

/** Takes one place for each of the sources. */
async function filled(
  limiter: ConcurrencyLimiter,
  sources: string[],
  limit = sources.length,
): Promise<DispatchPermit[]> {
  const admissions: DispatchPermit[] = [];
  for (const source of sources) admissions.push(await limiter.enter('hook', source, limit));
  return admissions;
}

/** The kind of the answer, or `waiting` as long as there is none. */
async function kindOf(answer: Promise<DispatchPermit>): Promise<DispatchPermit['kind'] | 'waiting'> {
  const kind = answer.then((admission) => admission.kind);
  return Promise.race([kind, new Promise<'waiting'>((resolve) => setImmediate(() => resolve('waiting')))]);
}

describe('places', () => {
  test('there are as many as the limit says, for each endpoint, and the next request waits 250 ms at most', async () => {
    const { limiter, pass } = limited();
    const [first, second] = await filled(limiter, ['a', 'b'], 2);
    expect([first?.kind, second?.kind]).toEqual(['admitted', 'admitted']);
    expect(await limiter.enter('another hook', 'a', 2)).toMatchObject({ kind: 'admitted' });
    const third = limiter.enter('hook', 'c', 2);
    await pass(249);
    expect(await kindOf(third)).toBe('waiting');
    await pass(1);
    // Two requests have run for 250 ms: the wait is 250 ms, and 250 ms / 2 places for each source.
    expect(await third).toEqual({ kind: 'busy', waitMs: 375 });
  });

  test('a request that leaves twice frees one place', async () => {
    const { limiter, pass } = limited();
    const [first] = await filled(limiter, ['a', 'b'], 2);
    leave(first);
    leave(first);
    expect(await kindOf(limiter.enter('hook', 'c', 2))).toBe('admitted');
    const next = limiter.enter('hook', 'd', 2);
    await pass(250);
    expect(await kindOf(next)).toBe('busy');
  });

  test('a request that leaves lets the one that waits proceed, and its timer is stopped', async () => {
    const { limiter, waiting, pass } = limited();
    const [first] = await filled(limiter, ['a', 'b'], 2);
    const third = limiter.enter('hook', 'c', 2);
    await pass(10);
    expect(waiting()).toBe(1);
    leave(first);
    expect(await kindOf(third)).toBe('admitted');
    expect(waiting()).toBe(0);
  });

  test('of those that wait, a source without a request in flight proceeds first', async () => {
    const { limiter, pass } = limited();
    const [, second] = await filled(limiter, ['a', 'b'], 2);
    const again = limiter.enter('hook', 'a', 2);
    const other = limiter.enter('hook', 'c', 2);
    await pass(10);
    leave(second);
    expect(await kindOf(other)).toBe('admitted');
    expect(await kindOf(again)).toBe('waiting');
  });

  test('where only sources with a request in flight wait, the first of them proceeds', async () => {
    const { limiter, pass } = limited();
    const [first, second] = await filled(limiter, ['a', 'a'], 2);
    const third = limiter.enter('hook', 'a', 2);
    const fourth = limiter.enter('hook', 'a', 2);
    await pass(10);
    leave(second);
    expect(await kindOf(third)).toBe('admitted');
    expect(await kindOf(fourth)).toBe('waiting');
    leave(first);
    expect(await kindOf(fourth)).not.toBe('waiting');
  });

  test('one that has waited long enough takes no other along', async () => {
    const { limiter, pass } = limited();
    const [first] = await filled(limiter, ['a'], 1);
    const second = limiter.enter('hook', 'b', 1);
    await pass(100);
    const third = limiter.enter('hook', 'c', 1);
    await pass(150);
    expect(await kindOf(second)).toBe('busy');
    leave(first);
    expect(await kindOf(third)).toBe('admitted');
  });
});

describe('a request is sent away at once', () => {
  test.each([
    [1, 250, 'waiting'],
    [1, 251, 'busy'],
    [2, 500, 'waiting'],
    [2, 501, 'busy'],
  ])('with a limit of %i, where requests have run for %i ms already: %s', async (limit, ms, expected) => {
    const { limiter, pass } = limited();
    await filled(
      limiter,
      Array.from({ length: limit }, (_, index) => `s-${index}`),
    );
    await pass(ms);
    expect(await kindOf(limiter.enter('hook', 'other', limit))).toBe(expected);
  });

  test.each([
    [125, 'waiting'],
    [126, 'busy'],
  ])('where one of its source waits already, and requests have run for %i ms: %s', async (ms, expected) => {
    const { limiter, pass } = limited();
    await filled(limiter, ['a'], 1);
    await pass(ms);
    expect(await kindOf(limiter.enter('hook', 'a', 1))).toBe('waiting');
    expect(await kindOf(limiter.enter('hook', 'a', 1))).toBe(expected);
  });

  test('where sixteen wait, and its source has a request in flight', async () => {
    const { limiter, waiting, settle } = limited();
    await filled(limiter, ['a', ...Array.from({ length: 99 }, () => 'b')]);
    for (let count = 0; count < 16; count += 1) void limiter.enter('hook', 'b', 100);
    await settle();
    expect(await kindOf(limiter.enter('hook', 'a', 100))).not.toBe('waiting');
    expect(waiting()).toBe(16);
  });

  test.each([
    ['the requests that finished took 1,050 ms', 1050, 'waiting'],
    ['the requests that finished took 1,051 ms', 1051, 'busy'],
  ])('where %s, a fifth of which counts', async (_, ms, expected) => {
    const { limiter, pass } = limited();
    const [flight] = await filled(limiter, ['a'], 1);
    await pass(ms);
    leave(flight);
    // The moving mean starts at 50 ms: 50 + (1050 - 50) / 5 = 250.
    await filled(limiter, ['a'], 1);
    expect(await kindOf(limiter.enter('hook', 'other', 1))).toBe(expected);
  });

  test.each([
    // Sixteen of one source may wait, and four more that are each the first of their source.
    [16, 4],
    [20, 0],
  ])('where %i wait already: %i of other sources may wait too', async (first, more) => {
    const { limiter, waiting, settle } = limited();
    await filled(limiter, ['a'], 100);
    for (let count = 0; count < 99; count += 1) await limiter.enter('hook', 'a', 100);
    const sources =
      first === 16 ? Array.from({ length: 30 }, () => 'a') : Array.from({ length: 30 }, (_, index) => `s-${index}`);
    for (const source of sources) void limiter.enter('hook', source, 100);
    await settle();
    expect(waiting()).toBe(first);
    for (let index = 0; index < 9; index += 1) void limiter.enter('hook', `late-${index}`, 100);
    await settle();
    expect(waiting()).toBe(first + more);
  });
});
