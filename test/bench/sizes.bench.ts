import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { unzipSync } from 'fflate';
import { type Bench, type Figure, type Row, rowOf } from './frame/row.ts';

const kib = 1024;
const consoleFolder = 'console/dist';

/** P14: sizes of what `npm run build` makes: the unpacked bundles, and all files of the console. */
export const measure: Bench = async () => {
  const out = mkdtempSync(join(tmpdir(), 'watchpost-sizes-'));
  try {
    const { status } = spawnSync(process.execPath, ['tools/build.ts', '--out', out], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (status !== 0) throw new Error(`the build ended with ${status}`);
    const functions = readdirSync(out)
      .filter((file) => file.endsWith('.zip'))
      .map((file) => ({
        name: file.replace('.zip', ''),
        files: Object.entries(unzipSync(readFileSync(join(out, file)))),
      }));
    const firestore = {
      name: 'the Firestore client alone',
      value: Math.round((await bundledBytes('@google-cloud/firestore')) / kib),
    };
    return [
      ...functions.flatMap(({ name, files }) => bundleRow(name, files, name === 'api' ? [firestore] : [])),
      filesRow(functions),
      consoleRow(),
    ];
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
};

/** The goals of the scorecard, in KB. Bundles without a goal are not printed. */
const goals: Record<string, number> = { probes: 300, api: 4 * kib };

type Files = [name: string, content: Uint8Array][];

function bundleRow(name: string, files: Files, beside: Figure[]): Row[] {
  const goal = goals[name];
  if (goal === undefined) return [];
  const code = files.filter(([file]) => /\.c?js$/.test(file)).reduce((sum, [, content]) => sum + content.length, 0);
  return [rowOf({ id: 'P14', what: `code of \`${name}\``, unit: 'KB', ours: Math.round(code / kib), beside, goal })];
}

function filesRow(functions: { name: string; files: Files }[]): Row {
  const most = Math.max(...functions.map(({ files }) => files.length));
  const note = 'the code, package.json and package-lock.json';
  return rowOf({ id: 'P14', what: 'files of a function, the most', unit: '', ours: most, goal: 3, note });
}

/** All files of the console together: no page can load more. */
function consoleRow(): Row {
  const files = readdirSync(consoleFolder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const sizes = files.map(
    ({ parentPath, name }) => gzipSync(readFileSync(join(parentPath, name)), { level: 9 }).length,
  );
  const ours = Math.round(sizes.reduce((sum, size) => sum + size, 0) / kib);
  const note = `all ${files.length} files; a page loads some of them`;
  return rowOf({ id: 'P14', what: 'the console, compressed with gzip', unit: 'KB', ours, goal: 120, note });
}

async function bundledBytes(library: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: `export * from '${library}'`, resolveDir: process.cwd() },
    write: false,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    minify: true,
    legalComments: 'none',
    logLevel: 'error',
  });
  return outputFiles[0]?.contents.length ?? Number.NaN;
}
