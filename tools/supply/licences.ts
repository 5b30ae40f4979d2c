import { existsSync, readFileSync } from 'node:fs';
import { type Lock, nameAt } from './lock.ts';

/** What the service may be made of: licences that ask for no more than to be named. */
const permissive = [
  ...[
    '0BSD',
    'Apache-2.0',
    'BlueOak-1.0.0',
    'PSF-2.0',
    'Python-2.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'CC-BY-3.0',
    'CC0-1.0',
    'ISC',
    'MIT',
    'MIT-0',
    'Unlicense',
  ],
];
/** What developers may use beside these: nothing of it is in what is deployed, and MPL covers its own files only. */
const forDevelopers = [...permissive, 'MPL-2.0', 'PSF-2.0', 'Python-2.0'];

/** Packages whose licence is not on the list, or is another than the lock file says. @param root where `node_modules` lies */
export function faultsOfLicences({ packages }: Lock, root: string): string[] {
  return Object.entries(packages).flatMap(([place, entry]) => {
    if (place === '') return [];
    const allowed = entry.dev || entry.devOptional ? forDevelopers : permissive;
    const named = `${nameAt(place, entry)}@${entry.version}`;
    if (!isAllowed(entry.license, allowed)) return [`${named}: ${entry.license ?? 'no licence'} is not on the list`];
    const path = `${root}/${place}/package.json`;
    const said = existsSync(path) ? licenceIn(readFileSync(path, 'utf8')) : entry.license;
    return said === entry.license ? [] : [`${named}: it says ${said}, the lock file ${entry.license}`];
  });
}

/** @param licence an SPDX expression: of alternatives one must be allowed, of what holds together all */
export function isAllowed(licence: string | undefined, allowed: readonly string[]): boolean {
  const text = (licence ?? '').trim().replace(/^\((.*)\)$/, '$1');
  if (/[()]/.test(text)) return false;
  return text.split(' OR ').some((choice) => choice.split(' AND ').every((each) => allowed.includes(each.trim())));
}

function licenceIn(text: string): string | undefined {
  const { license } = JSON.parse(text) as { license?: string | { type?: string } };
  return typeof license === 'object' ? license.type : license;
}
