import { AppError } from '../../errors.ts';
import type { Filter, Kind, Records } from '../ports.ts';

/** Values that one list may ask for in all, multiplied over its filters: the store answers 30 at a time, each a query of its own. */
const maxCombinations = 900;

/** Members with the values that are asked for; undefined asks nothing. */
export type Choice<K extends Kind> = [field: keyof Records[K] & string, values: readonly unknown[] | undefined];

/** Filters that let any of the chosen values pass. @throws AppError `invalid-request` for too many combined values */
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
