import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

/**
 * Keeps the functions framework from reading bodies: it would inflate and buffer up to 1 GB, and answer malformed JSON with a page of
 * its own. Its parsers go by `content-type`, so that header is taken away before they look; ours read `rawHeaders`, bounded.
 */
export function leaveBodiesUnparsed(): void {
  subscribe('http.server.request.start', (event) => {
    const { request } = event as { request: IncomingMessage };
    delete request.headers['content-type'];
  });
}
