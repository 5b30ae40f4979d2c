// Builds the documentation as a site into the console's files, which are served below `/docs/`; `--check` writes
// nothing. Fails on broken links, and on content that the console's security policy would block.
import { parseArgs } from 'node:util';
import { buildSite, builtPages } from './docs/site.ts';

const { values } = parseArgs({
  options: { out: { type: 'string', default: 'console/dist/docs' }, check: { type: 'boolean', default: false } },
});
const faults = values.check ? (await builtPages()).faults : await buildSite(values.out);
for (const fault of faults) console.log(fault);
if (faults.length === 0) console.log(values.check ? 'Every link leads somewhere.' : `docs      ${values.out}`);
process.exitCode = faults.length > 0 ? 1 : 0;
