import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { build } from 'esbuild';

/** The path of the guardian in the output of a build. */
export const guardianFile = 'guardian/guardian.cjs';

/** Options of Node that keep the guardian within its memory. They cost speed, which it does not need. */
export const guardianFlags = ['--lite-mode', '--max-heap-size=16'] as const;

/**
 * Bundles the guardian into one CommonJS file that needs no package: it goes onto a device as it is. `require` loads less than `import`.
 * The file appears whole or not at all, since a guardian may start while another is being built.
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
