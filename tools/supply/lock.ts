/** One package in the lock file. */
export type LockedPackage = {
  name?: string;
  version?: string;
  resolved?: string;
  integrity?: string;
  /** A package of this repository, at the path in `resolved`. */
  link?: boolean;
  license?: string;
  dev?: boolean;
  devOptional?: boolean;
  optional?: boolean;
  os?: string | string[];
  cpu?: string | string[];
  libc?: string | string[];
  hasInstallScript?: boolean;
  engines?: Record<string, string>;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
};
export type Lock = { packages: Record<string, LockedPackage> };

/**
 * Development tools with binaries for platforms other than Linux on x64. The registry of this repository does not have these, so their digests are
 * unknown. They are not deployed.
 */
const withoutDigest = ['@biomejs/cli-', '@oxc-parser/binding-'];

/** The name of the package at a path of the lock file. */
export function nameAt(place: string, { name }: LockedPackage = {}): string {
  return name ?? place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/** The address of a version's archive in the registry. */
export function archiveOf(name: string, version: string): string {
  return `https://registry.npmjs.org/${name}/-/${name.split('/').at(-1)}-${version}.tgz`;
}

/** Whether an entry belongs to this repository: the root, a workspace, or the link to one. */
export function isOwn(place: string, { link, resolved }: LockedPackage, { packages }: Lock): boolean {
  if (link) return resolved !== undefined && !resolved.includes('node_modules/') && resolved in packages;
  return !place.includes('node_modules/') && resolved === undefined;
}

/** Entries whose content could be exchanged: without address or digest, from another registry, or with a weak digest. */
export function faultsOfLock(lock: Lock): string[] {
  return Object.entries(lock.packages).flatMap(([place, entry]) => {
    if (isOwn(place, entry, lock)) return [];
    const name = nameAt(place, entry);
    const faults: string[] = [];
    if (entry.resolved !== archiveOf(name, entry.version ?? '')) faults.push(`${place} is not from the registry`);
    if (!/^sha512-[A-Za-z0-9+/]{86}==$/.test(entry.integrity ?? '') && !mayLackDigest(name, entry)) {
      faults.push(`${place} has no digest`);
    }
    return faults;
  });
}

function mayLackDigest(name: string, { integrity, dev, optional, os, cpu, libc }: LockedPackage): boolean {
  const isHere =
    [os].flat().includes('linux') && [cpu].flat().includes('x64') && !(libc && ![libc].flat().includes('glibc'));
  return (
    integrity === undefined &&
    dev === true &&
    optional === true &&
    !isHere &&
    withoutDigest.some((begin) => name.startsWith(begin))
  );
}
