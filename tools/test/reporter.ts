import { stripVTControlCharacters } from 'node:util';
import type { Reporter, TestModule } from 'vitest/node';
import { keepReport, type Report } from './verdict.ts';

/** Leaves the counts of a run of vitest in the file in `TEST_REPORT`. */
// vitest expects the reporter as the default export of its file.
export default class ReportWriter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    keepReport(reportOf(modules));
  }
}

function reportOf(modules: readonly TestModule[]): Report {
  const report: Report = { passed: 0, failed: 0, failures: [], skipped: [] };
  for (const module of modules) {
    for (const test of module.children.allTests()) {
      const { state, errors } = test.result();
      const name = `${module.relativeModuleId} > ${test.fullName}`;
      if (state === 'passed') report.passed += 1;
      else if (state === 'failed') {
        report.failed += 1;
        report.failures.push(`${name}: ${firstLine(errors?.[0]?.message)}`);
      } else report.skipped.push(name);
    }
  }
  return report;
}

function firstLine(message = ''): string {
  return stripVTControlCharacters(message).split('\n')[0]?.slice(0, 300) ?? '';
}
