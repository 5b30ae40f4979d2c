import { describe, expect, test } from 'vitest';
import { type Delivery, newDelivery } from '../../../../shared/domain/delivery/delivery.ts';
import { type DrillRecord, judged } from '../../../../shared/domain/drill/drill.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { at } from '../../../support/world/timeline.ts';

const waits = waitsAt(1);

/** A round that went well, due at 300 s. */
const round = (given: Partial<DrillRecord> = {}): DrillRecord => ({
  ...{ startedAt: at(0), sent: { ingest: true, broker: true }, arrived: { ingest: at(1), broker: at(2) } },
  ...{ alertId: 'a-1', deliveryIds: ['d-1'], dueAt: at(300), verdict: null, version: 3 },
  ...given,
});

const delivery = (given: Partial<Delivery> = {}): Delivery => {
  const seed = {
    ...{ deliveryId: 'd-1', channel: 'email' as const, targetName: 'x', eventType: 'test', eventId: 'e' },
    ...{ alertId: null, deviceId: null, groupId: null, body: '', maxAttempts: 5 },
    target: { kind: 'heartbeat' as const, index: 0 },
  };
  return { ...newDelivery(seed, at(3)), status: 'delivered', dueAt: null, attemptCount: 1, ...given };
};

const hopOf = (given: Partial<DrillRecord>, deliveries: (Delivery | null)[] = [delivery()], seconds = 300) => {
  const { hop, detail } = judged(round(given), deliveries, at(seconds), waits).verdict;
  return [hop, detail];
};

describe('a round that is due', () => {
  test('passes where its message came on each way and all its deliveries left', () => {
    expect(judged(round(), [delivery(), delivery()], at(300), waits)).toEqual({
      ...round({ dueAt: null, version: 4 }),
      verdict: {
        ...{ state: 'passed', hop: null, detail: null },
        ...{ since: at(0), judgedAt: at(300), lastPassedAt: at(0) },
      },
    });
  });

  test.each<[string, Partial<DrillRecord>, string | null, string | null]>([
    ['only ingest is set up', { sent: { ingest: true }, arrived: { ingest: at(1) } }, null, null],
    ['only the broker is set up', { sent: { broker: true }, arrived: { broker: at(1) } }, null, null],
    ['Pub/Sub refused', { sent: { ingest: false, broker: true } }, 'publish', 'Pub/Sub did not take the message'],
    [
      'both refused',
      { sent: { ingest: false, broker: false }, arrived: {} },
      'publish',
      'Pub/Sub did not take the message',
    ],
    [
      'ingest did not get it',
      { arrived: { broker: at(2) } },
      'ingest',
      'the message that Pub/Sub took did not reach ingest',
    ],
    ['the broker refused', { sent: { ingest: true, broker: false } }, 'broker', 'the broker did not take the message'],
    [
      'the bridge lost it',
      { arrived: { ingest: at(1) } },
      'bridge',
      'the message that the broker took did not reach ingest',
    ],
    ['nothing was sent', { sent: {}, arrived: {}, alertId: null }, 'publish', 'no message left'],
    ['no alert was opened', { alertId: null }, 'alert', 'a message was taken in, and no alert was opened'],
  ])('where %s', (_, given, hop, detail) => {
    expect(hopOf(given)).toEqual([hop, detail]);
  });

  test.each([
    [359.999, null],
    [360, 'wake'],
  ])('handled at %d s, due at 300 s: %s', (seconds, hop) => {
    expect(hopOf({}, [delivery()], seconds)[0]).toBe(hop);
  });

  test('names a late wake before a delivery, and a lost message before both', () => {
    expect(hopOf({}, [null], 400)).toEqual(['wake', 'no wake came: a queue of `deadlines` or its calls fail']);
    expect(hopOf({ arrived: { broker: at(2) } }, [null], 400)[0]).toBe('ingest');
    expect(hopOf({ dueAt: null }, [delivery()], 400)[0]).toBeNull();
  });
});

describe('a delivery that did not leave', () => {
  const failed = { number: 1, round: 1, at: at(4), durationMs: 5, detail: null, responseExcerpt: null };
  const attempt = { ...failed, statusCode: 503, errorClass: 'http_status' as const };
  const pending = { status: 'pending' as const, attemptCount: 0, dueAt: at(3) };

  test.each<[string, Delivery | null, string, string]>([
    ['is gone', null, 'queue', 'a delivery is gone'],
    ['was refused', delivery({ ...pending, attemptCount: 1, attempts: [attempt] }), 'email', 'http_status 503'],
    [
      'was not answered at its last attempt',
      delivery({
        ...{ status: 'failed', attemptCount: 2, channel: 'sms' },
        attempts: [attempt, { ...attempt, statusCode: null, errorClass: 'timeout' }],
      }),
      'sms',
      'timeout',
    ],
    ['was held', delivery({ status: 'held', attemptCount: 0, channel: 'webhook' }), 'webhook', 'held'],
    [
      'is of a hand-off',
      delivery({ status: 'failed', attempts: [attempt], channel: 'handoff' }),
      'deliver',
      'http_status 503',
    ],
    [
      'was never called',
      delivery(pending),
      'queue',
      'no call of deliver came: a queue of `deliveries` or its calls fail',
    ],
    [
      'was put off',
      delivery({ ...pending, dueAt: at(18), unheardAt: at(3) }),
      'outside',
      'nothing outside answered, so that no attempt was made',
    ],
    [
      'was put off and was due at its beginning',
      delivery({ ...pending, leasedUntil: at(40), unheardAt: at(3) }),
      'outside',
      'nothing outside answered, so that no attempt was made',
    ],
    [
      'is leased',
      delivery({ ...pending, leasedUntil: at(40), dueAt: at(40) }),
      'deliver',
      'an attempt began and did not end',
    ],
    ['was postponed', delivery({ ...pending, dueAt: at(10) }), 'deliver', 'an attempt began and did not end'],
  ])('because it %s', (_, given, hop, detail) => {
    expect(hopOf({}, [delivery(), given])).toEqual([hop, detail]);
  });

  test('is named by the cause that all share before the fault of one channel', () => {
    const refused = delivery({ status: 'failed', attempts: [attempt] });
    const ofSms = delivery({ status: 'failed', attempts: [attempt], channel: 'sms' });
    const began = delivery({ ...pending, dueAt: at(10) });
    const unheard = delivery({ ...pending, dueAt: at(10), unheardAt: at(3) });
    expect(hopOf({}, [ofSms, refused])[0]).toBe('email');
    expect(hopOf({}, [refused, began])[0]).toBe('deliver');
    expect(hopOf({}, [refused, began, unheard])[0]).toBe('outside');
    expect(hopOf({}, [refused, began, unheard, null])[0]).toBe('queue');
  });
});

describe('a verdict', () => {
  const last = (state: 'passed' | 'broken', hop: 'email' | 'queue' | null) => ({
    ...{ state, hop, detail: null, since: at(-7200), judgedAt: at(-3300) },
    lastPassedAt: at(-9000),
  });
  const ended = (verdict: DrillRecord['verdict'], deliveries: (Delivery | null)[]) => {
    const { state, since, lastPassedAt } = judged(round({ verdict }), deliveries, at(300), waits).verdict;
    return { state, since, lastPassedAt };
  };

  test.each([
    ['passed again', last('passed', null), [delivery()], { state: 'passed', since: at(-7200), lastPassedAt: at(0) }],
    [
      'passed after a fault',
      last('broken', 'queue'),
      [delivery()],
      { state: 'passed', since: at(0), lastPassedAt: at(0) },
    ],
    [
      'broken by the same hop',
      last('broken', 'queue'),
      [null],
      { state: 'broken', since: at(-7200), lastPassedAt: at(-9000) },
    ],
    [
      'broken by another hop',
      last('broken', 'email'),
      [null],
      { state: 'broken', since: at(0), lastPassedAt: at(-9000) },
    ],
    ['broken anew', last('passed', null), [null], { state: 'broken', since: at(0), lastPassedAt: at(-9000) }],
    ['broken at first', null, [null], { state: 'broken', since: at(0), lastPassedAt: null }],
  ])('that is %s begins when it changed', (_, verdict, deliveries, expected) => {
    expect(ended(verdict, deliveries)).toEqual(expected);
  });
});
