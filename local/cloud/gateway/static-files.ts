import { readFileSync } from 'node:fs';
import type { OutgoingHttpHeaders } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';
import { consolePages } from '../../../shared/schema/console-pages.ts';

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.map': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
};

/** `/alerts` and `/alerts/ID`, and nothing below. */
const isPage = new RegExp(`^/(?:${consolePages.join('|')})(?:/[^/]*)?$`);

export type StaticFile = { bytes: Buffer; headers: OutgoingHttpHeaders };

/**
 * The file of the console for a path: the file itself, the page of its folder, or `index.html` for a page of the
 * console. Null if there is none. Reads the whole file, because a build may delete it at any moment.
 */
export function readStaticFile(folder: string, path: string): StaticFile | null {
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return null;
  }
  const file = join(folder, normalize(`/${decoded}`));
  if (decoded.includes('\0') || !`${file}${sep}`.startsWith(`${folder}${sep}`)) return null;
  const itself = readIfThere(file) ?? readIfThere(join(file, 'index.html'));
  return itself ?? (isPage.test(path) ? readIfThere(join(folder, 'index.html')) : null);
}

function readIfThere(file: string): StaticFile | null {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch {
    return null;
  }
  // A file with a digest in its name never changes under that name. Browsers must ask again for all others.
  const isPermanent = /\/assets\/[^/]+-[\w-]{8,}\.\w+$/.test(file.replaceAll(sep, '/'));
  const headers = {
    'Content-Type': types[extname(file)] ?? 'application/octet-stream',
    'Content-Length': bytes.length,
    'Cache-Control': isPermanent ? 'public, max-age=31536000, immutable' : 'no-cache',
  };
  return { bytes, headers };
}
