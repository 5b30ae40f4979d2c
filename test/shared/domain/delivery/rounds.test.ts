import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  afterAttempt,
  dismissed,
  droppedFor,
  firstOutcomeOf,
  held,
  leased,
  mostRounds,
  redelivered,
  resentOf,
  restored,
} from '../../../../shared/domain/delivery/decision.ts';
import type { Delivery, SendOutcome } from '../../../../shared/domain/delivery/delivery.ts';
import { webhookDelivery } from '../../../../shared/domain/delivery/webhook-events.ts';
import { deliveryLines } from '../../../../shared/domain/ledger/trail.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { endpoint, failure, success } from '../../../support/records/deliveries.ts';
import { startOfTests as now } from '../../../support/world/world.ts';

const event = { eventType: 'alert', eventId: 'a:1', alertId: 'a', deviceId: 'cam-1', groupId: 'north', body: '{}' };
const fresh = webhookDelivery(endpoint({ maxAttempts: 1 }), event, now);
const later = plus(now, 60_000);

function attempted(delivery: Delivery, outcome: SendOutcome, excerpt: string | null = null, at = now): Delivery {
  const { statusCode, errorClass, detail } = outcome;
  const made = { number: delivery.attemptCount + 1, round: delivery.round.number, at, durationMs: 5 };
  const attempt = { ...made, statusCode, errorClass, detail, responseExcerpt: excerpt };
  return afterAttempt(delivery, outcome, attempt, waitsAt(1));
}

function again(delivery: Delivery): Delivery {
  const next = redelivered(delivery, 'eve', later);
  if (!next) throw new Error('not sent again');
  return next;
}

describe('a delivery that was delivered and is sent again', () => {
  const delivered = attempted(fresh, success, null);
  const first = { status: 'delivered', reason: null, endedAt: plus(now, 5), attempts: 1 };

  test.each<[string, Delivery, string]>([
    ['waits', again(delivered), 'pending'],
    ['fails', attempted(again(delivered), failure), 'failed'],
    ['is taken by a digest', droppedFor(again(delivered), 'digest', 'w', later), 'dismissed'],
    ['is overtaken', droppedFor(again(delivered), 'overtaken', null, later), 'dismissed'],
    ['is held', held(again(delivered), 'The endpoint was deleted.'), 'held'],
    ['is delivered', attempted(again(delivered), success, null, later), 'delivered'],
  ])('keeps its first outcome where the second round %s', (_, second, status) => {
    expect(firstOutcomeOf(second)).toMatchObject(first);
    expect(resentOf(second)).toEqual([{ round: 2, at: later, by: 'eve', status }]);
    expect(deliveryLines([second]).lines).toMatchObject([
      { outcome: 'delivered', finishedAt: plus(now, 5), attempts: 1 },
    ]);
    expect(deliveryLines([second]).pending).toEqual([]);
  });

  test('is delivered still, after its second round failed and a person dismissed that', () => {
    const failed = attempted(again(delivered), failure);
    const reviewed = dismissed(failed, 'eve', later);
    expect(reviewed).toMatchObject({ status: 'delivered', finishedAt: plus(now, 5), outcomes: failed.outcomes });
    expect(reviewed && restored(reviewed, 'eve', later)).toMatchObject({ status: 'failed', outcomes: failed.outcomes });
  });

  test('cannot be dismissed', () => {
    expect(dismissed(delivered, 'eve', now)).toBeNull();
  });
});

test('what only waited goes on in its round when it is released, and its first outcome is how that ends', () => {
  const released = again(held(fresh, 'The endpoint has to prove itself.'));
  expect(released).toMatchObject({ round: { number: 1 }, outcomes: [] });
  expect(firstOutcomeOf(attempted(released, success, null))).toMatchObject({ status: 'delivered', attempts: 1 });
});

test('what was dismissed by a person, or told to stop by its receiver, has that as an outcome when it is sent again', () => {
  const stopped = attempted(fresh, { ...failure, statusCode: 410, isGone: true });
  expect(again(stopped).outcomes).toMatchObject([{ number: 1, status: 'held', attempts: 1 }]);
  const waiting = dismissed(held(fresh, 'paused'), 'ana', now);
  expect(waiting && again(waiting).outcomes).toMatchObject([{ number: 1, status: 'dismissed', endedAt: now }]);
});

test('a success that returns after its round failed stands beside the failure', () => {
  const failed = attempted(leased(fresh, now, 1000), failure);
  const late = attempted(failed, success, null);
  expect(late.outcomes.map(({ number, status }) => [number, status])).toEqual([
    [1, 'failed'],
    [1, 'delivered'],
  ]);
  expect(firstOutcomeOf(late).status).toBe('failed');
});

test('a delivery has a last round, and all rounds with the longest answers fit into a record', () => {
  const text = 'ж'.repeat(8 * 1024);
  let delivery = webhookDelivery(endpoint({ maxAttempts: 11 }), event, now);
  for (let next: Delivery | null = delivery; next; next = redelivered(delivery, 'eve', later)) {
    delivery = next;
    for (let number = 1; number <= 11; number += 1) delivery = attempted(delivery, failure, text);
    expect(delivery.status).toBe('failed');
  }
  expect(delivery.round.number).toBe(mostRounds);
  expect(delivery.attempts).toHaveLength(11 * mostRounds);
  expect(Buffer.byteLength(JSON.stringify(delivery))).toBeLessThan(700_000);
});

test('whatever is done to a delivery, an outcome that was recorded stands, and so do the facts of each attempt', () => {
  const facts = ({ attempts }: Delivery) => attempts.map(({ responseExcerpt: _, ...fact }) => fact);
  const steps: ((delivery: Delivery) => Delivery | null)[] = [
    (delivery) => (delivery.status === 'pending' ? attempted(delivery, success, 'ok') : null),
    (delivery) => (delivery.status === 'pending' ? attempted(delivery, failure, 'no') : null),
    (delivery) => attempted(delivery, success, 'late'),
    (delivery) => attempted(delivery, failure, 'late'),
    (delivery) => (delivery.status === 'pending' ? droppedFor(delivery, 'digest', null, later) : null),
    (delivery) => (delivery.status === 'pending' ? held(delivery, 'why') : null),
    (delivery) => redelivered(delivery, 'eve', later),
    (delivery) => dismissed(delivery, 'eve', later),
    (delivery) => restored(delivery, 'eve', later),
  ];
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: steps.length - 1 }), { maxLength: 15 }), (path) => {
      let delivery: Delivery = fresh;
      for (const step of path) {
        const next = steps[step]?.(delivery) ?? delivery;
        expect(next.outcomes.slice(0, delivery.outcomes.length)).toEqual(delivery.outcomes);
        expect(facts(next).slice(0, delivery.attempts.length)).toEqual(facts(delivery));
        delivery = next;
      }
    }),
  );
});
