import type { Options } from 'minisearch';

/** The text of a page below one heading. `id` is its address. */
export type Section = { id: string; title: string; heading: string; text: string };

/** Options that the build and the browser must share. */
export const searchOptions: Options<Section> = {
  fields: ['title', 'heading', 'text'],
  storeFields: ['title', 'heading'],
  searchOptions: { boost: { title: 4, heading: 3 }, prefix: true, fuzzy: 0.15, combineWith: 'AND' },
};
