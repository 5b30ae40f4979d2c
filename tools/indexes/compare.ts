import { type Index, inWords, isServed, type Needed } from './served.ts';

/** The queries of a release and the indexes that it has. */
export type Release = { queries: Needed[]; indexes: Index[] };

/** Why two releases cannot share one database, as they do during a rollout or rollback: the indexes of each must serve the queries of the other. */
export function faultsBetween(last: Release, next: Release): string[] {
  const missing = (queries: Needed[], indexes: Index[]) =>
    queries.filter((query) => !isServed(query, indexes)).map(inWords);
  return [
    ...missing(next.queries, last.indexes).map(
      (query) =>
        `This release asks for "${query}", and the last one has no index for it: release the index alone first.`,
    ),
    ...missing(last.queries, next.indexes).map(
      (query) =>
        `The last release asks for "${query}", and this one has no index for it: keep the index for one release more.`,
    ),
  ];
}
