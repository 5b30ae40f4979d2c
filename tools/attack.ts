// Runs the attacks and prints one line for each row: how many were tried and how many were refused. Arguments are passed to vitest.
import { isClean, runScored } from './scores.ts';

const { isOk, scores } = runScored(['test/attack', ...process.argv.slice(2)], { ATTACK_SIZE: 'full' });
for (const { row, what, tried, amiss } of scores) {
  const refused = String(tried - (amiss['through'] ?? 0));
  console.log(`${row.padEnd(4)}${refused.padStart(6)} refused of ${String(tried).padEnd(6)} ${what}`);
}
process.exitCode = isOk && scores.length > 0 && scores.every(isClean) ? 0 : 1;
