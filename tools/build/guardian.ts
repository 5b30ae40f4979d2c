import { buildOneFile } from './one-file.ts';

/** The path of the guardian in the output of a build. */
export const guardianFile = 'guardian/guardian.cjs';

/** Options of Node that keep the guardian within its memory limit. They make it slower, which does not matter. */
export const guardianFlags = ['--lite-mode', '--max-heap-size=16'] as const;

/** Bundles the guardian into the one file that is copied to a device. @returns its size in bytes */
export function buildGuardian(root: string, outfile: string): Promise<number> {
  return buildOneFile(root, 'device/guardian/main.ts', outfile);
}
