import { describe, expect, test } from 'vitest';
import {
  afterAttempt,
  dismissed,
  held,
  jitterOf,
  leased,
  postponed,
  redelivered,
} from '../../../../shared/domain/delivery/decision.ts';
import type { Attempt, Delivery, SendOutcome } from '../../../../shared/domain/delivery/delivery.ts';
import { webhookDelivery } from '../../../../shared/domain/delivery/webhook-events.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { msBetween, plus } from '../../../../shared/domain/time.ts';
import type { DeliveryStatus } from '../../../../shared/schema/vocabulary.ts';
import { endpoint, failure, success } from '../../../support/records/deliveries.ts';
import { startOfTests as now } from '../../../support/world/world.ts';

const event = { eventType: 'alert', eventId: 'a:1', alertId: 'a', deviceId: 'cam-1', groupId: 'north', body: '{}' };
const fresh = webhookDelivery(endpoint({ maxAttempts: 2 }), event, now);
const inStatus = (status: DeliveryStatus): Delivery => ({ ...fresh, status });

function attempted(delivery: Delivery, outcome: SendOutcome, number = delivery.attemptCount + 1): Delivery {
  const { statusCode, errorClass, detail, responseExcerpt } = outcome;
  const made = { number, round: delivery.round.number, at: now, durationMs: 250 };
  const attempt: Attempt = { ...made, statusCode, errorClass, detail, responseExcerpt };
  return afterAttempt(delivery, outcome, attempt, waitsAt(1));
}

test('a leased delivery is due again at the end of the lease, so that it outlives the process that took it', () => {
  const lease = leased(fresh, now, 20_000);
  expect(lease).toMatchObject({ status: 'pending', leasedUntil: plus(now, 20_000), dueAt: plus(now, 20_000) });
  expect(lease.version).toBe(fresh.version + 1);
});

test('each change that ends a delivery, for now or for good, is one version', () => {
  const ends = [held(fresh, 'why'), attempted(fresh, success), attempted(attempted(fresh, failure), failure)];
  expect(ends.map(({ status, version }) => [status, version - fresh.version])).toEqual([
    ['held', 1],
    ['delivered', 1],
    ['failed', 2],
  ]);
});

test('a postponed delivery gives its lease back and has cost no attempt', () => {
  const later = postponed(leased(fresh, now, 20_000), plus(now, 5000));
  expect(later).toMatchObject({ status: 'pending', leasedUntil: null, dueAt: plus(now, 5000), attemptCount: 0 });
});

describe('after an attempt', () => {
  test('that was taken the delivery is over', () => {
    const done = attempted(leased(fresh, now, 20_000), success);
    expect(done).toMatchObject({ status: 'delivered', dueAt: null, leasedUntil: null, finishedAt: plus(now, 250) });
    expect(done.attempts).toHaveLength(1);
  });

  test('that failed it is due by the schedule, counted from the end of the attempt', () => {
    const next = attempted(leased(fresh, now, 20_000), failure);
    expect(next).toMatchObject({ status: 'pending', leasedUntil: null, attemptCount: 1, finishedAt: null });
    const delay = msBetween(plus(now, 250), next.dueAt ?? '');
    expect(delay).toBeGreaterThanOrEqual(30_000);
    expect(delay).toBeLessThanOrEqual(33_000);
  });

  test('that was the last of its round it has failed', () => {
    const last = attempted(attempted(fresh, failure), failure);
    expect(last).toMatchObject({ status: 'failed', attemptCount: 2, dueAt: null, finishedAt: plus(now, 250) });
  });

  test('that no other try can help it has failed at once', () => {
    expect(attempted(fresh, { ...failure, isRetryable: false })).toMatchObject({ status: 'failed', dueAt: null });
  });

  test('that was answered 410 it waits for a person, though attempts are left', () => {
    const gone = attempted(fresh, { ...failure, statusCode: 410, isGone: true });
    expect(gone).toMatchObject({ status: 'held', dueAt: null, heldReason: expect.stringContaining('410') });
  });

  test.each(['held', 'dismissed', 'failed'] as const)(
    'that comes back to a %s delivery a failure is only noted',
    (status) => {
      const ended = { ...inStatus(status), dueAt: null };
      expect(attempted(ended, failure)).toEqual({ ...ended, attempts: [expect.anything()], attemptCount: 1 });
      expect(attempted(ended, success)).toMatchObject({ status: 'delivered', heldReason: null });
    },
  );

  test('the record keeps the first attempt and the latest nineteen, and counts all of them', () => {
    let delivery: Delivery = { ...fresh, maxAttempts: 100 };
    for (let number = 1; number <= 25; number += 1) delivery = attempted(delivery, failure);
    expect(delivery.attempts.map(({ number }) => number)).toEqual([
      1,
      ...Array.from({ length: 19 }, (_, index) => index + 7),
    ]);
    expect(delivery.attemptCount).toBe(25);
  });
});

test('a redelivery begins a round of its own, due at once', () => {
  const failed = attempted(attempted(fresh, failure), failure);
  const again = redelivered(failed, 'ana', now);
  expect(again).toMatchObject({ status: 'pending', dueAt: now, earlierAttempts: 2, finishedAt: null });
  if (!again) throw new Error('not redelivered');
  expect(attempted(again, failure).status).toBe('pending');
  expect(attempted(attempted(again, failure), failure).status).toBe('failed');
});

test.each<[DeliveryStatus, mayRedeliver: boolean, mayDismiss: boolean]>([
  ['pending', false, false],
  ['delivered', true, false],
  ['failed', true, true],
  ['held', true, true],
  ['dismissed', true, false],
])('a %s delivery: may be sent again %s, may be dismissed %s', (status, mayRedeliver, mayDismiss) => {
  expect(redelivered(inStatus(status), 'ana', now) !== null).toBe(mayRedeliver);
  expect(dismissed(inStatus(status), 'ana', now) !== null).toBe(mayDismiss);
});

test('a held delivery is due never and says why', () => {
  expect(held(fresh, 'The endpoint was deleted.')).toMatchObject({
    status: 'held',
    dueAt: null,
    heldReason: 'The endpoint was deleted.',
  });
});

test('the jitter of a delivery and number is always the same, from 0 to 1, and apart from that of others', () => {
  const ids = Array.from({ length: 200 }, (_, index) => `delivery-${index}`);
  const shares = ids.map((deliveryId) => jitterOf({ deliveryId }, 1));
  expect(ids.map((deliveryId) => jitterOf({ deliveryId }, 1))).toEqual(shares);
  expect(new Set(shares).size).toBe(200);
  for (const share of shares) expect(share >= 0 && share < 1).toBe(true);
  expect(jitterOf({ deliveryId: 'a' }, 1)).not.toBe(jitterOf({ deliveryId: 'a' }, 2));
});
