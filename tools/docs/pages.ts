import { globSync, readFileSync } from 'node:fs';

/** A page of the site: its source file, address, title, and section in the index. */
export type SitePage = { source: string; url: string; title: string; group: Group };
/** A page as HTML. */
export type BuiltPage = SitePage & { html: string };
type Group = 'start' | 'guides' | 'decisions' | 'problems' | 'home';

/** The path of the site below the console's address. */
export const base = '/docs';

/** Pages outside of `docs`, by their name in the site. */
export const elsewhere: Record<string, string> = {
  client: 'sdk/typescript/README.md',
  'command-line': 'cli/README.md',
  contributing: 'CONTRIBUTING.md',
  changelog: 'CHANGELOG.md',
};

/** All pages of the site, from the folders. */
export function sitePages(): SitePage[] {
  const inside = globSync('docs/**/*.md').map((source) => pageAt(source, source.slice('docs/'.length, -'.md'.length)));
  const outside = Object.entries(elsewhere).map(([name, source]) => pageAt(source, name));
  return [...inside, ...outside].toSorted((a, b) => a.title.localeCompare(b.title, 'en'));
}

function pageAt(source: string, name: string): SitePage {
  const title = /^# (.+)$/m.exec(readFileSync(source, 'utf8'))?.[1]?.replaceAll('`', '') ?? name;
  const place = name.replace(/(^|\/)index$/, '$1');
  return {
    source,
    url: `${base}/${place}${place === '' || place.endsWith('/') ? '' : '/'}`,
    title,
    group: groupOf(name),
  };
}

function groupOf(name: string): Group {
  if (name === 'index') return 'home';
  const folder = name.split('/')[0];
  return folder === 'start' || folder === 'decisions' || folder === 'problems' ? folder : 'guides';
}
