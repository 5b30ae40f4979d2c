import ipaddr from 'ipaddr.js';

type Range = [address: string, bits: number];

/**
 * IPv4 networks that no webhook may reach, in addition to those that `ipaddr.js` names: IANA's special-purpose registry, and the public
 * address at which Azure's host answers virtual machines.
 */
const forbidden4: Range[] = [
  ['192.0.0.0', 24],
  ['192.88.99.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.175.48.0', 24],
  ['168.63.129.16', 32],
];

/**
 * Only 2000::/3 is assigned to the public network. Within it, these serve other purposes: IETF protocols (with Teredo
 * and benchmarks), documentation, 6to4 and AS112.
 */
const global6: Range = ['2000::', 3];
const forbidden6: Range[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
];

/** Whether an address, as a resolver returns it, belongs to the public network. False for an unreadable address. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address) || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.kind() === 'ipv4') {
    // Only the decimal form with four parts, because readers interpret other spellings differently.
    if (!ipaddr.IPv4.isValidFourPartDecimal(address)) return false;
    return parsed.range() === 'unicast' && !isWithin(parsed, forbidden4);
  }
  return isWithin(parsed, [global6]) && !isWithin(parsed, forbidden6);
}

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, ranges: readonly Range[]): boolean {
  return ranges.some(([network, bits]) => address.match(ipaddr.parse(network), bits));
}
