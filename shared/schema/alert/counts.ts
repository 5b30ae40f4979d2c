import Type from 'typebox';
import { closed } from '../common.ts';
import { type Severity, severities } from '../vocabulary.ts';

const Count = Type.Integer({ minimum: 0 });
/** A number for each severity. */
export const Counts = Type.Object(
  Object.fromEntries(severities.map((severity) => [severity, Count])) as Record<Severity, typeof Count>,
  closed,
);
