import { readFileSync, writeFileSync } from 'node:fs';

/** What a part of the gate counted. Names of tests are `file > suite > test`; those of `failures` end with the first line of the reason. */
export type Report = { passed: number; failed: number; failures: string[]; skipped: string[] };

/** What the gate may skip: Go only checks a snippet of the documentation, and Terraform may not be installed. */
const mayBeSkipped = [/ > judges each of them correctly in Go$/, /^Terraform: not run$/];

/** @param reports null for a part that ended without one, which is a failure */
export function sumOf(reports: readonly (Report | null)[]): Report {
  const sum: Report = { passed: 0, failed: 0, failures: [], skipped: [] };
  for (const report of reports) {
    sum.passed += report?.passed ?? 0;
    sum.failed += report?.failed ?? 1;
    sum.failures.push(...(report?.failures ?? []));
    sum.skipped.push(...(report?.skipped ?? []));
  }
  return sum;
}

/**
 * Judges a run: the lines to print, with the count last, and whether it passed.
 * @param run `isOk`: what the runner itself says; `isGate`: whether every test must have run
 */
export function judge(
  { passed, failed, failures: named, skipped }: Report,
  { isOk, isGate }: { isOk: boolean; isGate: boolean },
): { lines: string[]; isPassed: boolean } {
  const leftOut = isGate ? skipped.filter((name) => !mayBeSkipped.some((pattern) => pattern.test(name))) : [];
  // A file that does not load contains no counted test, but it is a failure.
  const failures = failed + (failed === 0 && !isOk ? 1 : 0) + (leftOut.length > 0 ? 1 : 0);
  const count = `${passed} passed, ${failures} failed`;
  return {
    lines: [
      ...named.map((name) => `failed: ${name}`),
      ...leftOut.map((name) => `must not be skipped in CI: ${name}`),
      skipped.length > 0 ? `${count}, ${skipped.length} skipped` : count,
    ],
    isPassed: passed > 0 && failures === 0,
  };
}

/** Leaves a report in the file that `TEST_REPORT` names, for whoever sums up. */
export function keepReport(report: Report): void {
  const file = process.env['TEST_REPORT'];
  if (file) writeFileSync(file, JSON.stringify(report));
}

/** @returns null if the part ended without a report */
export function readReport(file: string): Report | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}
