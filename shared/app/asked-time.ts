import { type Instant, toInstant } from '../domain/time.ts';
import { AppError } from '../errors.ts';

/** No camera was watched before the first date, and nobody plans beyond the second. */
const [first, last] = ['2000-01-01T00:00:00.000Z', '2100-01-01T00:00:00.000Z'];

/**
 * The instant that a query asks for, limited to a range that later arithmetic cannot leave.
 * @throws AppError `invalid-request`
 */
export function askedInstant(text: string, pointer: string): Instant {
  const at = toInstant(text);
  if (first <= at && at < last) return at;
  const detail = 'must be in the years 2000 to 2099';
  throw new AppError('invalid-request', 'The query is not valid.', { errors: [{ pointer, detail }] });
}
