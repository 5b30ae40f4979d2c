import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAckOrder } from '../../../bridge/forward/ack-order.ts';

test('messages are acknowledged in the order received, whichever is done first, and none before it is done', () => {
  const size = fc.integer({ min: 1, max: 60 });
  const turns = size.chain((count) => fc.shuffledSubarray([...Array(count).keys()], { minLength: count }));
  fc.assert(
    fc.property(turns, (turn) => {
      const acknowledged: number[] = [];
      const order = createAckOrder((messageId) => acknowledged.push(messageId));
      const dones = turn.map((_, messageId) => order.received(messageId));
      const done = new Set<number>();
      for (const messageId of turn) {
        done.add(messageId);
        dones[messageId]?.();
        let isNext = 0;
        while (done.has(isNext)) isNext += 1;
        expect(acknowledged).toEqual([...Array(isNext).keys()]);
      }
    }),
  );
});

test('a message that needs no acknowledgement delays none, once it is done', () => {
  const acknowledged: number[] = [];
  const order = createAckOrder((messageId) => acknowledged.push(messageId));
  const [first, free, last] = [order.received(1), order.received(null), order.received(2)];
  last();
  first();
  expect(acknowledged).toEqual([1]);
  free();
  expect(acknowledged).toEqual([1, 2]);
});

test('it stays in order over more messages than it keeps at once', () => {
  const acknowledged: number[] = [];
  const order = createAckOrder((messageId) => acknowledged.push(messageId));
  for (let messageId = 0; messageId < 5000; messageId += 1) order.received(messageId)();
  expect(acknowledged).toEqual([...Array(5000).keys()]);
});
