// Runs every fault at its full size and prints one line per row: how many were tried, how many failed. Arguments are
// passed to vitest: if one names a test file, only the named files run. `night` stands for `test/fault/full/night.test.ts`.
// FAULT_SIZE=small uses the sizes of a normal test run; FAULT_SEED repeats a run of the random faults. Prints its progress each minute.
// NIGHT_OF=<another checkout> lets its service live through the same nights, for figures side by side.
import { existsSync } from 'node:fs';
import { isClean, runScored } from './scores.ts';

const rows = [
  'R1',
  'R2',
  'R3',
  'R4',
  'R5',
  'R6',
  'R7',
  'R8',
  'R9',
  'R10',
  'R13',
  'R15',
  'R16',
  'R17',
  'R18',
  'R19',
  'R21',
  'R22',
  'R23',
];
const fileOf = (argument: string) => `test/fault/full/${argument}.test.ts`;
const given = process.argv.slice(2).map((argument) => (existsSync(fileOf(argument)) ? fileOf(argument) : argument));
const isPart = given.some((argument) => argument.endsWith('.test.ts'));
const { isOk, scores } = runScored(isPart ? given : ['test/fault', ...given], {
  FAULT_SIZE: process.env['FAULT_SIZE'] ?? 'full',
});
for (const { row, what, tried, amiss } of scores) {
  const counts = Object.entries(amiss).map(([name, count]) => `${count} ${name}`);
  console.log(`${row.padEnd(4)}${tried.toLocaleString('en').padStart(11)} tried  ${counts.join('  ')}  ${what}`);
}
const missing = isPart ? [] : rows.filter((row) => !scores.some((each) => each.row === row));
if (missing.length > 0) console.log(`missing: ${missing.join(', ')}`);
process.exitCode = isOk && missing.length === 0 && scores.length > 0 && scores.every(isClean) ? 0 : 1;
