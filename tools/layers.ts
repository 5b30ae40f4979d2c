// Checks imports against the layers of the architecture. Names each import that points outward, and each package that
// its layer may not use.
import { type Import, readImports, sourceFiles } from './imports.ts';

type Layer = { name: string; within: RegExp; mayImport: RegExp[]; packages?: RegExp };

const vocabulary = /^shared\/schema\/vocabulary\.ts$/;
const schema = /^shared\/schema\//;
const domain = /^shared\/domain\//;
const app = /^shared\/app\//;
const adapters = /^shared\/adapters\//;
const errors = /^shared\/errors\.ts$/;
const config = /^shared\/(config|settings-(values|issuers))\.ts$/;
/** The strict JSON reader, which loads no validator. */
const json = /^shared\/schema\/json\.ts$/;

/** From the inside out. A file belongs to the first layer whose folders contain it; `packages` limits its imports from npm and Node. */
const layers: Layer[] = [
  { name: 'errors', within: errors, mayImport: [], packages: /^$/ },
  { name: 'vocabulary', within: vocabulary, mayImport: [], packages: /^$/ },
  { name: 'config', within: config, mayImport: [config, vocabulary, json], packages: /^node:fs$/ },
  { name: 'schema', within: schema, mayImport: [schema, errors], packages: /^typebox$/ },
  { name: 'domain', within: domain, mayImport: [domain, schema, errors], packages: /^(uuid|node:crypto)$/ },
  { name: 'app', within: app, mayImport: [app, domain, schema, errors], packages: /^(uuid|node:(crypto|util))$/ },
  { name: 'adapters', within: adapters, mayImport: [adapters, app, domain, schema, errors, config] },
  {
    name: 'functions',
    within: /^functions\/([^/]+)\//,
    mayImport: [/^functions\/$1\//, app, adapters, domain, schema, errors, config],
  },
  { name: 'device', within: /^device\//, mayImport: [/^device\//, schema, errors] },
  { name: 'bridge', within: /^bridge\//, mayImport: [/^bridge\//, schema, domain] },
  { name: 'console', within: /^console\//, mayImport: [/^console\//, /^sdk\/typescript\/src\/index\.ts$/, schema] },
  { name: 'sdk', within: /^sdk\//, mayImport: [/^sdk\//], packages: /^$/ },
  {
    name: 'cli',
    within: /^cli\//,
    mayImport: [/^cli\//, /^sdk\/typescript\/src\/index\.ts$/, schema],
    packages: /^(yaml|node:.*)$/,
  },
  { name: 'local', within: /^local\//, mayImport: [/^(local|device|bridge|cli|shared|functions)\//] },
];

/** The fault of an import. Null: it has none. */
export function faultOf({ from, to }: Import): string | null {
  const layer = layers.find(({ within }) => within.test(from));
  if (!layer) return null;
  const isFile = /^(shared|functions|device|bridge|console|local|test|tools|sdk|cli)\//.test(to);
  if (!isFile) return layer.packages && !layer.packages.test(to) ? `${layer.name} may not use the package ${to}` : null;
  const own = layer.within.exec(from)?.[1];
  const isAllowed = layer.mayImport.some((allowed) =>
    (own ? new RegExp(allowed.source.replace('$1', own)) : allowed).test(to),
  );
  return isAllowed ? null : `${layer.name} may not import ${to}`;
}

export function wrongImports(imports: readonly Import[]): string[] {
  return imports.flatMap((found) => {
    const fault = faultOf(found);
    return fault ? [`${found.from}:${found.line}: ${fault}`] : [];
  });
}

if (import.meta.main) {
  const imports = readImports(
    '.',
    sourceFiles('.', ['shared', 'functions', 'device', 'bridge', 'console', 'local', 'sdk', 'cli']),
  );
  const wrong = wrongImports(imports);
  for (const line of wrong) console.error(line);
  if (imports.length === 0) console.error('No import was read: the reader is broken.');
  process.exitCode = wrong.length > 0 || imports.length === 0 ? 1 : 0;
}
