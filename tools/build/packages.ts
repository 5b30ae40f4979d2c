import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

/** The workspaces that are published, by their folders. */
const folders = ['sdk/typescript', 'cli'] as const;

/**
 * Builds the TypeScript client and the command line, and packs each as npm would publish it.
 * @param out folder for the archives
 * @returns their paths, in the order of `folders`
 */
export async function packPackages(root: string, out: string): Promise<string[]> {
  for (const folder of folders) rmSync(join(root, folder, 'dist'), { recursive: true, force: true });
  run(root, 'tsc', '-p', 'sdk/typescript');
  await bundleCli(root);
  for (const folder of folders) copyFileSync(join(root, 'LICENSE'), join(root, folder, 'dist', 'LICENSE'));
  mkdirSync(out, { recursive: true });
  const workspaces = folders.flatMap((folder) => ['--workspace', folder]);
  const packed = run(root, 'npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', out, ...workspaces);
  return namesOf(packed).map((name) => join(out, name));
}

/**
 * Bundles the command line with all its dependencies. A part that only some commands need is loaded by these commands.
 */
async function bundleCli(root: string): Promise<void> {
  const outdir = join(root, 'cli/dist');
  await build({
    absWorkingDir: root,
    entryPoints: { watchpost: 'cli/src/main.ts' },
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minifySyntax: true,
    minifyWhitespace: true,
    // A CommonJS library in the bundle needs `require`.
    banner: { js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);" },
    legalComments: 'inline',
    logLevel: 'warning',
  });
  copyFileSync(join(root, 'node_modules/yaml/LICENSE'), join(outdir, 'LICENSE.yaml'));
}

function run(root: string, command: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args[0]}: ${error ?? ''}${stdout}${stderr}`);
  return stdout;
}

/** npm returns a list of packages, or an object by package name, depending on its version. */
function namesOf(json: string): string[] {
  const packed = Object.values(JSON.parse(json) as Record<string, { name: string; filename: string }>);
  return packed.map(({ filename }) => filename.replace('@', '').replace('/', '-'));
}
