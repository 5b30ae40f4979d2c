import MiniSearch from 'minisearch';
import { type Section, searchOptions } from '../../console/site/search-options.ts';
import type { BuiltPage } from './pages.ts';

/** The index for the site's search: every section of every page. */
export function searchIndex(pages: readonly BuiltPage[]): string {
  const index = new MiniSearch<Section>(searchOptions);
  index.addAll(pages.flatMap(sectionsOf));
  return JSON.stringify(index);
}

function sectionsOf({ url, title, html }: BuiltPage): Section[] {
  const main = /<main[^>]*>([\s\S]*)<\/main>/.exec(html)?.[1] ?? '';
  const found = main.matchAll(/<h([1-6]) id="([^"]+)">([\s\S]*?)<\/h\1>([\s\S]*?)(?=<h[1-6] id=|$)/g);
  return [...found].map(([, level, anchor = '', heading = '', text = '']) => {
    const isWhole = level === '1';
    return { id: isWhole ? url : `${url}#${anchor}`, title, heading: isWhole ? '' : plain(heading), text: plain(text) };
  });
}

function plain(html: string): string {
  return html
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
