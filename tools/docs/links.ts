import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { type BuiltPage, base, type SitePage } from './pages.ts';

/** Rewrites links to files as links to their pages. Other links do not change; `faultsOfPages` checks them. */
export function withLinks({ source }: SitePage, html: string, pages: readonly SitePage[]): string {
  const urls = new Map(pages.map((page) => [page.source, page.url]));
  return html.replaceAll(/ href="([^":#]+)(#[^"]*)?"/g, (whole, target: string, section = '') => {
    if (target.startsWith('/')) return whole;
    const path = join(dirname(source), target);
    const url = urls.get(path) ?? (path.startsWith('docs/') && isFile(path) ? `/${path}` : undefined);
    return url === undefined ? whole : ` href="${url}${section}"`;
  });
}

function isFile(path: string): boolean {
  return existsSync(path) && /\.\w+$/.test(path);
}

/** Broken links, and content that the console's security policy would block. */
export function faultsOfPages(pages: readonly BuiltPage[]): string[] {
  const anchors = new Map(
    pages.map(({ url, html }) => [url, new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id))]),
  );
  return pages.flatMap(({ source, url, html }) => {
    const faults = [...html.matchAll(/<script(?![^>]* src=)|<style| style=| on\w+=/g)].map(
      ([found]) => `${source}: the policy of the console refuses ${found}`,
    );
    for (const [, target = ''] of html.matchAll(/ href="([^"]+)"/g)) {
      if (/^(https?|mailto):/.test(target)) continue;
      const [path = '', section] = decodeURI(target).split('#');
      const there = anchors.get(path === '' ? url : path);
      const isThere = section === undefined ? there || isAsset(path) : there?.has(section);
      if (!isThere) faults.push(`${source}: ${target} leads nowhere`);
    }
    return faults;
  });
}

/** Files beside the pages: those of `docs`, and output of the build. */
function isAsset(path: string): boolean {
  const ofLayout = ['/', '/icon.svg', `${base}/site.css`];
  return ofLayout.includes(path) || (path.startsWith(`${base}/`) && isFile(path.slice(1)));
}
