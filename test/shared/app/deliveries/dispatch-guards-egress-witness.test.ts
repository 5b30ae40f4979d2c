import { describe, expect, test } from 'vitest';
import { createEgressWitness } from '../../../../shared/app/deliveries/dispatch-guards.ts';
import type { EgressCheck } from '../../../../shared/app/deliveries/way-out.ts';
import type { SendOutcome } from '../../../../shared/domain/delivery/delivery.ts';
import { failure, success } from '../../../support/records/deliveries.ts';
import { createTestWorld } from '../../../support/world/world.ts';

const silence: SendOutcome = { ...failure, statusCode: null, errorClass: 'timeout' };
const to = (targetName: string, channel: 'webhook' | 'email' | 'chat' | 'sms' = 'webhook') => ({ channel, targetName });

/** A witness whose clock the test advances. */
function witnessOf(check: EgressCheck | null) {
  const world = createTestWorld();
  const { lines } = world;
  const clock = { ms: 1_000_000 };
  const witness = createEgressWitness({ check, elapsedMs: () => clock.ms, world });
  /** Makes an attempt that takes `tookMs`. True if its outcome counts. */
  const attempt = async (target: ReturnType<typeof to>, outcome: SendOutcome, tookMs = 100) =>
    (await witness.judge(target, async () => {
      clock.ms += tookMs;
      return outcome;
    })) !== null;
  return { ...witness, attempt, clock, lines };
}

describe('with an address that always answers', () => {
  test.each(['webhook', 'email', 'chat', 'sms'] as const)(
    'a silence of %s counts while it answers, and else not',
    async (channel) => {
      let isWell = true;
      const { attempt, clock } = witnessOf(async () => isWell);
      expect(await attempt(to('a', channel), silence)).toBe(true);
      clock.ms += 5000;
      isWell = false;
      expect(await attempt(to('a', channel), silence)).toBe(false);
    },
  );

  test.each<[string, Partial<SendOutcome>]>([
    ['an error status', { statusCode: 500, errorClass: 'http_status' }],
    ['an answer that is cut short', { statusCode: 200, errorClass: 'connection_reset' }],
    ['a certificate that is refused', { errorClass: 'tls_error' }],
    ['a target that the guard refuses', { errorClass: 'blocked_target' }],
    ['a channel that is not set up', { errorClass: 'not_configured' }],
  ])('%s counts in the dark too', async (_, outcome) => {
    const { attempt } = witnessOf(async () => false);
    expect(await attempt(to('a'), { ...silence, ...outcome })).toBe(true);
  });

  test('an attempt that began in the dark does not count, though the light came before its end', async () => {
    let isWell = false;
    const { attempt, clock } = witnessOf(async () => isWell);
    expect(await attempt(to('a'), silence)).toBe(false);
    clock.ms += 20_000;
    isWell = true;
    expect(await attempt(to('a'), silence, 10_000)).toBe(false);
    expect(await attempt(to('a'), silence)).toBe(true);
  });

  test('where another target answers behind a question, the light came behind it; where that is so again, the address is at fault', async () => {
    let answer = (_: boolean) => {};
    const { attempt, clock } = witnessOf(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    const verdicts: boolean[] = [];
    for (let n = 0; n < 3; n += 1) {
      const judged = attempt(to('dead'), silence);
      await new Promise((resolve) => setTimeout(resolve, 5));
      clock.ms += 500;
      expect(await attempt(to('well'), success)).toBe(true);
      answer(false);
      verdicts.push(await judged);
      clock.ms += 5000;
    }
    expect(verdicts).toEqual([false, true, true]);
  });

  test('while it is silent it is asked each ten seconds, by however many attempts', async () => {
    let asked = 0;
    const { attempt } = witnessOf(async () => {
      asked += 1;
      return false;
    });
    for (let n = 0; n < 100; n += 1) await attempt(to(`t${n}`), silence, 500);
    expect(asked).toBe(5);
  });

  test('a fault of ours while asking speaks for nothing', async () => {
    const { attempt, lines } = witnessOf(() => Promise.reject(new Error('broken')));
    expect(await attempt(to('a'), silence)).toBe(true);
    expect(lines.map(({ event }) => event)).toEqual(['egress.check-failed']);
  });
});

describe('without such an address', () => {
  test('one target alone is charged once it has been silent for two minutes', async () => {
    const { attempt, clock } = witnessOf(null);
    const verdicts: boolean[] = [];
    for (let n = 0; n < 10; n += 1) {
      verdicts.push(await attempt(to('a'), silence));
      clock.ms += 15_000;
    }
    expect(verdicts).toEqual([...Array(8).fill(false), true, true]);
    expect(await attempt(to('a'), success)).toBe(true);
    expect(await attempt(to('a'), silence)).toBe(false);
  });

  test('who is silent while another answers is charged at once', async () => {
    const { attempt, judge, clock } = witnessOf(null);
    await attempt(to('b'), success);
    const verdict = judge(to('a'), async () => {
      clock.ms += 9500;
      await attempt(to('b'), success);
      return silence;
    });
    expect(await verdict).not.toBeNull();
  });

  test('a mail server that answers shows nothing: it may stand inside', async () => {
    const { attempt, judge, clock } = witnessOf(null);
    const verdict = judge(to('a'), async () => {
      clock.ms += 9500;
      await attempt(to('mail', 'email'), success);
      return silence;
    });
    expect(await verdict).toBeNull();
  });
});

describe('seats', () => {
  test('are four in known darkness; the others are sent away at once', async () => {
    const { attempt, enter, clock } = witnessOf(async () => false);
    await attempt(to('a'), silence);
    const seats = [await enter(), await enter(), await enter(), await enter()];
    expect(seats.every(Boolean)).toBe(true);
    const startedMs = performance.now();
    expect(await enter()).toBeNull();
    expect(performance.now() - startedMs).toBeLessThan(500);
    seats[0]?.leave();
    expect(await enter()).not.toBeNull();
    clock.ms += 1;
    await attempt(to('b'), success);
    for (let n = 0; n < 100; n += 1) expect(await enter()).not.toBeNull();
  });

  test('at the start, nobody is sent away before the first four could show the way', async () => {
    const { attempt, enter } = witnessOf(null);
    const waiting = Array.from({ length: 20 }, () => enter());
    await attempt(to('a'), success);
    expect((await Promise.all(waiting)).every(Boolean)).toBe(true);
  });
});
