// Measures speed and cost, and compares them with floors (the least that is possible) and peers (other products),
// measured in the same run: `npm run bench -- [--quick | --tiny] [--floors] [--only N1,N5] [--against REF] [--json PATH]`.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { benches, type Listed } from '../test/bench/frame/list.ts';
import type { Size } from '../test/bench/frame/row.ts';
import { type Outcome, runBench } from './bench/run.ts';
import { printRows } from './bench/table.ts';

const help = `npm run bench -- [--quick] [--floors] [--only N1,N5] [--against HEAD~1] [--json test-output/bench.json]

  --quick  under two minutes: smaller sizes, floors only, no peers
  --tiny   a few seconds: shows that the benches run; its figures mean nothing
  --floors no peers at the full size either
  --only   these rows of the scorecard
  --against  functions as processes take turns with those of this commit: what a change did, however busy the machine is
  --json   where the figures are kept

A missed goal is printed and is no error; a bench that does not run is one.`;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    tiny: { type: 'boolean', default: false },
    floors: { type: 'boolean', default: false },
    only: { type: 'string' },
    against: { type: 'string' },
    json: { type: 'string', default: 'test-output/bench.json' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(help);
else {
  const against = values.against === undefined ? null : checkOut(values.against);
  try {
    await main(values.tiny ? 'tiny' : values.quick ? 'quick' : 'full', chosen(values.only), against);
  } finally {
    if (against) rmSync(against, { recursive: true, force: true });
  }
}

async function main(size: Size, ids: readonly string[] | null, against: string | null): Promise<void> {
  const startedAt = new Date();
  const [loadBefore = 0] = loadavg();
  const wanted = benches.filter(
    (bench) => bench.sizes.includes(size) && (!ids || bench.ids.some((id) => ids.includes(id))),
  );
  const outcomes: Outcome[] = [];
  for (const bench of wanted) {
    console.error(`${bench.ids.join(', ')} (${bench.file}) ...`);
    outcomes.push(await runBench(bench, { size, hasPeers: size === 'full' && !values.floors, against }));
  }
  const rows = outcomes
    .flatMap((outcome) => outcome.rows)
    .filter(({ id }) => !ids || ids.includes(id))
    .toSorted((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }));
  const failures = outcomes.flatMap(({ failure }) => failure ?? []);
  const [loadAfter = 0] = loadavg();
  const seconds = Math.round((Date.now() - startedAt.getTime()) / 1000);
  printRows(rows);
  for (const failure of failures) console.log(`DID NOT RUN: ${failure}`);
  const left = leftOut(size, ids, wanted);
  if (left.length > 0) console.log(`left out at this size: ${left.join(', ')}`);
  console.log(
    `${rows.filter(({ isMet }) => isMet).length} of ${rows.filter(({ goal }) => goal !== null).length} goals met in ${seconds} s; ` +
      `load ${loadBefore.toFixed(1)} before, ${loadAfter.toFixed(1)} after, on ${availableParallelism()} cores`,
  );
  const machine = {
    cpu: cpus()[0]?.model ?? '',
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    node: process.version,
  };
  mkdirSync(dirname(values.json), { recursive: true });
  const { against: commit = null } = values;
  const record = {
    startedAt: startedAt.toISOString(),
    seconds,
    size,
    against: commit,
    machine,
    loadBefore,
    loadAfter,
    rows,
    failures,
  };
  writeFileSync(values.json, `${JSON.stringify(record, null, 2)}\n`);
  process.exitCode = failures.length > 0 || rows.length === 0 ? 1 : 0;
}

function chosen(only: string | undefined): string[] | null {
  if (only === undefined) return null;
  const ids = only.split(',').map((id) => id.trim().toUpperCase());
  const known = new Set(benches.flatMap((bench) => bench.ids));
  for (const id of ids) if (!known.has(id)) throw new Error(`--only: there is no bench for ${id}`);
  return ids;
}

function leftOut(size: Size, ids: readonly string[] | null, run: readonly Listed[]): string[] {
  if (size === 'full') return [];
  return benches
    .filter((bench) => !run.includes(bench))
    .flatMap(({ file, ids: given }) => given.flatMap((id) => (!ids || ids.includes(id) ? `${id} (${file})` : [])));
}

/** The sources of a commit in a new folder, with the packages of this tree. */
function checkOut(ref: string): string {
  const archive = execFileSync('git', ['archive', ref], { maxBuffer: 2 ** 30 });
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-against-'));
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  return folder;
}
