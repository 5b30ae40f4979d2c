import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type NetworkRange = [address: string, bits: number];

/**
 * IPv4 networks that no webhook may reach, in addition to those that `ipaddr.js` names: IANA's special-purpose registry, the public
 * address at which Azure's host answers virtual machines, and those at which Google's own APIs answer a VPC
 * (cloud.google.com/vpc/docs/configure-private-google-access), where a request would arrive with the rights of the network that it comes from.
 */
const forbidden4: NetworkRange[] = [
  ['192.0.0.0', 24],
  ['192.88.99.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.175.48.0', 24],
  ['168.63.129.16', 32],
  ['199.36.153.0', 24],
  ['34.126.0.0', 18],
];

/**
 * Only 2000::/3 is assigned to the public network. Within it, these serve other purposes: IETF protocols (with Teredo
 * and benchmarks), documentation, 6to4, AS112, and Google's APIs within a VPC.
 */
const global6: NetworkRange = ['2000::', 3];
const forbidden6: NetworkRange[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
  ['2600:2d00:2:1000::', 56],
  ['2600:2d00:2:2000::', 56],
  ['2001:4860:8040::', 42],
];

/** Whether an address, as a resolver returns it, belongs to the public network. False for an unreadable address. */
function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address) || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.kind() === 'ipv4') {
    // Only the decimal form with four parts, because readers interpret other spellings differently.
    if (!ipaddr.IPv4.isValidFourPartDecimal(address)) return false;
    return parsed.range() === 'unicast' && !isWithin(parsed, forbidden4);
  }
  return isWithin(parsed, [global6]) && !isWithin(parsed, forbidden6);
}

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, ranges: readonly NetworkRange[]): boolean {
  return ranges.some(([network, bits]) => address.match(ipaddr.parse(network), bits));
}

/** Where a request may go, as far as the address alone shows. */
type OutboundTarget = { url: URL; host: string; isLiteral: boolean; isAllowed: boolean };
type TargetFault = { fault: string };

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
function readTarget(text: string, allowed: readonly string[]): OutboundTarget | TargetFault {
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
  const isAllowed = [host, `${host}:${port}`, url.host].some((name) => allowed.includes(name));
  const fault = isAllowed ? null : faultOfHost(host);
  return fault === null ? { url, host, isLiteral: isIP(host) !== 0, isAllowed } : { fault };
}

function faultOfHost(host: string): string | null {
  if (isIP(host) !== 0) return isPublicAddress(host) ? null : notPublic;
  if (!hostName.test(host)) return 'must name a host by its full name';
  return privateNames.test(host) ? notPublic : null;
}

/** What is wrong with the text of an address. Null: it may be tried. */
export function faultOfTarget(text: string, allowed: readonly string[]): string | null {
  const target = readTarget(text, allowed);
  return 'fault' in target ? target.fault : null;
}

const notPublic = 'leads to an address that is not public';

function authorityOf(text: string): string {
  return text.slice('https://'.length).split(/[/?#]/, 1)[0] ?? '';
}

/** All addresses of a name. */
export type Resolve = (host: string) => Promise<LookupAddress[]>;

/**
 * How long an answer is used, milliseconds. A change of a name is noticed that much later, but a connection that is kept notices it up to
 * 30 seconds later anyway. A burst to one host then asks once and does not fill the few threads for look-ups.
 */
const keptMs = 5000;
const mostKept = 1000;

/** Looks names up once for all callers within a short time. A failure is not kept. @param elapsedMs a monotonic clock */
export function createLookUp(resolve: Resolve, elapsedMs: () => number): Resolve {
  const kept = new Map<string, { addresses: Promise<LookupAddress[]>; until: number }>();
  return (host) => {
    const known = kept.get(host);
    if (known && known.until > elapsedMs()) return known.addresses;
    if (kept.size >= mostKept) kept.clear();
    const asked = { addresses: resolve(host), until: elapsedMs() + keptMs };
    kept.set(host, asked);
    asked.addresses.catch(() => {
      if (kept.get(host) === asked) kept.delete(host);
    });
    return asked.addresses;
  };
}

/** A target whose addresses have been looked up and checked. A connection may go only to these. */
export type CheckedTarget = OutboundTarget & { addresses: LookupAddress[] };
type TargetRefusal = { kind: 'blocked_target' | 'dns_error'; detail: string };

export type OutboundGuard = {
  /** Checks an address and everything that its name resolves to now. The name is looked up once. */
  check(url: string): Promise<CheckedTarget | TargetRefusal>;
};

const ask: Resolve = (host) => dns.lookup(host, { all: true, verbatim: true });

/**
 * The only code that decides to which outside addresses a request may go. It checks when an endpoint is saved and
 * before each request.
 * @param allowHosts hosts that a local run may reach although they are not public
 */
export function createOutboundGuard(
  allowHosts: readonly string[],
  resolve: Resolve = createLookUp(ask, () => performance.now()),
): OutboundGuard {
  return {
    async check(url) {
      const target = readTarget(url, allowHosts);
      if ('fault' in target) return { kind: 'blocked_target', detail: `The address ${target.fault}.` };
      const { host, isLiteral, isAllowed } = target;
      if (isLiteral) return { ...target, addresses: [{ address: host, family: isIP(host) }] };
      let addresses: LookupAddress[];
      try {
        addresses = await resolve(host);
      } catch (error) {
        const { code = 'no answer' } = error as { code?: string };
        return { kind: 'dns_error', detail: `The name could not be looked up (${code}).` };
      }
      if (addresses.length === 0) return { kind: 'dns_error', detail: 'The name has no address.' };
      if (!isAllowed && !addresses.every(({ address }) => isPublicAddress(address))) {
        return { kind: 'blocked_target', detail: `The name ${notPublic}.` };
      }
      return { ...target, addresses };
    },
  };
}
