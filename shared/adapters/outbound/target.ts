import { isIP } from 'node:net';
import { isPublicAddress } from './addresses.ts';

/** Where a request may go, as far as the address alone shows. */
export type Target = { url: URL; host: string; isLiteral: boolean; isAllowed: boolean };
export type TargetFault = { fault: string };

/** Names that never lead to the public network, whatever a resolver returns. */
const privateNames =
  /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home|corp|private|arpa|onion|test|invalid)$/;
const hostName = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?)+$/;
/** Characters allowed in an address. Parsers drop or correct other characters, and not all in the same way. */
const plain = /^[^\s\\\p{Cc}]+$/u;

/**
 * Checks an address of a receiver: `https:` only, no user info, no fragment, port 443 or 1024 and above, a public name or address.
 * @param allowed hosts (`host` or `host:port`) that a local run may reach although they are not public
 */
export function readTarget(text: string, allowed: readonly string[]): Target | TargetFault {
  if (!plain.test(text)) return { fault: 'must not contain blanks, control characters or backslashes' };
  if (!URL.canParse(text)) return { fault: 'is not an address' };
  const url = new URL(text);
  if (url.protocol !== 'https:') return { fault: 'must begin with https://' };
  if (!/^https:\/\/[^/]/i.test(text)) return { fault: 'must have a host directly after https://' };
  if (url.username || url.password || authorityOf(text).includes('@')) return { fault: 'must not contain user info' };
  if (text.includes('#')) return { fault: 'must not contain a fragment' };
  const port = Number(url.port || 443);
  if (port !== 443 && port < 1024) return { fault: 'must use port 443, or 1024 and above' };
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isAllowed = allowed.some((entry) => entry === host || entry === `${host}:${port}` || entry === url.host);
  const isLiteral = isIP(host) !== 0;
  if (isAllowed) return { url, host, isLiteral, isAllowed };
  if (isLiteral) return isPublicAddress(host) ? { url, host, isLiteral, isAllowed } : { fault: notPublic };
  if (!hostName.test(host)) return { fault: 'must name a host by its full name' };
  if (privateNames.test(host)) return { fault: notPublic };
  return { url, host, isLiteral, isAllowed };
}

/** What is wrong with the text of an address. Null: it may be tried. */
export function faultOfTarget(text: string, allowed: readonly string[]): string | null {
  const target = readTarget(text, allowed);
  return 'fault' in target ? target.fault : null;
}

export const notPublic = 'leads to an address that is not public';

function authorityOf(text: string): string {
  return text.slice('https://'.length).split(/[/?#]/, 1)[0] ?? '';
}
