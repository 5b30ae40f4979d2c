import { groupKind, placeKeyOf, placeOfKey } from '../device/places.ts';
import { thresholds } from '../limits.ts';
import type { Instant } from '../time.ts';
import { keysOfPlace, placeIdOf, type SeenPlace } from './places.ts';

/** The two moments with which the present is compared: what was dark before one of them is unrelated to what is lost now. */
export const baselines = ['near', 'far'] as const;
export type Baseline = (typeof baselines)[number];
export type Baselines = Record<Baseline, Instant>;

/** The cameras of a place at a horizon: all, those that are dark, and how many of these were dark before each baseline. */
export type PlaceCount = {
  place: SeenPlace;
  total: number;
  dark: number;
  before: Record<Baseline, number>;
  from: Baselines;
  /** Lost cameras that a maintenance window keeps quiet. They count neither as dark nor as of the place. */
  maintained: number;
};

/** The places of one lost camera, as keys. */
export type PlaceChain = readonly string[];

/** The extent of a failure: a place, and the baseline by which it is dark. */
export type OutageScope = { counted: PlaceCount; baseline: Baseline };

type DarkShare = { total: number; dark: number };

/** The cameras of a place that were alive at the baseline, and how many of them are dark now. */
export function shareOf({ total, dark, before, maintained }: PlaceCount, baseline: Baseline): DarkShare {
  return { total: total - before[baseline] - maintained, dark: Math.max(0, dark - before[baseline] - maintained) };
}

/**
 * The extent of the failure that each lost camera belongs to: the widest of its places that is dark, and wider than one of its parts only if the rest
 * is hit too. Null: only the camera itself. It depends neither on the order of the chains nor on copies of them.
 */
export function inferScopes(
  chains: readonly PlaceChain[],
  counts: readonly PlaceCount[],
): (chain: PlaceChain) => OutageScope | null {
  const known = knownBy(chains, counts);
  const scopes = new Map<string, OutageScope | null>();
  for (const counted of counts) scopes.set(placeIdOf(counted.place), darkAs(counted, known));
  return (chain) => {
    const own = placesOf(chain, known).flatMap((counted) => scopes.get(placeIdOf(counted.place)) ?? []);
    return own.reduce<OutageScope | null>((widest, each) => (widest && !isBefore(widest, each) ? widest : each), null);
  };
}

/**
 * For each lost camera that stands alone: the number of cameras at its site, or at its group where it has none. Left out: cameras at a place of which
 * several were lost lately, and those whose place was not counted.
 */
export function loneOf(
  losses: readonly { alertId: string; places: PlaceChain }[],
  counts: readonly PlaceCount[],
): Map<string, number> {
  const sites = counts.filter(({ place }) => place.kind === 'site');
  const sizes = new Map(sites.flatMap((counted) => keysOfPlace(counted.place).map((key) => [key, counted] as const)));
  return new Map(
    losses.flatMap(({ alertId, places }) => {
      const counted = places.flatMap((key) => sizes.get(key) ?? [])[0];
      const isLone = counted && shareOf(counted, 'near').dark < thresholds.leastOfPlace;
      return isLone ? [[alertId, counted.total] as const] : [];
    }),
  );
}

/** Groups in which so many places are hit that the whole group may be. Their cameras are then counted too. */
export function groupsHit(chains: readonly PlaceChain[], counts: readonly PlaceCount[]): string[] {
  const known = knownBy(chains, counts);
  const hit = counts.filter((each) => each.place.kind === 'site' && darkAs(each, known) !== null);
  const byGroup = Map.groupBy(
    hit.flatMap(({ place }) => place.groups),
    (groupId) => groupId,
  );
  return [...byGroup]
    .flatMap(([groupId, { length }]) => (length >= thresholds.placesOfGroup ? [groupId] : []))
    .toSorted();
}

/** The virtual place of all cameras of a group. */
export function groupPlace(groupId: string): SeenPlace {
  return { kind: groupKind, id: groupId, groups: [groupId], name: null, isShared: false };
}

type KnownPlaces = { byKey: ReadonlyMap<string, PlaceCount>; chains: readonly (readonly PlaceCount[])[] };

function knownBy(chains: readonly PlaceChain[], counts: readonly PlaceCount[]): KnownPlaces {
  const byKey = new Map(counts.flatMap((counted) => keysOfPlace(counted.place).map((key) => [key, counted] as const)));
  const distinct = new Map(chains.map((chain) => [chain.join(' '), chain]));
  const known = { byKey, chains: [] };
  return { ...known, chains: [...distinct.values()].map((chain) => placesOf(chain, known)) };
}

/** The counted places of a camera, with its group where that is counted. */
function placesOf(chain: PlaceChain, { byKey }: Pick<KnownPlaces, 'byKey'>): PlaceCount[] {
  const [first] = chain;
  if (first === undefined) return [];
  const { groupId } = placeOfKey(first);
  const keys = [...chain, placeKeyOf({ kind: groupKind, id: groupId, groupId })];
  return keys.flatMap((key) => byKey.get(key) ?? []);
}

/** Whether the first place is narrower. Of two names for the same cameras people know the site; a group comes after any other. */
function isBefore({ counted: a }: Pick<OutageScope, 'counted'>, { counted: b }: Pick<OutageScope, 'counted'>): boolean {
  return a.total === b.total ? rankOf(a) > rankOf(b) : a.total < b.total;
}

function rankOf({ place: { kind } }: PlaceCount): number {
  return ['site', 'other', groupKind].indexOf(kind === 'site' || kind === groupKind ? kind : 'other');
}

function darkAs(counted: PlaceCount, known: KnownPlaces): OutageScope | null {
  const through = known.chains.filter((chain) => chain.includes(counted));
  const isWide = through.some((chain) =>
    chain.some(({ place, total }) => place.kind === 'site' && total < counted.total),
  );
  const threshold = isWide || counted.place.kind === groupKind ? thresholds.darkOfWide : thresholds.darkOfSite;
  const parts = [...new Set(through.flat())].filter(({ total }) => total < counted.total);
  // However many were lost before: as many as make a place must be new.
  if (shareOf(counted, 'near').dark < thresholds.leastOfPlace) return null;
  for (const baseline of baselines) {
    const share = shareOf(counted, baseline);
    const isHit = isDark(share, threshold) && parts.every((part) => isRestHit(counted, part, baseline));
    if (isHit) return { counted, baseline };
  }
  return null;
}

/** Whether the place is more than this part of it: if the part is hit, so is the rest. */
function isRestHit(whole: PlaceCount, part: PlaceCount, baseline: Baseline): boolean {
  const [all, own] = [shareOf(whole, baseline), shareOf(part, baseline)];
  if (!isPartHit(own)) return true;
  return isPartHit({ total: Math.max(0, all.total - own.total), dark: Math.max(0, all.dark - own.dark) });
}

/** Whether a part is hit: dark as a place, or, where it is too small to be one, completely dark. */
function isPartHit(part: DarkShare): boolean {
  return isDark(part, thresholds.darkOfSite) || (part.dark > 0 && part.dark >= part.total);
}

/** Whether at least this share of a place is dark. A place with few cameras never counts. */
function isDark({ total, dark }: DarkShare, share: number): boolean {
  return total >= thresholds.leastOfPlace && dark >= thresholds.leastOfPlace && dark >= share * total;
}

/**
 * Whether a place is no longer dark as a whole. A camera that is still dark then has a cause of its own. A place whose cameras were all deleted or moved
 * away is back too: nothing could end its outage later.
 */
export function isBack({ total, dark }: DarkShare): boolean {
  return dark === 0 || dark < thresholds.darkOfSite * total;
}
