// Builds what the cloud runs: one bundle and one reproducible zip for each function in dist/, and the console with the documentation in
// console/dist/. Each zip gets a bill of materials (CycloneDX), and the build one provenance statement (in-toto, SLSA; unsigned). Also builds the
// guardian and the bridge as one file each, dist/guardian/guardian.cjs and dist/bridge/bridge.cjs.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bridgeFile, buildBridge } from './build/bridge.ts';
import { bundleFunction, functionNames } from './build/bundle.ts';
import { compileScript } from './build/compile-cache.ts';
import { buildGuardian, guardianFile } from './build/guardian.ts';
import { lockedVersion, lockfileOf, type Manifest } from './build/lockfile.ts';
import { zipFiles } from './build/zip.ts';
import type { Lock } from './supply/lock.ts';
import { provenanceOf } from './supply/provenance.ts';
import { billOf, sha256Of } from './supply/sbom.ts';

/** Files of a bundle that only certain requests load. */
const loadedLater = ['pdf-lib.cjs', 'storage.cjs', 'pubsub.cjs'];
/** The most that a cold start of a function may read and parse, in KB. A build above it fails. */
const startBudgets: Record<string, number> = { api: 3300, deadline: 3072, deliver: 2560, ingest: 2816, probes: 300 };

type Built = { zip: string; sha256: string; bytes: number; startBytes: number };

const { values } = parseArgs({
  options: { out: { type: 'string', default: 'dist' }, 'no-console': { type: 'boolean', default: false } },
});
const root = process.cwd();
const { version } = readJson('package.json') as { version: string };
const wholeLock = readJson('package-lock.json') as Lock;

rmSync(values.out, { recursive: true, force: true });
mkdirSync(values.out, { recursive: true });
const built = await Promise.all(functionNames(root).map(buildFunction));
writeFileSync(`${values.out}/manifest.json`, json({ version, functions: Object.fromEntries(built) }));
for (const [name, { bytes, startBytes, sha256 }] of built) {
  console.log(`${name.padEnd(9)} start ${size(startBytes)}, zip ${size(bytes)}  ${sha256.slice(0, 12)}`);
  const budget = startBudgets[name] ?? 0;
  if (startBytes <= budget * 1024) continue;
  console.error(`A start of ${name} reads ${size(startBytes).trim()}, more than its budget of ${budget} KB.`);
  process.exitCode = 1;
}
console.log(`guardian  bundle ${size(await buildGuardian(root, resolve(values.out, guardianFile)))}`);
console.log(`bridge    bundle ${size(await buildBridge(root, resolve(values.out, bridgeFile)))}`);
const subjects = [
  ...built.map(([, { zip, sha256 }]) => ({ name: zip, sha256 })),
  ...[guardianFile, bridgeFile].map((name) => ({ name, sha256: sha256Of(readFileSync(resolve(values.out, name))) })),
];
writeFileSync(`${values.out}/provenance.intoto.json`, json(provenanceOf(subjects, root)));
if (!values['no-console']) buildConsole();

async function buildFunction(name: string): Promise<[string, Built]> {
  const { files, externals, bundled } = await bundleFunction(root, name);
  const dependencies = Object.fromEntries(externals.map((external) => [external, lockedVersion(wholeLock, external)]));
  // The bundle is in `lib`, because the code that reads the version reads `../package.json`.
  const manifest: Manifest = {
    name: `watchpost-${name}`,
    version,
    private: true,
    type: 'commonjs',
    main: 'lib/index.cjs',
    engines: { node: '24.x' },
    scripts: { 'gcp-build': compileScript([...Object.keys(files).map((file) => `./lib/${file}`), ...externals]) },
    dependencies,
  };
  const lock = lockfileOf(manifest, wholeLock);
  const zip = zipFiles({
    ...Object.fromEntries(Object.entries(files).map(([file, code]) => [`lib/${file}`, code])),
    'package.json': bytesOf(json(manifest)),
    'package-lock.json': bytesOf(json(lock)),
  });
  writeFileSync(`${values.out}/${name}.zip`, zip);
  const sha256 = sha256Of(zip);
  const places = [...bundled, ...Object.keys(lock.packages).filter((place) => place !== '')];
  const bill = billOf({ name, version, file: `${name}.zip`, sha256, places }, wholeLock);
  writeFileSync(`${values.out}/${name}.cdx.json`, json(bill));
  const read = Object.entries(files).filter(([file]) => !loadedLater.includes(file));
  const startBytes = read.reduce((sum, [, code]) => sum + code.length, 0);
  return [name, { zip: `${name}.zip`, sha256, bytes: zip.length, startBytes }];
}

function buildConsole(): void {
  if (!existsSync('console/vite.config.ts')) return;
  const { status } = spawnSync(process.execPath, ['tools/build-console.ts'], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
  else console.log('console   console/dist, the documentation in console/dist/docs');
}

function size(bytes: number): string {
  return `${(bytes / 1024).toFixed(0).padStart(6)} KB`;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}
