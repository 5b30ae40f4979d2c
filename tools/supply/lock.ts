/** What the lock file holds of one package. */
export type LockedPackage = {
  name?: string;
  version?: string;
  resolved?: string;
  integrity?: string;
  license?: string;
  dev?: boolean;
  devOptional?: boolean;
  optional?: boolean;
  os?: string | string[];
  cpu?: string | string[];
  libc?: string | string[];
  hasInstallScript?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
};
export type Lock = { packages: Record<string, LockedPackage> };

/**
 * Tools for developers whose binaries for other platforms than Linux on x64 the registry of this repository does not carry, so that their
 * digests are not known here. They are in nothing that is deployed.
 */
const withoutDigest = ['@biomejs/cli-', '@oxc-parser/binding-'];

/** The name of the package that lies at a place of the lock file. */
export function nameAt(place: string, { name }: LockedPackage = {}): string {
  return name ?? place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/** Where the registry has the archive of a version. */
export function archiveOf(name: string, version: string): string {
  return `https://registry.npmjs.org/${name}/-/${name.split('/').at(-1)}-${version}.tgz`;
}

/** Entries whose content anybody could exchange: without address or digest, from elsewhere, or with a digest that is too weak. */
export function faultsOfLock({ packages }: Lock): string[] {
  return Object.entries(packages).flatMap(([place, entry]) => {
    if (place === '') return [];
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
