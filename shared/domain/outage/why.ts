import type { DeviceWhy } from '../../schema/device/why.ts';
import type { DeviceState } from '../../schema/vocabulary.ts';
import type { Device } from '../device/device.ts';
import { groupKind } from '../device/places.ts';
import { reconnectsAt, standingLoss } from '../device/presence.ts';
import { thresholds, type Waits } from '../limits.ts';
import type { Instant } from '../time.ts';
import { placeTitle, type SeenPlace } from './places.ts';

/** The other cameras at a place: how many were alive just before a camera became dark, how many of these became dark with it, and all that are dark. */
export type Neighbours = { place: SeenPlace; others: number; alive: number; together: number; dark: number };

export type WhyFacts = {
  device: Device;
  state: DeviceState;
  /** Since when it is dark. Null: it is not. */
  darkAt: Instant | null;
  /** At its places, from narrow to wide. */
  neighbours: readonly Neighbours[];
};

type Why = Pick<DeviceWhy, 'sentence' | 'evidence'>;

/** Time on both sides of a loss that was told, in which other losses count as the same, milliseconds. */
const sameLossMs = 60_000;

/** How far apart cameras may seem to become dark that became so together: the reports of a silent one are missed only after some time. */
export function togetherMs({ presence, aliveAt, patience }: Device, waits: Waits): number {
  if (standingLoss(presence, aliveAt, waits)) return sameLossMs;
  return sameLossMs + 2 * (patience.periodSeconds ?? 60) * waits.settingsSecond + waits.lastSeenCoarse;
}

/** Why a camera is silent, or that it is not: what its connection said, and whether its neighbours at the same places became dark with it. */
export function whyOf(facts: WhyFacts, now: Instant, waits: Waits): Why {
  return { sentence: sentenceOf(facts, now, waits), evidence: evidenceOf(facts, now, waits) };
}

function sentenceOf({ device, state, darkAt, neighbours }: WhyFacts, now: Instant, waits: Waits): string {
  if (state === 'never-seen') return 'It was registered, and nothing was ever heard of it.';
  if (state === 'unknown') return 'Watchpost is blind: whether it is connected is not known.';
  if (darkAt === null) return 'It is connected and reports.';
  const loss = standingLoss(device.presence, device.aliveAt, waits);
  const how = loss
    ? `Its connection was lost${loss.reason ? ` (${plainReason(loss.reason)})` : ''}`
    : 'Its reports stopped, and nothing told that its connection was lost';
  return `${how}${causeOf(device, neighbours, now)}`;
}

/** A reason as its broker wrote it, in words. */
function plainReason(reason: string): string {
  return reason.replaceAll(/[_-]+/g, ' ').trim();
}

/** What its neighbours say about the cause. */
function causeOf(device: Device, neighbours: readonly Neighbours[], now: Instant): string {
  const known = neighbours.filter(({ others }) => others > 0);
  const common = known.findLast(isTogether);
  if (common) return `; so ${shareOf(common)} within about a minute: ${suspectOf(common.place)}.`;
  const hit = known.findLast(({ together }) => together > 0);
  if (hit) {
    return `; so ${shareOf(hit)}: whether it is the camera or what they share is not certain.`;
  }
  const { notAfter = null } = device.certificate.expiry ?? {};
  if (notAfter !== null && notAfter <= now) return '. Its certificate has ended: a broker that checks it refuses it.';
  const [narrowest] = known;
  if (!narrowest) return '. No other camera hangs where it does, so nothing shows whether it is the camera.';
  const lit = narrowest.others - narrowest.dark;
  if (lit === 0) return `. ${amount(narrowest.others)} ${placeTitle(narrowest.place)} had been dark before it.`;
  const rest = lit === narrowest.others ? amount(lit) : `${lit} of ${narrowest.others} other cameras`;
  const are = lit === narrowest.others && lit === 1 ? 'is' : 'are';
  return `. ${rest} ${placeTitle(narrowest.place)} ${are} not dark: probably the camera, its cable or its power.`;
}

/** Almost all that were alive became dark with it, and enough of them to be no accident. */
function isTogether({ alive, together }: Neighbours): boolean {
  return together + 1 >= thresholds.leastOfPlace && together / Math.max(1, alive) >= thresholds.darkOfWide;
}

function shareOf({ place, alive, together }: Neighbours): string {
  const where = placeTitle(place);
  if (together < alive) return `${together === 1 ? 'was' : 'were'} ${together} of ${alive} other cameras ${where}`;
  return together === 1 ? `was the other camera ${where}` : `were all ${together} other cameras ${where}`;
}

function amount(others: number): string {
  return others === 1 ? 'The other camera' : `The ${others} other cameras`;
}

function suspectOf({ kind, id }: SeenPlace): string {
  if (kind === groupKind || id === '') return 'probably something that they share, not the camera';
  if (kind === 'site') return 'probably the power or the network of the site, not the camera';
  return `probably the ${kind}, not the camera`;
}

function evidenceOf({ device, darkAt, neighbours }: WhyFacts, now: Instant, waits: Waits): Why['evidence'] {
  const { presence, aliveAt, lastSeenAt, certificate, guardianTrust } = device;
  const loss = standingLoss(presence, aliveAt, waits);
  const reconnects = reconnectsAt(presence, now, waits).length;
  const { notAfter = null } = certificate.expiry ?? {};
  const dated: [Instant | null, string][] = [
    [loss?.at ?? null, `Its connection was lost: ${loss?.reason ? plainReason(loss.reason) : 'no reason was given'}`],
    [loss ? null : darkAt, 'Two of its reports were missing'],
    [lastSeenAt, 'Its last sign of life on record'],
    [presence.connectedAt, 'It connected'],
    [guardianTrust?.health?.at ?? null, 'Its guardian was heard last'],
    [notAfter !== null && notAfter <= now ? notAfter : null, 'Its certificate ended'],
  ];
  const counted = darkAt === null ? [] : neighbours.filter(({ others }) => others > 0);
  const plain = [
    ...(reconnects > 1 ? [`It connected again ${reconnects} times within an hour`] : []),
    ...counted.map(
      ({ place, others, dark, together }) =>
        `${amount(others)} ${placeTitle(place)}: ${dark} dark now, ${together} since the same time`,
    ),
  ];
  return [
    ...dated.flatMap(([at, text]) => (at === null ? [] : [{ at, text }])).toSorted((a, b) => (a.at < b.at ? 1 : -1)),
    ...plain.map((text) => ({ at: null, text })),
  ];
}
