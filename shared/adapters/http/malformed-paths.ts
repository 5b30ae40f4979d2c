import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

/** Where a request with a malformed path goes, so that the functions framework does not answer it with a page and a stack. */
export const malformedPath = '/malformed-path';

/**
 * Sends requests whose path cannot be decoded (`/v1/alerts/%zz`) to a path of their own, before Express sees them: it would decode it and answer with a
 * page of its own.
 */
export function redirectMalformedPaths(): void {
  subscribe('http.server.request.start', (event) => {
    const { request } = event as { request: IncomingMessage };
    if (!isDecodable(request.url ?? '/')) request.url = malformedPath;
  });
}

/** Whether the path of an address is percent-encoded UTF-8. */
export function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url.split('?', 1)[0] ?? '');
    return true;
  } catch {
    return false;
  }
}
