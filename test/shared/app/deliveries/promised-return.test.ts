import { describe, expect, test } from 'vitest';
import { createConcurrencyLimiter, type DispatchPermit } from '../../../../shared/app/deliveries/dispatch-guards.ts';

function leave(admission: DispatchPermit | undefined): void {
  if (admission?.kind !== 'admitted') throw new Error('it was not admitted');
  admission.leave();
}

/** The kind of the answer, or `waiting` as long as there is none. */
async function kindOf(answer: Promise<DispatchPermit>): Promise<DispatchPermit['kind'] | 'waiting'> {
  const kind = answer.then((admission) => admission.kind);
  return Promise.race([kind, new Promise<'waiting'>((resolve) => setImmediate(() => resolve('waiting')))]);
}

describe('a promised return', () => {
  /** A full endpoint whose requests have run for `ms`, so long that no delivery waits in the process. */
  async function busy(ms: number, limit = 2) {
    let now = 10_000;
    const limiter = createConcurrencyLimiter({ after: () => ({ stop() {} }) }, () => now);
    const flights: DispatchPermit[] = [];
    for (let index = 0; index < limit; index += 1) flights.push(await limiter.enter('hook', `busy-${index}`, limit));
    now += ms;
    const waitOf = async (source: string) => {
      const answer = await limiter.enter('hook', source, limit);
      return answer.kind === 'busy' ? answer.waitMs : null;
    };
    const pass = (more: number) => {
      now += more;
    };
    return { limiter, flights, waitOf, pass };
  }

  test('comes after the time that a request takes, one by one for each source, and later the more sources return', async () => {
    const { waitOf } = await busy(1000);
    // A request takes 1000 ms and there are two places: 500 ms for each delivery.
    expect(await waitOf('a')).toBe(1500);
    expect(await waitOf('a')).toBe(2000);
    expect(await waitOf('b')).toBe(2000);
    expect(await waitOf('a')).toBe(3000);
    expect(await waitOf('c')).toBe(2500);
  });

  test('is at most 20 s away, and begins anew from there', async () => {
    const { waitOf } = await busy(8000, 1);
    expect(await waitOf('a')).toBe(16_000);
    // 24 s is too long: the wait is 20 s, and the next promise counts from one request (8 s) on.
    expect(await waitOf('a')).toBe(20_000);
    expect(await waitOf('a')).toBe(16_000);
  });

  test('keeps a place free for its source until a second after its time', async () => {
    const { limiter, flights, waitOf, pass } = await busy(1000);
    expect(await waitOf('a')).toBe(1500);
    for (const flight of flights) leave(flight);
    expect(await kindOf(limiter.enter('hook', 'b', 2))).toBe('admitted');
    pass(2500);
    // The only free place is reserved for `a`: a second delivery of `b` does not get it.
    expect(await kindOf(limiter.enter('hook', 'b', 2))).toBe('busy');
    pass(1);
    expect(await kindOf(limiter.enter('hook', 'b', 2))).toBe('admitted');
  });

  test('that was kept is over once its source has come, so that another takes the last place', async () => {
    const { limiter, flights, waitOf, pass } = await busy(1000, 3);
    expect(await waitOf('a')).toBeCloseTo(1333.33, 1);
    for (const flight of flights) leave(flight);
    pass(1334);
    const came = await limiter.enter('hook', 'a', 3);
    expect(await kindOf(limiter.enter('hook', 'b', 3))).toBe('admitted');
    leave(came);
    expect(await kindOf(limiter.enter('hook', 'b', 3))).toBe('admitted');
    expect(await kindOf(limiter.enter('hook', 'b', 3))).toBe('admitted');
  });

  test('that is exactly 20 s away is kept for those 20 s', async () => {
    const { limiter, flights, waitOf, pass } = await busy(16_000, 4);
    expect(await waitOf('a')).toBe(20_000);
    for (const flight of flights) leave(flight);
    for (let count = 0; count < 3; count += 1) {
      expect(await kindOf(limiter.enter('hook', 'b', 4))).toBe('admitted');
    }
    pass(17_001);
    expect(await kindOf(limiter.enter('hook', 'b', 4))).toBe('busy');
  });

  test('stays promised where its source comes earlier', async () => {
    const { limiter, flights, waitOf } = await busy(1000);
    expect(await waitOf('a')).toBe(1500);
    for (const flight of flights) leave(flight);
    leave(await limiter.enter('hook', 'a', 2));
    expect(await kindOf(limiter.enter('hook', 'b', 2))).toBe('admitted');
    expect(await kindOf(limiter.enter('hook', 'b', 2))).toBe('waiting');
  });
});
