// Checks the dependencies: where each package of the lock file comes from, its digest, and its licence.
import { readFileSync } from 'node:fs';
import { faultsOfLicences } from './supply/licences.ts';
import { faultsOfLock, isOwn, type Lock } from './supply/lock.ts';

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock;
const faults = [...faultsOfLock(lock), ...faultsOfLicences(lock, '.')];
for (const fault of faults) console.log(fault);
const entries = Object.entries(lock.packages).filter(([place, entry]) => !isOwn(place, entry, lock));
const unknown = entries.filter(([, { integrity }]) => !integrity).length;
console.log(`${entries.length} packages, ${unknown} of them for developers on other platforms and without a digest`);
process.exitCode = faults.length > 0 ? 1 : 0;
