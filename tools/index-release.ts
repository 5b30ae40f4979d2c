// Compares the queries and indexes of this release with those of another: `node tools/index-release.ts TAG_OR_COMMIT`.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { faultsBetween, type Release } from './indexes/compare.ts';

const [, , last] = process.argv;
if (!last) {
  console.error('Name the last release: node tools/index-release.ts TAG_OR_COMMIT');
  process.exit(2);
}

const readHere = (file: string) => readFileSync(file, 'utf8');
const readThere = (file: string) =>
  execFileSync('git', ['show', `${last}:${file}`], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

function release(read: (file: string) => string, where: string): Release {
  try {
    return {
      queries: JSON.parse(read('firestore.queries.json')),
      indexes: JSON.parse(read('firestore.indexes.json')).indexes,
    };
  } catch {
    console.error(
      `${where} has no firestore.queries.json and firestore.indexes.json that can be read: is it a release of this service?`,
    );
    process.exit(2);
  }
}

const faults = faultsBetween(release(readThere, last), release(readHere, 'This folder'));
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exit(1);
console.log(`Every query of ${last} and of this release has its indexes in both.`);
