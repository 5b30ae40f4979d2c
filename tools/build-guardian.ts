// Builds the guardian's one file, dist/guardian/guardian.cjs, which `npm run guardian` runs. Prints nothing, because the guardian itself uses
// standard output.
import { buildGuardian, guardianFile } from './build/guardian.ts';

await buildGuardian(process.cwd(), `dist/${guardianFile}`);
