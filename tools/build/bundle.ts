import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { gzipSync, strToU8 } from 'fflate';
import { withTrimmedClients } from './trimmed-clients.ts';

/**
 * Packages that stay outside the bundles. The framework would not find functions that are registered in a second copy of itself. The Tasks
 * client reads a JSON file by its path, and accepts credentials only from the gRPC package that it came with.
 */
export const externals = ['@google-cloud/functions-framework', '@google-cloud/tasks', '@grpc/grpc-js'] as const;

/**
 * Packages that only certain requests need. Each becomes a separate file, so that a start does not read or parse it.
 */
const lazy: Record<string, string> = {
  '@google-cloud/firestore': 'firestore.cjs',
  '@google-cloud/storage': 'storage.cjs',
  undici: 'undici.cjs',
  '@cantoo/pdf-lib': 'pdf-lib.cjs',
  '@google-cloud/pubsub': 'pubsub.cjs',
};

/**
 * The files of one function by name (`index.cjs` is its entry), the packages that must be installed beside them, and the `node_modules` folders of
 * the packages inside them.
 */
export type Bundle = { files: Record<string, Uint8Array>; externals: string[]; bundled: string[] };

/**
 * The names of the functions. Each folder with an `index.ts` is one deployable, and its name is also the entry point.
 */
export function functionNames(root: string): string[] {
  return readdirSync(`${root}/functions`)
    .filter((name) => existsSync(`${root}/functions/${name}/index.ts`))
    .toSorted();
}

/** A running function validates with generated code. From the schemas themselves it needs only the names of members. */
const withSchemaShapes: Plugin = {
  name: 'with-schema-shapes',
  setup(hooks) {
    const path = join(import.meta.dirname, 'schema-shapes.ts');
    hooks.onResolve({ filter: /^typebox$/ }, () => ({ path }));
  },
};

/**
 * Functions are called by HTTP/1. `@hono/node-server` uses Node's HTTP/2 only to recognize HTTP/2 requests, and it is
 * slow to load.
 */
const withoutHttp2: Plugin = {
  name: 'without-http2',
  setup(hooks) {
    const contents = 'export class Http2ServerRequest {}\nexport const constants = {};';
    hooks.onResolve({ filter: /^node:http2$/ }, ({ importer }) =>
      importer.includes('@hono') ? { path: 'http2', namespace: 'absent' } : undefined,
    );
    hooks.onLoad({ filter: /^http2$/, namespace: 'absent' }, () => ({ contents }));
  },
};

/**
 * A large document that few clients request is compressed, because it would otherwise be most of what a start reads. fflate compresses the
 * same way on every machine.
 */
const withPackedDocuments: Plugin = {
  name: 'with-packed-documents',
  setup(hooks) {
    hooks.onLoad({ filter: /generated[\\/]openapi\.json$/ }, ({ path }) => {
      const text = JSON.stringify(JSON.parse(readFileSync(path, 'utf8')));
      const packed = Buffer.from(gzipSync(strToU8(text), { level: 9, mtime: 0 })).toString('base64');
      const unpacked = `require('node:zlib').gunzipSync(Buffer.from('${packed}', 'base64')).toString()`;
      return { contents: `module.exports = JSON.parse(${unpacked});`, loader: 'js' };
    });
  },
};

const withLazyFiles: Plugin = {
  name: 'with-lazy-files',
  setup(hooks) {
    for (const [name, file] of Object.entries(lazy)) {
      hooks.onResolve({ filter: new RegExp(`^${name}$`) }, () => ({ path: `./${file}`, external: true }));
    }
  },
};

/**
 * Bundles one function into CommonJS: one main file, and one for each package that is loaded lazily. `require` loads less than `import`. The names
 * end in `.cjs`; for any other name the framework would first load a package that reads manifests.
 */
export async function bundleFunction(root: string, name: string): Promise<Bundle> {
  const own = await bundled(root, {
    entryPoints: [`functions/${name}/index.ts`],
    external: [...externals],
    plugins: [withSchemaShapes, withoutHttp2, withPackedDocuments, withLazyFiles, withTrimmedClients],
  });
  const files: Record<string, Uint8Array> = { 'index.cjs': own.code };
  const places = new Set(own.packages);
  for (const [path, file] of Object.entries(lazy)) {
    if (!own.imports.includes(`./${file}`)) continue;
    const stdin = { contents: `module.exports = require('${path}');`, resolveDir: root };
    const { code, packages } = await bundled(root, { stdin, plugins: [withTrimmedClients] });
    files[file] = code;
    for (const place of packages) places.add(place);
  }
  return { files, externals: externals.filter((path) => own.imports.includes(path)), bundled: [...places] };
}

type Bundled = { code: Uint8Array; imports: string[]; packages: string[] };

async function bundled(root: string, options: BuildOptions): Promise<Bundled> {
  const { outputFiles = [], metafile } = await build({
    absWorkingDir: root,
    outfile: 'index.cjs',
    write: false,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    // Lazy packages are loaded with `require` too, because `import()` would load Node's loader of ES modules.
    supported: { 'dynamic-import': false },
    minify: true,
    legalComments: 'none',
    metafile: true,
    define: { 'import.meta.url': 'bundleUrl' },
    banner: { js: 'const bundleUrl = require("node:url").pathToFileURL(__filename).href;' },
    logLevel: 'warning',
    ...options,
  });
  const imports = Object.values(metafile?.outputs ?? {}).flatMap((file) => file.imports.map(({ path }) => path));
  const packages = Object.keys(metafile?.inputs ?? {}).flatMap((path) => packageOf(path) ?? []);
  return { code: outputFiles[0]?.contents ?? new Uint8Array(), imports, packages: [...new Set(packages)] };
}

/** The folder of the package that a file belongs to: `node_modules/@scope/name`, or deeper. */
function packageOf(path: string): string | undefined {
  return /^(?:[\w-]+:)?(.*\bnode_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
}
