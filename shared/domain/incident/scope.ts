import { thresholds } from '../limits.ts';

/** How many devices of a place can be told of, and how many of them have become dark in the time that is looked at. */
export type PlaceCount = { kind: string; total: number; dark: number };

/**
 * What went dark where a device is lost: the widest of its places that is dark, wider than a part of it only where that part and the rest are
 * both hit. Null: nothing but the device itself. The same for every device that hangs where this one does, in whatever order they are asked.
 */
export function inferScope<P extends PlaceCount>(places: readonly P[]): P | null {
  // Of two names for the same devices the site is what people know.
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

/** A place where one loss may be one of many. */
export function isCommonPlace({ total }: Pick<PlaceCount, 'total'>): boolean {
  return total >= thresholds.leastOfPlace;
}

/** Whether so large a share of a place is dark; few devices make no place. */
function isDark({ total, dark }: Omit<PlaceCount, 'kind'>, share: number): boolean {
  return isCommonPlace({ total }) && dark >= share * total;
}

/** A part that is smaller than a place counts where nothing of it is left. */
function isPartHit(part: Omit<PlaceCount, 'kind'>): boolean {
  return isDark(part, thresholds.darkOfSite) || (part.dark > 0 && part.dark >= part.total);
}

function restOf(place: PlaceCount, part: PlaceCount): Omit<PlaceCount, 'kind'> {
  return { total: Math.max(0, place.total - part.total), dark: Math.max(0, place.dark - part.dark) };
}

/** Whether a place is no longer dark as a whole: whatever still is, is so for a reason of its own. */
export function isBack({ total, dark }: Omit<PlaceCount, 'kind'>): boolean {
  return dark < thresholds.darkOfSite * total;
}
