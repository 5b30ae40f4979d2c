// Compares the bills of materials of a build with the vulnerabilities that OSV knows, without a call to anybody:
//   node tools/osv.ts EXPORT [BILL…]
// EXPORT: OSV's export for npm, https://osv-vulnerabilities.storage.googleapis.com/npm/all.zip, or a folder of its records. BILL: CycloneDX files; those in
// dist/ unless some are named. Exits with 1 if a package is affected, with 2 where nothing could be compared.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { componentsOf, isAffected, recordsOf } from './supply/osv.ts';

const [from = '', ...named] = process.argv.slice(2);
const bills = named.length > 0 ? named : globSync('dist/*.cdx.json').toSorted();
if (!existsSync(from) || bills.length === 0) {
  console.error(existsSync(from) ? 'There is no bill: run npm run build first.' : 'usage: osv.ts EXPORT [BILL…]');
  process.exit(2);
}
const uses = new Map<string, { name: string; version: string; bills: string[] }>();
for (const bill of bills) {
  for (const { name, version } of componentsOf(readFileSync(bill, 'utf8'))) {
    const known = uses.get(`${name}@${version}`) ?? { name, version, bills: [] };
    uses.set(`${name}@${version}`, { ...known, bills: [...known.bills, bill] });
  }
}
let [records, found] = [0, 0];
for (const record of recordsOf(from)) {
  records += 1;
  for (const [spec, { bills: places, ...component }] of uses) {
    if (!isAffected(component, record)) continue;
    found += 1;
    console.log(`${spec}: ${record.id} ${record.summary ?? ''} (${places.join(', ')})`);
  }
}
console.log(`${uses.size} packages of ${bills.length} bills compared with ${records} records: ${found} found`);
process.exitCode = records === 0 ? 2 : found > 0 ? 1 : 0;
