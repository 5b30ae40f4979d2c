import { writeFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import type { Report } from './verdict.ts';

/** Writes the result of every test, and failures before a second try, to the file in `TEST_REPORT`. */
// vitest expects the reporter as the default export of its file.
export default class ReportWriter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const file = process.env['TEST_REPORT'];
    if (file) writeFileSync(file, JSON.stringify(reportOf(modules)));
  }
}

function reportOf(modules: readonly TestModule[]): Report {
  const report: Report = { passed: 0, failed: 0, skipped: [], secondTries: [] };
  for (const module of modules) {
    for (const test of module.children.allTests()) {
      const name = `${module.relativeModuleId} > ${test.fullName}`;
      const { state } = test.result();
      if (state === 'passed') report.passed += 1;
      else if (state === 'failed') report.failed += 1;
      else report.skipped.push(name);
      const faults = faultsBefore(test);
      if (state === 'passed' && faults.length > 0) report.secondTries.push({ name, faults });
    }
  }
  return report;
}

/** The failures of earlier tries, with the line of the test. */
function faultsBefore(test: TestCase): string[] {
  return test
    .attempts()
    .filter(({ state }) => state === 'failed')
    .flatMap(({ errors = [] }) => errors)
    .map(({ name = 'Error', message, diff, stacks }) => {
      const frame = stacks?.[0];
      const place = frame ? `at ${frame.file}:${frame.line}:${frame.column}` : null;
      return [`${name}: ${message}`, diff, place].filter(Boolean).join('\n');
    });
}
