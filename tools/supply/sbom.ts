import { createHash } from 'node:crypto';
import { v5 } from 'uuid';
import { archiveOf, type Lock, type LockedPackage, nameAt } from './lock.ts';

/** One deployable: its name, and the lock file paths of all packages in it. */
export type Deployable = { name: string; version: string; file: string; sha256: string; places: readonly string[] };

const namespace = '0c0c7f5b-3f9e-5c52-8ed4-1d0f0e7e2f6a';

/**
 * The bill of materials of a deployable in CycloneDX 1.6: every package with version, digest, licence and dependencies. It contains no time or place,
 * so that a repeated build gives the same file.
 */
export function billOf({ name, version, file, sha256, places }: Deployable, lock: Lock): object {
  const entries = [...new Set(places)].toSorted().map((place) => [place, lock.packages[place] ?? {}] as const);
  const refs = new Map(entries.map(([place, entry]) => [place, purlOf(place, entry)]));
  const root = `pkg:generic/watchpost-${name}@${version}`;
  const components = [
    ...new Map(entries.map(([place, entry]) => [purlOf(place, entry), componentOf(place, entry)])).values(),
  ];
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${v5(`${file} ${sha256}`, namespace)}`,
    version: 1,
    metadata: {
      component: {
        'bom-ref': root,
        type: 'application',
        name: `watchpost-${name}`,
        version,
        licenses: [{ license: { id: 'Apache-2.0' } }],
        hashes: [{ alg: 'SHA-256', content: sha256 }],
      },
    },
    components,
    dependencies: [
      { ref: root, dependsOn: components.map((each) => each['bom-ref']) },
      ...dependenciesOf(entries, refs),
    ],
  };
}

function componentOf(place: string, entry: LockedPackage) {
  const full = nameAt(place, entry);
  const [group, name] = full.startsWith('@') ? full.split('/') : [undefined, full];
  const { version = '', integrity, license } = entry;
  const hashes = integrity?.startsWith('sha512-')
    ? { hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.slice(7), 'base64').toString('hex') }] }
    : {};
  return {
    'bom-ref': purlOf(place, entry),
    type: 'library',
    ...(group ? { group } : {}),
    name: name ?? full,
    version,
    purl: purlOf(place, entry),
    ...hashes,
    ...(license ? { licenses: [/[ (]/.test(license) ? { expression: license } : { license: { id: license } }] } : {}),
    externalReferences: [{ type: 'distribution', url: archiveOf(full, version) }],
  };
}

function purlOf(place: string, entry: LockedPackage): string {
  return `pkg:npm/${nameAt(place, entry).replace('@', '%40')}@${entry.version}`;
}

/** Dependencies among the packages in the deployable. */
function dependenciesOf(entries: (readonly [string, LockedPackage])[], refs: ReadonlyMap<string, string>): object[] {
  const needs = new Map<string, Set<string>>();
  for (const [place, { dependencies, optionalDependencies }] of entries) {
    const ref = refs.get(place) ?? '';
    const known = needs.get(ref) ?? new Set();
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const found = nearest(refs, place, name);
      if (found) known.add(found);
    }
    needs.set(ref, known);
  }
  return [...needs].map(([ref, dependsOn]) => ({ ref, dependsOn: [...dependsOn].toSorted() }));
}

function nearest(refs: ReadonlyMap<string, string>, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const ref = refs.get(folder ? `${folder}/node_modules/${name}` : `node_modules/${name}`);
    if (ref || !folder) return ref;
  }
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
