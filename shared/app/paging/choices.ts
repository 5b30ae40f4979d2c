import { AppError } from '../../errors.ts';
import type { Filter, Kind, Records } from '../ports.ts';

/** Maximum number of value combinations over all filters of a list. The store accepts 30 per query, so more need several queries. */
const maxCombinations = 900;

/** Members with the requested values. Undefined: no restriction. */
export type Choice<K extends Kind> = [field: keyof Records[K] & string, values: readonly unknown[] | undefined];

/** Filters that accept any of the chosen values. @throws AppError `invalid-request` for too many combined values */
export function filtersOfChoices<K extends Kind>(choices: readonly Choice<K>[]): Filter<K>[] {
  const combinations = choices.reduce((product, [, values]) => product * (values?.length ?? 1), 1);
  if (combinations > maxCombinations) {
    throw new AppError(
      'invalid-request',
      `These filters combine to ${combinations} values; at most ${maxCombinations} can be asked for at once.`,
    );
  }
  return choices.flatMap(([field, values]): Filter<K>[] => {
    if (!values) return [];
    return values.length === 1 ? [{ field, is: '==', value: values[0] }] : [{ field, is: 'in', value: values }];
  });
}
