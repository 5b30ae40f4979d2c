import { describe, expect, test } from 'vitest';
import { afterMessage, failuresOf, soundChannel } from '../../../../shared/domain/delivery/channel-health.ts';
import { plus } from '../../../../shared/domain/time.ts';

const start = '2026-11-20T10:00:00.000Z';
const minute = 60_000;

/** Plays messages a minute apart: `a` fails for receiver a, `a+` is accepted, `a!` is refused for good. */
function played(line: string) {
  let health = soundChannel('sms');
  const news: string[] = [];
  for (const [index, each] of line.split(' ').entries()) {
    const kind = each.endsWith('+') ? 'accepted' : each.endsWith('!') ? 'refused' : 'failed';
    const step = afterMessage(health, {
      ...{ targetId: each.slice(0, 1), kind, detail: null, at: plus(start, index * minute) },
    } as const);
    health = step.health;
    if (step.news)
      news.push('receiver' in step.news ? `${step.news.kind} ${step.news.receiver.targetId}` : step.news.kind);
  }
  return { news, health };
}

describe('the health of a channel', () => {
  test.each([
    ['a a', []],
    ['a b', []],
    ['a a a a', ['receiver-failing a']],
    ['a b a', ['channel-failing']],
    ['a a b a a a', ['channel-failing']],
    ['a b a b+', ['channel-failing', 'channel-recovered']],
    ['a a a a+', ['receiver-failing a', 'receiver-recovered a']],
    // A message that got through begins a new row, but says nothing of another receiver.
    ['a b c+ a', []],
    ['a a b+ a b+ a', ['receiver-failing a']],
    ['a! a!', ['receiver-failing a']],
    ['a! b! c!', ['receiver-failing a', 'receiver-failing b', 'channel-failing']],
    ['a+ b+', []],
  ])('after %s tells %j', (line, expected) => {
    expect(played(line).news).toEqual(expected);
  });

  test('is forgotten three days after the last try, because nobody knows then', () => {
    const { health } = played('a b a');
    const last = plus(start, 2 * minute);
    expect(failuresOf(health, plus(last, 3 * 24 * 60 * minute - 1))).toMatchObject({ isFailing: true });
    expect(failuresOf(health, plus(last, 3 * 24 * 60 * minute))).toBeNull();
    expect(failuresOf(played('a! b+').health, plus(start, 3 * 24 * 60 * minute))).toBeNull();
  });

  test('remembers a bounded number of receivers, those that failed last', () => {
    let health = soundChannel('email');
    for (let count = 0; count < 80; count += 1) {
      health = afterMessage(health, { targetId: `${count}`, kind: 'failed', detail: null, at: start }).health;
    }
    expect(health.receivers).toHaveLength(50);
    expect(health.receivers.at(-1)?.targetId).toBe('79');
    expect(health.inRow).toHaveLength(2);
  });
});
