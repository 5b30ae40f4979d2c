import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Eleventy, IdAttributePlugin } from '@11ty/eleventy';
import { build } from 'esbuild';
import { faultsOfPages, withLinks } from './links.ts';
import { type BuiltPage, base, elsewhere, sitePages } from './pages.ts';
import { searchIndex } from './search-index.ts';

const theme = 'console/site';

/**
 * Writes the documentation as a site to the folder that is served below `/docs/`.
 * @returns its faults; with faults nothing is written
 */
export async function buildSite(out: string): Promise<string[]> {
  const { pages, faults } = await builtPages();
  if (faults.length > 0) return faults;
  // Copies the Markdown too, for readers of `llms.txt`, and files that pages link to.
  cpSync('docs', out, { recursive: true });
  for (const { url, html } of pages) write(join(out, url.slice(base.length), 'index.html'), html);
  write(join(out, 'site.css'), readFileSync(join(theme, 'site.css'), 'utf8'));
  write(join(out, 'search.json'), searchIndex(pages));
  await build({
    entryPoints: [join(theme, 'search.ts')],
    outfile: join(out, 'search.js'),
    bundle: true,
    minify: true,
    format: 'esm',
  });
  return [];
}

/** The built pages with links inside the site, and their faults. */
export async function builtPages(): Promise<{ pages: BuiltPage[]; faults: string[] }> {
  const pages = sitePages();
  const byUrl = new Map(pages.map((page) => [page.url, page]));
  const eleventy = new Eleventy('docs', 'console/dist/docs', {
    quietMode: true,
    config(configuration) {
      configuration.setUseGitIgnore(false);
      configuration.setTemplateFormats(['md']);
      configuration.setIncludesDirectory(join('..', theme));
      configuration.addGlobalData('layout', 'layout.njk');
      configuration.addGlobalData('base', base);
      configuration.addGlobalData('pages', pages);
      const here = ({ page }: { page: { url: string } }) => byUrl.get(`${base}${page.url}`);
      configuration.addGlobalData('eleventyComputed.here', () => here);
      for (const [name, source] of Object.entries(elsewhere)) {
        configuration.addTemplate(`${name}.md`, readFileSync(source, 'utf8'));
      }
      configuration.amendLibrary('md', (markdown) => markdown.set({ html: false }));
      configuration.addPlugin(IdAttributePlugin, { slugify: anchorOf });
      return { markdownTemplateEngine: false };
    },
  });
  const built = (await eleventy.toJSON()).flatMap(({ url, content }) => {
    const page = byUrl.get(`${base}${url}`);
    return page ? [{ ...page, html: reachable(withLinks(page, content, pages)) }] : [];
  });
  return { pages: built, faults: faultsOfPages(built) };
}

/** The anchor of a heading, as GitHub makes it. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

/**
 * Puts tables into boxes that scroll, and lets the keyboard reach these boxes and code blocks. The empty corner of a
 * table is no header cell.
 */
function reachable(html: string): string {
  return html
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replaceAll('<th></th>', '<td></td>')
    .replaceAll('<table>', '<div class="wide" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>');
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
