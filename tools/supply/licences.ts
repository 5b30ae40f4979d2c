import { existsSync, readFileSync } from 'node:fs';
import { isOwn, type Lock, nameAt } from './lock.ts';

/** Licences of deployed packages: those that require attribution at most. */
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
/** Additional licences of development tools: they are not deployed, and MPL applies only to its own files. */
const forDevelopers = [...permissive, 'MPL-2.0', 'PSF-2.0', 'Python-2.0'];

/**
 * Packages whose licence is not allowed, or differs from the lock file.
 * @param root the folder of `node_modules`
 */
export function faultsOfLicences(lock: Lock, root: string): string[] {
  return Object.entries(lock.packages).flatMap(([place, entry]) => {
    if (isOwn(place, entry, lock)) return [];
    const allowed = entry.dev || entry.devOptional ? forDevelopers : permissive;
    const named = `${nameAt(place, entry)}@${entry.version}`;
    if (!isAllowed(entry.license, allowed)) return [`${named}: ${entry.license ?? 'no licence'} is not on the list`];
    const path = `${root}/${place}/package.json`;
    const said = existsSync(path) ? licenceIn(readFileSync(path, 'utf8')) : entry.license;
    return said === entry.license ? [] : [`${named}: it says ${said}, the lock file ${entry.license}`];
  });
}

/**
 * @param licence an SPDX expression: with OR one part must be allowed, with AND all. An expression with inner
 * parentheses is not allowed.
 */
export function isAllowed(licence: string | undefined, allowed: readonly string[]): boolean {
  const text = (licence ?? '').trim().replace(/^\((.*)\)$/, '$1');
  if (/[()]/.test(text)) return false;
  return text.split(' OR ').some((choice) => choice.split(' AND ').every((each) => allowed.includes(each.trim())));
}

function licenceIn(text: string): string | undefined {
  const { license } = JSON.parse(text) as { license?: string | { type?: string } };
  return typeof license === 'object' ? license.type : license;
}
