import { createReadStream, existsSync, statSync } from 'node:fs';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';

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
};

/**
 * The file of a single-page application that a path means: itself, or `index.html` for a path of the application. Null where
 * `folder` has none, and for a missing file with an extension.
 */
export function findFile(folder: string, path: string): string | null {
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return null;
  }
  const file = join(folder, normalize(`/${decoded}`));
  if (decoded.includes('\0') || !`${file}${sep}`.startsWith(`${folder}${sep}`)) return null;
  if (existsSync(file) && statSync(file).isFile()) return file;
  const index = join(folder, 'index.html');
  return extname(decoded) === '' && existsSync(index) ? index : null;
}

/** Files with a digest in their name never change under it; all others are asked for again. */
export function sendFile(
  response: ServerResponse,
  file: string,
  withBody: boolean,
  headers: OutgoingHttpHeaders = {},
): void {
  const isPermanent = /\/assets\/[^/]+-[\w-]{8,}\.\w+$/.test(file.replaceAll(sep, '/'));
  response.writeHead(200, {
    ...headers,
    'Content-Type': types[extname(file)] ?? 'application/octet-stream',
    'Content-Length': statSync(file).size,
    'Cache-Control': isPermanent ? 'public, max-age=31536000, immutable' : 'no-cache',
  });
  if (withBody) createReadStream(file).pipe(response);
  else response.end();
}
