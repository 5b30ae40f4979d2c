import ipaddr from 'ipaddr.js';

type Range = [address: string, bits: number];

/**
 * IPv4 networks that no webhook may reach, in addition to those that `ipaddr.js` names: IANA's special-purpose registry, the public
 * address at which Azure's host answers virtual machines, and those at which Google's own APIs answer a VPC
 * (cloud.google.com/vpc/docs/configure-private-google-access), where a request would arrive with the rights of the network that it comes from.
 */
const forbidden4: Range[] = [
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
const global6: Range = ['2000::', 3];
const forbidden6: Range[] = [
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
