// Compares the queries and indexes of this release with those of another: `node tools/index-release.ts TAG_OR_COMMIT`.
import { faultsWith } from './indexes/compare-releases.ts';

const [, , last] = process.argv;
if (!last) {
  console.error('Name the last release: node tools/index-release.ts TAG_OR_COMMIT');
  process.exit(2);
}

try {
  const faults = faultsWith(last);
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exit(1);
  console.log(`Every query of ${last} and of this release has its indexes in both.`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(2);
}
