import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { parseSync } from 'oxc-parser';

/** One import of a source file, `import type` and `import()` included. `to` is a path for relative imports, else the package. */
export type Import = { from: string; to: string; line: number };

/** Every source file below the folders, as paths from the root. */
export function sourceFiles(root: string, folders: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts') && !name.includes('node_modules'))
      .map((name) => join(folder, name)),
  );
}

/** The imports and re-exports of one file, type-only and dynamic imports included. */
export function importsOf(file: string, source: string): Import[] {
  const { module } = parseSync(file, source);
  const lineAt = (offset: number) => source.slice(0, offset).split('\n').length;
  const target = (specifier: string) =>
    specifier.startsWith('.') ? normalize(join(dirname(file), specifier)) : specifier;
  const statics = module.staticImports.map(({ moduleRequest, start }) => ({ specifier: moduleRequest.value, start }));
  const reexports = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap((entry) =>
      entry.moduleRequest ? [{ specifier: entry.moduleRequest.value, start: entry.start }] : [],
    ),
  );
  // Dynamic imports, and `import('x').Type` in types, are dependencies too. The parser does not list the latter, so
  // both are found in the text.
  const calls = [...source.matchAll(/import\(\s*['"`]([^'"`]+)['"`]\s*\)/g)].map((match) => ({
    specifier: match[1] ?? '',
    start: match.index,
  }));
  const all = [...statics, ...reexports, ...calls];
  return all.map(({ specifier, start }) => ({ from: file, to: target(specifier), line: lineAt(start) }));
}

export function readImports(root: string, files: readonly string[]): Import[] {
  return files.flatMap((file) => importsOf(file, readFileSync(join(root, file), 'utf8')));
}
