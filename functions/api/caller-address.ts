import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * The address that a request came from, as the last proxy that is ours saw it: what a caller writes into `X-Forwarded-For` stands before
 * that. Null where it cannot be told.
 * @param trustedProxies entries at the end of the header that are not the caller's
 */
export function callerAddress(
  forwardedFor: string | undefined,
  incoming: IncomingMessage | undefined,
  trustedProxies: number,
): string | null {
  const entries = (forwardedFor ?? '').split(',').map((entry) => entry.trim());
  const address = trustedProxies === 0 ? incoming?.socket.remoteAddress : entries.at(-trustedProxies);
  return address !== undefined && isIP(address) !== 0 ? address : null;
}
