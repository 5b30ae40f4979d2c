import { expect, test } from 'vitest';
import { heartbeatIdOf, heartbeatOf } from '../../../../shared/domain/drill/heartbeat.ts';
import { at } from '../../../support/world/timeline.ts';

test('a watchdog address has one delivery, which each beat writes anew', () => {
  const first = heartbeatOf(0, null, at(0));
  if (!first) throw new Error('there is no beat');
  expect(first).toMatchObject({
    deliveryId: heartbeatIdOf(0),
    channel: 'webhook',
    target: { kind: 'heartbeat', index: 0 },
    targetName: 'heartbeat 1',
    eventType: 'heartbeat',
    eventId: 'heartbeat 1',
    maxAttempts: 1,
    status: 'pending',
    createdAt: at(0),
    dueAt: at(0),
    version: 1,
  });
  const sent = { ...first, status: 'delivered' as const, dueAt: null, version: 4 };
  expect(heartbeatOf(0, sent, at(60))).toMatchObject({
    deliveryId: first.deliveryId,
    status: 'pending',
    createdAt: at(0),
    dueAt: at(60),
    version: 5,
  });
});

test('a beat that was not sent yet needs no second one, and one that failed does', () => {
  const first = heartbeatOf(1, null, at(0));
  if (!first) throw new Error('there is no beat');
  expect(heartbeatOf(1, first, at(60))).toBeNull();
  expect(heartbeatOf(1, { ...first, status: 'failed' }, at(60))?.eventId).toBe('heartbeat 2');
  expect(heartbeatIdOf(1)).not.toBe(heartbeatIdOf(0));
});
