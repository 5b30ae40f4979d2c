import { expect, test } from 'vitest';
import type { Delivery } from '../../../../shared/domain/delivery/delivery.ts';
import { bytesOf, type FanOut, fanOutOf, nextPart, partLimits } from '../../../../shared/domain/delivery/fan-out.ts';
import { webhookDelivery } from '../../../../shared/domain/delivery/webhook-events.ts';
import { endpoint } from '../../../support/records/deliveries.ts';
import { startOfTests as now } from '../../../support/world/world.ts';

function deliveriesOf(count: number, body = '{"a":1}'): [Delivery, ...Delivery[]] {
  const event = { eventType: 'detection', eventId: 's-1', alertId: null, deviceId: 'cam-1', groupId: 'north', body };
  const one = (index: number) =>
    webhookDelivery(endpoint({ webhookId: `w-${index}`, isEnabled: index % 3 !== 0 }), event, now);
  return [one(0), ...Array.from({ length: count - 1 }, (_, index) => one(index + 1))];
}

function parts(fanOut: FanOut): Delivery[][] {
  const { part, rest } = nextPart(fanOut);
  return rest ? [part, ...parts(rest)] : [part];
}

test.each([1, 2, 300, 301, 1000])('%i deliveries come back as they were, part by part, each once', (count) => {
  const deliveries = deliveriesOf(count);
  const made = parts(fanOutOf(deliveries, now));
  expect(made.flat()).toEqual(deliveries);
  expect(made).toHaveLength(Math.ceil(count / partLimits.writes));
});

test('parts of a large body stay within what one commit may hold', () => {
  const made = parts(fanOutOf(deliveriesOf(40, 'x'.repeat(400_000)), now));
  for (const part of made) expect(bytesOf(part)).toBeLessThanOrEqual(partLimits.bytes);
  expect(made.flat()).toHaveLength(40);
});

test('a body larger than a part still leaves, one delivery at a time', () => {
  const made = parts(fanOutOf(deliveriesOf(3, 'x'.repeat(partLimits.bytes + 1)), now));
  expect(made.map((part) => part.length)).toEqual([1, 1, 1]);
});

test('the same deliveries give the same record, others another', () => {
  expect(fanOutOf(deliveriesOf(3), now)).toEqual(fanOutOf(deliveriesOf(3), now));
  expect(fanOutOf(deliveriesOf(3), now).fanOutId).not.toBe(fanOutOf(deliveriesOf(4), now).fanOutId);
});

test('what all share is written once', () => {
  const { deliveries, body } = fanOutOf(deliveriesOf(1000, 'x'.repeat(1000)), now);
  expect(body).toHaveLength(1000);
  expect(deliveries.length / 1000).toBeLessThan(400);
  expect(deliveries).not.toContain('xxx');
});
