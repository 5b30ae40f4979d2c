import { describe, expect, test } from 'vitest';
import {
  checkpointPart,
  devicesOfPart,
  firstCheckpoint,
  isOvertaken,
  numbered,
  type SequenceRecord,
} from '../../../../shared/domain/delivery/sequence.ts';
import { webhookDelivery } from '../../../../shared/domain/delivery/webhook-events.ts';
import { uuidOf } from '../../../support/records/alerts.ts';
import { endpoint } from '../../../support/records/deliveries.ts';
import { startOfTests } from '../../../support/world/world.ts';

const hour = 3_600_000;
const [one, two, plain] = [1, 2, 3].map((n) => endpoint({ webhookId: uuidOf(n), sequenced: n < 3 }));
if (!one || !two || !plain) throw new Error('there are three');
const device = { deviceId: 'cam-1', groupId: 'north' };
const pending = (...webhooks: (typeof one)[]) =>
  webhooks.map((webhook) => {
    const event = { eventType: 'detection', eventId: 's', alertId: null, ...device, body: '{}' };
    return webhookDelivery(webhook, event, startOfTests);
  });
const all = [one, two, plain];

describe('the numbers of a device', () => {
  test('each endpoint has its own, and one that does not count has none', () => {
    const first = numbered(pending(one, plain), null, all, device);
    const { deliveries, record } = numbered(pending(one, two, plain), first.record, all, device);
    expect(first.deliveries.map(({ sequence }) => sequence)).toEqual([1, undefined]);
    expect(deliveries.map(({ sequence }) => sequence)).toEqual([2, 1, undefined]);
    const last = { [one.webhookId]: 2, [two.webhookId]: 1 };
    expect(record).toEqual({ ...device, endpoints: [one.webhookId, two.webhookId], last });
  });

  test('go on where they stood when an endpoint counts again, and are gone with an endpoint that was deleted', () => {
    const before = numbered(pending(one, two), null, all, device).record;
    const without = numbered(pending(two), before, [{ ...one, sequenced: false }, two], device).record;
    expect(numbered(pending(one), without, all, device).deliveries[0]?.sequence).toBe(2);
    expect(numbered(pending(two), before, [two], device).record.endpoints).toEqual([two.webhookId]);
  });
});

describe('a checkpoint', () => {
  const round = firstCheckpoint(one.webhookId, startOfTests, hour);
  const found = (count: number, groupId = 'north') =>
    Array.from({ length: count }, (_, index): SequenceRecord => {
      const last = { [one.webhookId]: index + 1 };
      return { deviceId: `cam-${index}`, groupId, endpoints: [one.webhookId], last };
    });
  const at = round.dueAt;

  test('names the last number of each device, and the next one comes an hour later', () => {
    const { delivery, next } = checkpointPart(round, one, found(2), at, hour);
    expect(JSON.parse(delivery?.body ?? '')).toEqual({
      ...{ eventType: 'checkpoint', version: '1.0', timestamp: at, webhookId: one.webhookId },
      ...{ part: 1, isLast: true, sequences: { 'cam-0': 1, 'cam-1': 2 } },
    });
    expect(Date.parse(next.dueAt) - Date.parse(at)).toBe(hour);
    expect(next).toMatchObject({ part: 1, after: null });
  });

  test('of many devices comes in parts, each under an id of its own and below the size of a record', () => {
    const first = checkpointPart(round, one, found(devicesOfPart), at, hour);
    expect(first.next).toMatchObject({ part: 2, after: `cam-${devicesOfPart - 1}`, dueAt: at });
    expect(JSON.parse(first.delivery?.body ?? '').isLast).toBe(false);
    const second = checkpointPart(first.next, one, found(3), at, hour);
    expect(second.delivery?.deliveryId).not.toBe(first.delivery?.deliveryId);
    expect(JSON.parse(second.delivery?.body ?? '')).toMatchObject({ part: 2, isLast: true });
    const long = found(devicesOfPart).map((each, index) => ({ ...each, deviceId: `${index}`.padStart(128, 'x') }));
    expect(checkpointPart(round, one, long, at, hour).delivery?.body.length).toBeLessThan(300_000);
  });

  test('hides devices of groups that the endpoint no longer takes', () => {
    const narrow = { ...one, filter: { groups: ['south'] } };
    const { delivery } = checkpointPart(round, narrow, [...found(2), ...found(1, 'south')], at, hour);
    expect(JSON.parse(delivery?.body ?? '').sequences).toEqual({ 'cam-0': 1 });
  });

  test('is not made for an endpoint that gets nothing now, and is not made up for', () => {
    const late = new Date(Date.parse(at) + 5 * hour).toISOString();
    const { delivery, next } = checkpointPart(round, { ...one, isEnabled: false }, [], late, hour);
    expect(delivery).toBe(null);
    expect(Date.parse(next.dueAt) - Date.parse(late)).toBe(hour);
  });

  test('that was made for another address or other groups is overtaken', () => {
    const { delivery } = checkpointPart(round, one, found(1), at, hour);
    if (!delivery) throw new Error('there is one');
    expect(isOvertaken(delivery, one)).toBe(false);
    expect(isOvertaken(delivery, { version: one.version + 1 })).toBe(true);
    expect(isOvertaken({ ...delivery, eventType: 'detection' }, { version: 7 })).toBe(false);
  });
});
