import type { LookupAddress } from 'node:dns';

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
