// Builds the content of the console's bucket: the console, and the documentation below `/docs/`.
import { build } from 'vite';
import { buildSite } from './docs/site.ts';

await build({ root: 'console', configFile: 'console/vite.config.ts', logLevel: 'warn' });
const faults = await buildSite('console/dist/docs');
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
