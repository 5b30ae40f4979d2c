import { buildOneFile } from './one-file.ts';
import { withTrimmedClients } from './trimmed-clients.ts';

/** The path of the bridge in the output of a build. */
export const bridgeFile = 'bridge/bridge.cjs';

/** Bundles the bridge into the one file of its image. @returns its size in bytes */
export function buildBridge(root: string, outfile: string): Promise<number> {
  return buildOneFile(root, 'bridge/main.ts', outfile, {
    minify: true,
    supported: { 'dynamic-import': false },
    plugins: [withTrimmedClients],
    define: { 'import.meta.url': 'bundleUrl' },
    banner: { js: 'const bundleUrl = require("node:url").pathToFileURL(__filename).href;' },
  });
}
