// Makes the guardian's one file, dist/guardian/guardian.cjs, as `npm run guardian` runs it. Silent: what follows speaks on standard output.
import { buildGuardian, guardianFile } from './build/guardian.ts';

await buildGuardian(process.cwd(), `dist/${guardianFile}`);
