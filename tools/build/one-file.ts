import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type BuildOptions, build } from 'esbuild';

/**
 * Bundles a program into one CommonJS file without dependencies. `require` loads less than `import`. The file is replaced atomically, because the
 * program may start during another build.
 * @returns its size in bytes
 */
export async function buildOneFile(
  root: string,
  entry: string,
  outfile: string,
  options: BuildOptions = {},
): Promise<number> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    write: false,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    legalComments: 'none',
    logLevel: 'warning',
    ...options,
  });
  const output = outputFiles?.[0];
  if (!output) throw new Error(`${entry} was not bundled.`);
  mkdirSync(dirname(outfile), { recursive: true });
  const fresh = `${outfile}.${process.pid}.new`;
  writeFileSync(fresh, output.contents);
  renameSync(fresh, outfile);
  return output.contents.length;
}
