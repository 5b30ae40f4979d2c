import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * The address that a request came from, as the last of our own proxies saw it. What a caller writes into
 * `X-Forwarded-For` stands before that and is ignored. Null where the address is unknown.
 * @param trustedProxies how many entries our proxies add at the end of the header; 0: the connection's address counts
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
