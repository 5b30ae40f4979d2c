// Packs the TypeScript client and the command line into dist/packages/.
import { resolve } from 'node:path';
import { packPackages } from './build/packages.ts';

for (const path of await packPackages(process.cwd(), resolve('dist/packages'))) console.log(path);
