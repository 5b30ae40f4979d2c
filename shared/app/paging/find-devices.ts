import { beginningLabel, hasWord, wordsOf } from '../../domain/registry/labels.ts';
import { AppError } from '../../errors.ts';
import { type Bearer, visibleGroups } from '../bearer.ts';
import type { Filter, Reads } from '../ports.ts';
import { filtersOfChoices } from './choices.ts';

/** A list of records that belong to devices cannot filter by more devices than this. */
const maxFound = 100;

/** The words of a search, the longest first, because it matches the fewest devices. */
export function soughtWords(q: string | undefined): string[] {
  return wordsOf(q ?? '').toSorted((one, other) => other.length - one.length);
}

/**
 * The ids of the devices that match the words of a search, in the groups that the bearer may see.
 * @throws AppError `invalid-request` where there are too many
 */
export async function findDeviceIds(
  { store }: Reads<'devices'>,
  bearer: Bearer,
  groupIds: readonly string[] | undefined,
  q: string,
): Promise<string[]> {
  const words = soughtWords(q);
  const [longest] = words;
  const groups = visibleGroups(groupIds, bearer.groups);
  if (longest === undefined || groups?.length === 0) return [];
  const where: Filter<'devices'>[] = [
    ...filtersOfChoices<'devices'>([['groupId', groups ?? undefined]]),
    { field: 'labels', is: 'array-contains', value: beginningLabel(longest) },
  ];
  const found = await store.find({ in: 'devices', where, orderBy: [['deviceId', 'asc']], limit: maxFound + 1 });
  if (found.length > maxFound) {
    const detail = `matches more than ${maxFound} devices: use more of the name, or a site`;
    throw new AppError('invalid-request', `?q ${detail}.`, { errors: [{ pointer: '?q', detail }] });
  }
  return found.filter(({ data }) => words.every((word) => hasWord(data, word))).map(({ id }) => id);
}
