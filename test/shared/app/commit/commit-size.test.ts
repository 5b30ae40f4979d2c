import { describe, expect, test } from 'vitest';
import { withinOneCommit } from '../../../../shared/app/commit/commit.ts';
import { deliveryCreation, deliveryWakes } from '../../../../shared/app/deliveries/wakes.ts';
import type { Wake, Write } from '../../../../shared/app/ports.ts';
import type { Delivery } from '../../../../shared/domain/delivery/delivery.ts';
import { partLimits } from '../../../../shared/domain/delivery/fan-out.ts';
import { webhookDelivery } from '../../../../shared/domain/delivery/webhook-events.ts';
import type { EventRecord } from '../../../../shared/domain/event/event.ts';
import { endpoint } from '../../../support/records/deliveries.ts';
import { startOfTests as now } from '../../../support/world/world.ts';

/** The estimated size of a delivery without its body. */
const overhead = 2048;

/** Deliveries of one event to `count` endpoints. */
function pending(count: number, event: string, { body = '{}', recordId }: { body?: string; recordId?: string } = {}) {
  const seed = { eventType: 'alert', eventId: event, alertId: null, deviceId: 'cam-1', groupId: 'north', body };
  return Array.from({ length: count }, (_, index) =>
    webhookDelivery(
      endpoint({ webhookId: `${event}-${index}` }),
      { ...seed, ...(recordId ? { recordId, body: '' } : {}) },
      now,
    ),
  );
}

const states = (count: number): Write[] =>
  Array.from({ length: count }, (_, index) => ({ kind: 'patch', in: 'webhooks', id: `w-${index}`, set: {} }));

/** A decision with these deliveries and `others` other writes. */
function work(deliveries: Delivery[], others = 0): { writes: Write[]; wakes: Wake[]; answer: string } {
  const writes = [...states(others), ...deliveries.map(deliveryCreation)];
  return { writes, wakes: deliveryWakes(deliveries), answer: 'done' };
}

/** How many writes of each kind of record. */
function counted({ writes }: { writes: readonly Write[] }): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(writes, (write) => write.in)].map(([kind, each]) => [kind, each.length]));
}

describe('a commit has at most 400 writes', () => {
  test('so a decision with 400 writes does not change', () => {
    const decided = work(pending(10, 'a'), 390);
    expect(withinOneCommit(decided, () => now)).toBe(decided);
  });

  test('so with 401 writes the deliveries become one record with one wake', () => {
    const decided = work(pending(10, 'a'), 391);
    const fitting = withinOneCommit(decided, () => now);
    expect(fitting.answer).toBe('done');
    expect(counted(fitting)).toEqual({ webhooks: 391, fanOuts: 1 });
    const [fanOut] = fitting.writes.filter((write) => write.kind === 'create' && write.in === 'fanOuts');
    expect(fanOut).toMatchObject({ data: { count: 10, made: 0, dueAt: now, version: 1 } });
    expect(fitting.wakes).toEqual([{ in: 'fanOuts', id: fanOut?.id, version: 1, dueAt: now }]);
  });

  test('but a single delivery stays a delivery, even if nothing else can be moved', () => {
    const decided = work(pending(1, 'a'), 401);
    const fitting = withinOneCommit(decided, () => now);
    expect([fitting.writes, fitting.wakes]).toEqual([decided.writes, decided.wakes]);
  });

  test('and two deliveries with the same body can become a record', () => {
    expect(counted(withinOneCommit(work(pending(2, 'a'), 399), () => now))).toEqual({ webhooks: 399, fanOuts: 1 });
  });
});

describe('a commit has at most three megabytes of bodies', () => {
  const filling = partLimits.bytes - 2 * overhead;

  test.each([
    [0, { deliveries: 2 }],
    [1, { fanOuts: 1 }],
  ])('with %i bytes more: %o', (more, expected) => {
    const body = 'x'.repeat(filling / 2);
    const deliveries = pending(2, 'a', { body });
    const [first] = deliveries;
    if (more > 0 && first) for (const each of deliveries) each.body = `${body}x`;
    expect(counted(withinOneCommit(work(deliveries), () => now))).toEqual(expected);
  });

  test.each([
    [0, { events: 1, deliveries: 2 }],
    [1, { events: 1, fanOuts: 1 }],
  ])('together with the bodies of the events that it creates, with %i bytes more: %o', (more, expected) => {
    const data = { body: 'x'.repeat(filling + more) } as EventRecord;
    const decided = work(pending(2, 'a', { recordId: 'r-1' }));
    const event: Write = { kind: 'create', in: 'events', id: 'r-1', data };
    const fitting = withinOneCommit({ ...decided, writes: [event, ...decided.writes] }, () => now);
    expect(counted(fitting)).toEqual(expected);
  });

  test('and bodies of existing records do not count', () => {
    const [delivery, ...others] = pending(3, 'a', { body: 'x'.repeat(10) });
    if (!delivery) throw new Error('there is no delivery');
    const data = { ...delivery, body: 'x'.repeat(partLimits.bytes) };
    const again: Write = { kind: 'replace', in: 'deliveries', id: data.deliveryId, data, revision: '1' as never };
    const decided = { ...work(others), writes: [again, ...others.map(deliveryCreation)] };
    expect(withinOneCommit(decided, () => now)).toBe(decided);
  });
});

describe('if only some deliveries must be moved', () => {
  test('those with the most bytes are, and the others stay with their wakes', () => {
    const small = pending(100, 'small');
    const large = pending(80, 'large', { body: `{"long":"${'x'.repeat(2000)}"}` });
    const fitting = withinOneCommit(work([...small, ...large], 290), () => now);
    expect(counted(fitting)).toEqual({ webhooks: 290, deliveries: 100, fanOuts: 1 });
    expect(fitting.writes.filter((write) => write.in === 'deliveries')).toEqual(small.map(deliveryCreation));
    expect(fitting.wakes.slice(0, -1)).toEqual(deliveryWakes(small));
    expect(fitting.wakes.at(-1)).toMatchObject({ in: 'fanOuts', version: 1, dueAt: now });
  });

  test('the deliveries of both events are moved if one is not enough, each event into its own record', () => {
    const decided = work([...pending(150, 'a', { recordId: 'r-1' }), ...pending(150, 'b', { recordId: 'r-2' })], 390);
    expect(counted(withinOneCommit(decided, () => now))).toEqual({ webhooks: 390, fanOuts: 2 });
  });

  test('other records and wakes with the id of a delivery stay', () => {
    const deliveries = pending(20, 'a');
    const id = deliveries[0]?.deliveryId ?? '';
    const decided = work(deliveries, 390);
    const same: Write = { kind: 'patch', in: 'teams', id, set: {} };
    const wake: Wake = { in: 'alerts', id, version: 1, dueAt: now };
    const fitting = withinOneCommit({ writes: [...decided.writes, same], wakes: [wake, ...decided.wakes] }, () => now);
    expect(counted(fitting)).toEqual({ webhooks: 390, teams: 1, fanOuts: 1 });
    expect(fitting.wakes.map((each) => each.in)).toEqual(['alerts', 'fanOuts']);
  });
});
