// Adds to package-lock.json the optional packages of other platforms that it names but lacks, and the address of each archive: an npm whose
// registry does not carry the former leaves them out, and `npm ci` then takes the lock file for out of date; one that is told to omits the
// latter. Run after each `npm install`.
import { readFileSync, writeFileSync } from 'node:fs';
import { archiveOf, type Lock, type LockedPackage as Locked, nameAt } from './supply/lock.ts';

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
  if (place !== '' && entry.version !== undefined) {
    const { version, resolved: _, ...rest } = entry;
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
