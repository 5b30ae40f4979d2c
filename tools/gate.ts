// The gate: runs its parts one after the other, whatever failed before, and ends with one line that sums them up: `N passed, N failed`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { judge, readReport, sumOf } from './test/verdict.ts';

const parts = ['check', 'test', 'test:rest', 'terraform:check'];

const folder = mkdtempSync(join(tmpdir(), 'watchpost-gate-'));
const results = parts.map((part) => {
  const startedAt = performance.now();
  console.log(`\n== npm run ${part}`);
  const file = join(folder, part.replace(':', '-'));
  const { status } = spawnSync('npm', ['run', '--silent', part], {
    stdio: 'inherit',
    env: { ...process.env, TEST_REPORT: file },
  });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  return { part, seconds, isOk: status === 0, report: readReport(file) };
});
rmSync(folder, { recursive: true, force: true });

console.log('');
for (const { part, seconds, isOk, report } of results) {
  const counted = report ? `${report.passed} passed, ${report.failed} failed` : 'ended without a report';
  console.log(`${isOk ? 'ok  ' : 'FAIL'} ${part.padEnd(16)}${seconds.padStart(5)} s  ${counted}`);
}
const { lines, isPassed } = judge(sumOf(results.map(({ report }) => report)), {
  isOk: results.every(({ isOk }) => isOk),
  isGate: true,
});
for (const line of lines) console.log(line);
process.exitCode = isPassed ? 0 : 1;
