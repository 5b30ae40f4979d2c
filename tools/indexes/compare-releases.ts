import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { faultsBetween, type Release } from './compare.ts';

/**
 * Why this checkout and another release cannot serve from one database.
 * @param last its tag or commit
 * @throws Error where one of them has no files of queries and indexes
 */
export function faultsWith(last: string): string[] {
  const readThere = (file: string) =>
    execFileSync('git', ['show', `${last}:${file}`], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const readHere = (file: string) => readFileSync(file, 'utf8');
  return faultsBetween(release(readThere, last), release(readHere, 'This folder'));
}

function release(read: (file: string) => string, where: string): Release {
  try {
    return {
      queries: JSON.parse(read('firestore.queries.json')),
      indexes: JSON.parse(read('firestore.indexes.json')).indexes,
    };
  } catch {
    throw new Error(
      `${where} has no firestore.queries.json and firestore.indexes.json that can be read: is it a release of this service?`,
    );
  }
}
