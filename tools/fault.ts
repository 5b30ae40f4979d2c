// Runs every fault at its full size and closes with one line for each row: how many were tried, how many went amiss. Arguments go to vitest.
// FAULT_SIZE=small runs the sizes of an ordinary run of the tests; FAULT_SEED repeats one run of all faults at random. It prints its progress each minute.
import { isClean, runScored } from './scores.ts';

const rows = ['R1', 'R2', 'R3', 'R4', 'R5', 'R6', 'R7', 'R8', 'R9', 'R10', 'R13', 'R15', 'R16', 'R17', 'R18', 'R21'];
const { isOk, scores } = runScored(['test/fault', ...process.argv.slice(2)], {
  FAULT_SIZE: process.env['FAULT_SIZE'] ?? 'full',
});
for (const { row, what, tried, amiss } of scores) {
  const counts = Object.entries(amiss).map(([name, count]) => `${count} ${name}`);
  console.log(`${row.padEnd(4)}${tried.toLocaleString('en').padStart(11)} tried  ${counts.join('  ')}  ${what}`);
}
const missing = rows.filter((row) => !scores.some((each) => each.row === row));
if (missing.length > 0) console.log(`missing: ${missing.join(', ')}`);
process.exitCode = isOk && missing.length === 0 && scores.every(isClean) ? 0 : 1;
