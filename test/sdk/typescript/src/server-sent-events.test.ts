import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createEventReader } from '../../../../sdk/typescript/src/server-sent-events.ts';

const text =
  'retry: 250\nid: 1\n: hello\n\n: still here\n\nid:2\nevent: alert\ndata: {"a":\ndata: 1}\n\nid: 3\n\ndata\n\nid: cut';
const expected = [
  { id: '1', event: 'message', data: null, retryMs: 250 },
  { id: '2', event: 'alert', data: '{"a":\n1}', retryMs: null },
  { id: '3', event: 'message', data: null, retryMs: null },
  { id: null, event: 'message', data: '', retryMs: null },
];

test('events are the same for every split of the text and every kind of line end', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.array(fc.nat({ max: text.length * 2 }), { maxLength: 20 }),
      (end, cuts) => {
        const whole = text.replaceAll('\n', end);
        const read = createEventReader();
        const places = [0, ...cuts.map((cut) => cut % whole.length).toSorted((a, b) => a - b), whole.length];
        const events = places.slice(1).flatMap((to, at) => read(whole.slice(places[at], to)));
        expect(events).toEqual(expected);
      },
    ),
  );
});

test('an event that does not end is not stored without limit', () => {
  const read = createEventReader();
  expect(() => {
    for (let count = 0; count < 100; count += 1) read('x'.repeat(100_000));
  }).toThrow('does not end');
});
