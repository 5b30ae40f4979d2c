import { existsSync, readdirSync } from 'node:fs';
import { build, type Plugin } from 'esbuild';

/**
 * Packages that stay outside the bundles: the framework would not find functions registered in a second copy of itself, and the Tasks
 * client reads a JSON file by its path.
 */
export const externals = ['@google-cloud/functions-framework', '@google-cloud/tasks'] as const;

export type Bundle = { code: Uint8Array; externals: string[] };

/** The functions by their folders: a folder is a deployable, and its name the entry point. */
export function functionNames(root: string): string[] {
  return readdirSync(`${root}/functions`)
    .filter((name) => existsSync(`${root}/functions/${name}/index.ts`))
    .toSorted();
}

/**
 * Static message classes of long operations, rights and locations, which `google-gax` passes on to whoever asks for them. Nobody here does,
 * and they would be read and parsed at every cold start. (Those of Firestore itself are used.)
 */
const unusedClasses = /google-gax\/build\/protos\/(iam_service|locations|operations)\.js$/;

const withoutUnusedClasses: Plugin = {
  name: 'without-unused-classes',
  setup(hooks) {
    hooks.onLoad({ filter: unusedClasses }, () => ({ contents: 'module.exports = {};' }));
  },
};

/**
 * Bundles one function into a single CommonJS file, dynamic imports and JSON included: a cold start opens one file. `require` loads less
 * than `import` does, and what is imported dynamically still runs only when it is first needed.
 */
export async function bundleFunction(root: string, name: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [`functions/${name}/index.ts`],
    outfile: 'index.js',
    write: false,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    minify: true,
    legalComments: 'none',
    metafile: true,
    external: [...externals],
    plugins: [withoutUnusedClasses],
    define: { 'import.meta.url': 'bundleUrl' },
    banner: { js: 'const bundleUrl = require("node:url").pathToFileURL(__filename).href;' },
    logLevel: 'warning',
  });
  const [output] = outputFiles;
  const imports = Object.values(metafile.outputs).flatMap((file) => file.imports.map(({ path }) => path));
  if (!output) throw new Error(`${name}: nothing was bundled`);
  return { code: output.contents, externals: externals.filter((path) => imports.includes(path)) };
}
