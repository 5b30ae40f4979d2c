import { describe, expect, test } from 'vitest';
import type { Bearer } from '../../../../shared/app/bearer.ts';
import { toDeliverySummary, toWireDelivery } from '../../../../shared/app/deliveries/view.ts';
import type { Attempt, Delivery } from '../../../../shared/domain/delivery/delivery.ts';
import { webhookDelivery } from '../../../../shared/domain/delivery/webhook-events.ts';
import { ana } from '../../../support/records/alerts.ts';
import { endpoint } from '../../../support/records/deliveries.ts';
import { startOfTests } from '../../../support/world/world.ts';

const named = { deviceName: 'Kitchen', site: null };
const limited: Bearer = { ...ana, groups: ['north'] };
const mail = 'anna.berg@example.com';
const attempt = (given: Partial<Attempt> = {}): Attempt => ({
  ...{ number: 1, round: 1, at: startOfTests, durationMs: 5, statusCode: 500, errorClass: 'http_status' },
  ...{ detail: `${mail} is unknown`, responseExcerpt: `no ${mail}` },
  ...given,
});

function delivery(given: Partial<Delivery> = {}): Delivery {
  const event = { eventType: 'alert', eventId: 'e', alertId: 'a', deviceId: 'cam-1', groupId: 'north', body: '{}' };
  return { ...webhookDelivery(endpoint(), event, startOfTests), attempts: [attempt()], ...given };
}

describe('the body of a delivery', () => {
  test.each<[string, Partial<Delivery>, string | null]>([
    ['an endpoint', {}, '{"a":1}'],
    ['a challenge', { eventType: 'challenge' }, null],
    ['a mail', { channel: 'email' }, null],
    ['a mail with a challenge', { channel: 'email', eventType: 'challenge' }, null],
  ])('to %s is shown: %#', (_, given, expected) => {
    expect(toWireDelivery(delivery(given), ana, { body: '{"a":1}', named, actions: [] }).payload).toBe(expected);
  });

  test('is null once it has expired', () => {
    expect(toWireDelivery(delivery(), ana, { body: null, named, actions: [] }).payload).toBeNull();
  });
});

describe('addresses in answers and names', () => {
  const given = { channel: 'email', targetName: `operations ${mail}` } as const;
  const texts = (of: Partial<Delivery>, bearer: Bearer) => {
    const { target, attempts } = toDeliverySummary(delivery(of), bearer, named, []);
    return [target, attempts[0]?.detail, attempts[0]?.responseExcerpt].map((text) => text?.includes(mail));
  };

  test.each<[string, Bearer, boolean]>([
    ['a bearer of all groups', ana, true],
    ['a limited bearer', limited, false],
    ['a limited bearer with the scope', { ...limited, scopes: new Set(['contacts:read']) }, true],
  ])('of a mail are for %s: %#', (_, bearer, expected) => {
    expect(texts(given, bearer)).toEqual([expected, expected, expected]);
  });

  test('of an endpoint are for everybody, because they are its own', () => {
    expect(texts({ targetName: mail }, limited)).toEqual([true, true, true]);
  });

  test('are absent where an attempt has neither', () => {
    const attempts = [attempt({ detail: null, responseExcerpt: null })];
    expect(toDeliverySummary(delivery({ ...given, attempts }), limited, named, []).attempts).toMatchObject([
      { detail: null, responseExcerpt: null },
    ]);
  });
});

test.each([
  [200, 200],
  [201, 200],
])('an answer of %i characters is listed with %i, and shown whole by itself', (length, listed) => {
  const given = delivery({ attempts: [attempt({ responseExcerpt: 'x'.repeat(length) })] });
  expect(toDeliverySummary(given, ana, named, []).attempts[0]?.responseExcerpt).toHaveLength(listed);
  const { attempts } = toWireDelivery(given, ana, { body: null, named, actions: [] });
  expect(attempts[0]?.responseExcerpt).toHaveLength(length);
});

test.each<[string, Partial<Delivery>, object]>([
  ['waits', { dueAt: startOfTests, leasedUntil: null }, { nextAttemptAt: startOfTests }],
  ['is under way', { dueAt: startOfTests, leasedUntil: startOfTests }, { nextAttemptAt: null }],
  ['has ended', { dueAt: null }, { nextAttemptAt: null }],
  ['was overtaken', { dismissedReason: 'overtaken' }, { dismissedReason: 'overtaken' }],
  ['was not dismissed', {}, { dismissedReason: null, deviceName: 'Kitchen', site: null }],
  ['has a number', { sequence: 0 }, { sequence: 0 }],
])('a delivery that %s', (_, given, expected) => {
  expect(toDeliverySummary(delivery(given), ana, named, [])).toMatchObject(expected);
});

test('a delivery without a number shows none', () => {
  expect(toDeliverySummary(delivery(), ana, named, [])).not.toHaveProperty('sequence');
});
