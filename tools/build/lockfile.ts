import type { LockedPackage as Locked, Lock as Lockfile } from '../supply/lock.ts';

export type Manifest = {
  name: string;
  version: string;
  dependencies: Record<string, string>;
  [member: string]: unknown;
};

/** The version in the lockfile of a package that is installed at the root. @throws Error if the lockfile lacks it */
export function lockedVersion({ packages }: Lockfile, name: string): string {
  const version = packages[`node_modules/${name}`]?.version;
  if (!version) throw new Error(`${name} is not in package-lock.json`);
  return version;
}

/**
 * The part of the repository's lockfile that a function's own dependencies need, with the same versions, so that the cloud installs what
 * was tested.
 */
export function lockfileOf(
  manifest: Manifest,
  whole: Lockfile,
): { packages: Record<string, object>; [member: string]: unknown } {
  const wanted = new Set<string>();
  const queue = Object.keys(manifest.dependencies).map((name) => locate(whole, '', name));
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (path === null || wanted.has(path)) continue;
    wanted.add(path);
    queue.push(...needsOf(whole, path));
  }
  const packages = [...wanted].toSorted().map((path) => [path, withoutMarks(whole.packages[path] ?? {})]);
  const { name, version } = manifest;
  return {
    name,
    version,
    lockfileVersion: 3,
    requires: true,
    packages: { '': manifest, ...Object.fromEntries(packages) },
  };
}

function needsOf(whole: Lockfile, path: string): (string | null)[] {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = whole.packages[path] ?? {};
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta?.[name]?.optional);
  const needed = [...Object.keys(dependencies ?? {}), ...peers].map((name) => {
    const found = locate(whole, path, name);
    if (found === null) throw new Error(`${path} needs ${name}, which package-lock.json lacks`);
    return found;
  });
  return [...needed, ...Object.keys(optionalDependencies ?? {}).map((name) => locate(whole, path, name))];
}

/**
 * Where Node would find a package that another package requires: in that package's folder first, then in the outer
 * ones. Null: nowhere.
 */
function locate({ packages }: Lockfile, from: string, name: string): string | null {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = folder ? `${folder}/node_modules/${name}` : `node_modules/${name}`;
    if (packages[path]) return path;
    if (!folder) return null;
  }
}

/** Marks such as `dev` describe the repository's own tree and are wrong in a function's lockfile. */
function withoutMarks({
  dev: _dev,
  devOptional: _devOptional,
  peer: _peer,
  ...locked
}: Locked & { peer?: boolean }): Locked {
  return locked;
}
