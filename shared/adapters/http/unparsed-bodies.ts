import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

/**
 * Prevents the functions framework from reading bodies. It would inflate and buffer up to 1 GB, and answer malformed
 * JSON with a page of its own. Its parsers depend on `content-type`, so that header is hidden from them. The API still
 * sees it, because Hono's server reads `rawHeaders`. Our own readers limit the size.
 */
export function leaveBodiesUnparsed(): void {
  subscribe('http.server.request.start', (event) => {
    const { request } = event as { request: IncomingMessage };
    delete request.headers['content-type'];
  });
}
