// Checks the Terraform configuration with Terraform itself where it is installed: format, init, validate, test and a plan of each environment, with a
// stand-in for the providers that knows their schemas; the rights of the plan are those of docs/security.md (`--write` writes them there). Then each planted fault of test/terraform/faults must be found by the step that it names.
import { checked, faults, hasTerraform, writeRights } from './terraform/checker.ts';
import { keepReport, type Report } from './test/verdict.ts';

const counts: Report = { passed: 0, failed: 0, failures: [], skipped: [] };

function count(isOk: boolean, name: string, output: string): void {
  counts[isOk ? 'passed' : 'failed'] += 1;
  console.log(`${isOk ? 'ok  ' : 'FAIL'} ${name}`);
  if (isOk) return;
  counts.failures.push(`terraform: ${name}`);
  console.log(output.trimEnd());
}

if (process.argv.includes('--write')) {
  for (const { name, isOk, output } of writeRights()) count(isOk, name, output);
} else if (hasTerraform()) {
  for (const { name, isOk, output } of checked()) count(isOk, name, output);
  for (const { name, patch, step } of faults()) {
    const last = [...checked(patch)].at(-1);
    const isFound = last?.name === step && !last.isOk;
    count(isFound, `${step} finds: ${name}`, `found by: ${last?.isOk ? 'nothing' : last?.name}\n${last?.output ?? ''}`);
  }
} else {
  counts.skipped.push('Terraform: not run');
  console.log('skip Terraform: not run, because there is no terraform on PATH');
}
keepReport(counts);
console.log(
  `${counts.passed} passed, ${counts.failed} failed${counts.skipped.length > 0 ? `, ${counts.skipped.length} skipped` : ''}`,
);
process.exitCode = counts.failed > 0 ? 1 : 0;
