import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { build } from 'esbuild';

/** The path of the guardian in the output of a build. */
export const guardianFile = 'guardian/guardian.cjs';

/** Options of Node that keep the guardian within its memory limit. They make it slower, which does not matter. */
export const guardianFlags = ['--lite-mode', '--max-heap-size=16'] as const;

/**
 * Bundles the guardian into one CommonJS file without dependencies, which is copied to a device. `require` loads less than `import`. The file is
 * replaced atomically, because a guardian may start during another build.
 * @returns its size in bytes
 */
export async function buildGuardian(root: string, outfile: string): Promise<number> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['device/guardian/main.ts'],
    write: false,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    legalComments: 'none',
    logLevel: 'warning',
  });
  const [output] = outputFiles;
  if (!output) throw new Error('The guardian was not bundled.');
  mkdirSync(dirname(outfile), { recursive: true });
  const fresh = `${outfile}.${process.pid}.new`;
  writeFileSync(fresh, output.contents);
  renameSync(fresh, outfile);
  return output.contents.length;
}
