import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { isPublicAddress } from './addresses.ts';
import { createLookUp, type Resolve } from './look-up.ts';
import { notPublic, readTarget, type Target } from './target.ts';

/** A target whose addresses have been looked up and checked. A connection may go only to these. */
export type CheckedTarget = Target & { addresses: LookupAddress[] };
export type TargetRefusal = { kind: 'blocked_target' | 'dns_error'; detail: string };

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
