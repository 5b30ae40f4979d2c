// Runs one file of benches and writes its rows as JSON: `node bench-program.ts FILE SIZE floors|peers OUT [FOLDER OF ANOTHER TREE]`.
import { writeFileSync } from 'node:fs';
import type { Bench, Size } from './row.ts';

const [file = '', size, beside, out = '', against] = process.argv.slice(2);
const { measure } = (await import(`../${file}.bench.ts`)) as { measure: Bench };
const rows = await measure({ size: size as Size, hasPeers: beside === 'peers', against: against || null });
writeFileSync(out, JSON.stringify(rows));
// Ends the bench even if a library keeps a connection open.
process.exit();
