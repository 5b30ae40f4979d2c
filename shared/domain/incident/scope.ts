import { thresholds } from '../limits.ts';

/** How many devices of a place can be judged, and how many of them became dark in the time that is examined. */
export type PlaceCount = { kind: string; total: number; dark: number };

/**
 * The extent of a failure that includes a lost device: the widest of its places that is dark. A wider place counts only where both a
 * narrower part and the rest of it are hit. Null: only the device itself. The result is the same for each device with the same places, in
 * any order.
 */
export function inferScope<P extends PlaceCount>(places: readonly P[]): P | null {
  // Of two names for the same devices, people know the site.
  const byWidth = places.toSorted((a, b) => a.total - b.total || Number(b.kind === 'site') - Number(a.kind === 'site'));
  const stand = places.find(({ kind }) => kind === 'site' || kind === 'group');
  let scope: P | null = null;
  for (const place of byWidth) {
    const isWide = stand !== undefined && place.total > stand.total;
    if (!isDark(place, isWide ? thresholds.darkOfWide : thresholds.darkOfSite)) continue;
    if (scope?.total === place.total) continue;
    const parts = byWidth.filter(({ total }) => total < place.total);
    if (parts.every((part) => isPartHit(part) && isPartHit(restOf(place, part)))) scope = place;
  }
  return scope;
}

/** A place large enough that one loss may be part of an outage. */
export function isCommonPlace({ total }: Pick<PlaceCount, 'total'>): boolean {
  return total >= thresholds.leastOfPlace;
}

/** Whether at least this share of a place is dark. A place with few devices never counts. */
function isDark({ total, dark }: Omit<PlaceCount, 'kind'>, share: number): boolean {
  return isCommonPlace({ total }) && dark >= share * total;
}

/** Whether a part of a place is hit: dark as a place, or, where it is too small to be one, completely dark. */
function isPartHit(part: Omit<PlaceCount, 'kind'>): boolean {
  return isDark(part, thresholds.darkOfSite) || (part.dark > 0 && part.dark >= part.total);
}

function restOf(place: PlaceCount, part: PlaceCount): Omit<PlaceCount, 'kind'> {
  return { total: Math.max(0, place.total - part.total), dark: Math.max(0, place.dark - part.dark) };
}

/**
 * Whether a place is no longer dark as a whole. A device that is still dark then has a cause of its own. A place whose devices were all
 * deleted or moved away is back too: nothing could end its outage later.
 */
export function isBack({ total, dark }: Omit<PlaceCount, 'kind'>): boolean {
  return dark === 0 || dark < thresholds.darkOfSite * total;
}
