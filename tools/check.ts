// Checks everything that needs no running service: types, lint and format, unused code, layers, alert codes, outbound calls, generated
// files, sizes, dependencies, links of the documentation, the map.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { keepReport } from './test/verdict.ts';

const steps: [name: string, command: string, ...args: string[]][] = [
  ['types', 'tsc', '-p', '.'],
  ['types of the console', 'tsc', '-p', 'console'],
  ['lint and format', 'biome', 'check', '--error-on-warnings', '.'],
  ['unused code', 'knip'],
  ['layers', 'node', 'tools/layers.ts'],
  ['alert codes', 'node', 'tools/alert-codes.ts'],
  ['outbound calls', 'node', 'tools/outbound.ts'],
  ['generated files', 'node', 'tools/gen.ts', '--check'],
  ['size of the house', 'node', 'tools/house.ts'],
  ['supply chain', 'node', 'tools/supply.ts'],
  ['documentation as a site', 'node', 'tools/docs.ts', '--check'],
  ['map', 'node', 'tools/map.ts'],
];
/** Steps whose output is printed even when they succeed. */
const printed = ['size of the house', 'supply chain', 'map'];

const results = await Promise.all(steps.map(run));
for (const { name, output, isOk } of results) {
  console.log(`${isOk ? 'ok  ' : 'FAIL'} ${name}`);
  if (!isOk || printed.includes(name)) console.log(output.trimEnd());
}
const failures = results.filter(({ isOk }) => !isOk).map(({ name }) => `check: ${name}`);
keepReport({ passed: results.length - failures.length, failed: failures.length, failures, skipped: [] });
if (failures.length > 0) {
  const stale = staleInstall();
  console.log(`\nFAIL ${failures.join(', ')}${stale ? `\n${stale}: run npm ci first` : ''}`);
}
process.exitCode = failures.length === 0 ? 0 : 1;

/** Says where the installed packages are not those of the lock file, which makes steps fail for reasons that they do not know. */
function staleInstall(): string | null {
  type Lock = { packages: Record<string, { version?: string }> };
  const { packages: wanted } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock;
  const { packages: installed } = JSON.parse(readFileSync('node_modules/.package-lock.json', 'utf8')) as Lock;
  const isMissing = (place: string) =>
    place.startsWith('node_modules/') && wanted[place]?.version !== installed[place]?.version && !isOptional(place);
  const isOptional = (place: string) => (wanted[place] as { optional?: boolean } | undefined)?.optional === true;
  const missing = Object.keys(wanted).find(isMissing);
  return missing ? `${missing} is not installed as package-lock.json says` : null;
}

function run([name, command, ...args]: (typeof steps)[number]): Promise<{
  name: string;
  output: string;
  isOk: boolean;
}> {
  return new Promise((resolve) => {
    const child = spawn(command, args);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    child.on('error', (error) => resolve({ name, output: String(error), isOk: false }));
    child.on('close', (code) => resolve({ name, output, isOk: code === 0 }));
  });
}
