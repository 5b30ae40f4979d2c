// Adds to package-lock.json the entries of optional packages for other platforms, and the address of each archive. An npm whose registry lacks these
// packages leaves the entries out, and `npm ci` then treats the lock file as outdated; an npm with `omit-lockfile-registry-resolved` leaves out the
// addresses. It takes out which Node a package wants: the service runs on the Node that is itself a package here, and npm would print a warning for
// each of them to a person with an older one. Run after each `npm install`.
import { readFileSync, writeFileSync } from 'node:fs';
import { archiveOf, isOwn, type Lock, type LockedPackage as Locked, nameAt } from './supply/lock.ts';

const path = 'package-lock.json';
const lock = JSON.parse(readFileSync(path, 'utf8')) as Lock;
const systems = ['android', 'darwin', 'linux', 'win32', 'freebsd', 'openbsd', 'netbsd', 'sunos', 'aix', 'openharmony'];
const processors = ['arm64', 'x64', 'riscv64', 'ppc64', 's390x', 'ia32', 'loong64', 'mips64el', 'wasm32', 'arm'];
const added: string[] = [];

for (const [place, parent] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    const isThere = [`${place}/node_modules/${name}`, `node_modules/${name}`].some((key) => key in lock.packages);
    if (isThere) continue;
    lock.packages[`node_modules/${name}`] = entryOf(name, version, parent);
    added.push(name);
  }
}
for (const [place, entry] of Object.entries(lock.packages)) {
  if (!isOwn(place, entry, lock) && entry.version !== undefined) {
    const { version, resolved: _, ...rest } = entry;
    if (!entry.optional) delete rest.engines;
    lock.packages[place] = { version, resolved: archiveOf(nameAt(place, entry), version), ...rest };
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).toSorted(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
console.log(added.length === 0 ? 'The lock file is complete.' : `Added ${added.join(', ')}.`);

/** The entry as npm would write it, without the digest, which only the registry knows. */
function entryOf(name: string, version: string, parent: Locked): Locked {
  const short = name.split('/').at(-1) ?? name;
  const has = (word: string) => short.includes(word);
  return {
    version,
    cpu: [processors.find(has) ?? 'unknown'],
    ...(parent.dev ? { dev: true } : {}),
    ...(has('musl') ? { libc: ['musl'] } : has('gnu') ? { libc: ['glibc'] } : {}),
    ...(parent.license ? { license: parent.license } : {}),
    optional: true,
    os: [systems.find(has) ?? 'unknown'],
  };
}
