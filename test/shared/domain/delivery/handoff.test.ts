import { describe, expect, test } from 'vitest';
import { type Delivery, newDelivery } from '../../../../shared/domain/delivery/delivery.ts';
import { type Handed, isStale, turnOf } from '../../../../shared/domain/delivery/handoff.ts';
import type { HandoffAction } from '../../../../shared/schema/settings/handoff-kinds.ts';
import { at } from '../../../support/world/timeline.ts';

const order = (action: HandoffAction) => ({
  about: 'alert' as const,
  key: 'a-1',
  action,
  behind: null,
  isRepeated: false,
});
const delivery = (given: Partial<Delivery> = {}): Delivery => ({
  ...newDelivery(
    {
      ...{ deliveryId: 'd-1', channel: 'handoff', targetName: 'night: pager', eventType: 'alert', eventId: 'e' },
      ...{ alertId: 'a-1', deviceId: 'cam-1', groupId: 'north', body: '{}', maxAttempts: 5 },
      target: { kind: 'handoff', team: 'night', handoffId: 'h-1' },
      handoff: order('trigger'),
    },
    at(0),
  ),
  ...given,
});

describe('what a hand-off is notified comes in its order', () => {
  test('a beginning or an end leaves at once, in place of all before it that has not left', () => {
    const earlier = [delivery(), delivery({ deliveryId: 'd-0' })];
    for (const action of ['trigger', 'resolve'] as const) {
      expect(turnOf(order(action), earlier, at(9))).toEqual({ kind: 'leaves', drops: earlier });
      expect(turnOf(order(action), [], at(9))).toEqual({ kind: 'leaves', drops: [] });
    }
    expect(turnOf(order('acknowledge'), [], at(9))).toEqual({ kind: 'leaves', drops: [] });
  });

  test.each([
    [at(30), 32],
    [at(9), 11],
    [at(5), 11],
    [null, 11],
  ])('that somebody has it waits for the beginning, which is due at %s', (dueAt, seconds) => {
    expect(turnOf(order('acknowledge'), [delivery({ dueAt })], at(9))).toEqual({ kind: 'waits', until: at(seconds) });
  });

  test('nothing overtakes an attempt that is under way', () => {
    const under = [delivery(), delivery({ leasedUntil: at(9.001) })];
    expect(turnOf(order('resolve'), under, at(9))).toEqual({ kind: 'waits', until: at(11) });
    const over = [delivery({ leasedUntil: at(9) })];
    expect(turnOf(order('resolve'), over, at(9))).toEqual({ kind: 'leaves', drops: over });
  });
});

describe('what a delivery says is stale', () => {
  const handed = (action: HandoffAction, deliveryId = 'd-2', handoffId = 'h-1', behind = 'd-1'): Handed => ({
    handoffId,
    action,
    deliveryId,
    behind,
  });

  test.each<[string, HandoffAction, Handed[], boolean]>([
    ['after something later was sent', 'trigger', [handed('resolve')], true],
    ['of an acknowledgement, after it was resolved', 'acknowledge', [handed('resolve')], true],
    ['of an end, after it began anew', 'resolve', [handed('trigger')], true],
    ['of an end, after somebody had it', 'resolve', [handed('acknowledge')], true],
    ['but not that it is open, after somebody has it', 'trigger', [handed('acknowledge')], false],
    [
      'that it is open, after it was open anew and somebody had that',
      'trigger',
      [handed('acknowledge', 'd-9', 'h-1', 'd-8')],
      true,
    ],
    ['but not where it is the last', 'trigger', [handed('trigger', 'd-1')], false],
    ['but not where another hand-off was notified', 'trigger', [handed('resolve', 'd-2', 'h-2')], false],
    ['but not where nothing was sent', 'trigger', [], false],
  ])('%s', (_, action, notified, expected) => {
    expect(isStale(delivery({ handoff: order(action) }), notified)).toBe(expected);
  });

  test('never where it is for no hand-off', () => {
    const { handoff: _, ...other } = delivery();
    expect(isStale(other, [handed('resolve')])).toBe(false);
    const elsewhere = delivery({ target: { kind: 'webhook', webhookId: 'h-1' } });
    expect(isStale(elsewhere, [handed('resolve')])).toBe(false);
  });
});
