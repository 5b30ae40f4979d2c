import { expect, test } from 'vitest';
import { askedInstant } from '../../../shared/app/asked-time.ts';

test.each(['2000-01-01T00:00:00.000Z', '2099-12-31T23:59:59.999Z'])('%s is accepted', (text) => {
  expect(askedInstant(text, '?from')).toBe(text);
});

test.each(['1999-12-31T23:59:59.999Z', '2100-01-01T00:00:00.000Z', '2100-01-01T01:00:00+01:00'])(
  '%s is refused: it is outside of the years 2000 to 2099',
  (text) => {
    const errors = [{ pointer: '?from', detail: 'must be in the years 2000 to 2099' }];
    expect(() => askedInstant(text, '?from')).toThrow(expect.objectContaining({ code: 'invalid-request', errors }));
  },
);
