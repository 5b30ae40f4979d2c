import type { Fleet } from '../../../../shared/schema/fleet/fleet.ts';
import type { Cause, NotificationOutcome, Now } from '../../../../shared/schema/fleet/now.ts';
import { actorOf } from '../../components/action/trail-words.ts';
import { duration, minuteTime } from '../../format.ts';
import { codeTitles } from '../../model.ts';
import type { Said } from '../../said.ts';

type Place = NonNullable<Cause['place']>;

/** An answer that is older than this says so, milliseconds. */
const freshMs = 90_000;
/** Places of one cause that a row names. */
const namedAtMost = 3;

export function placeName({ name, id }: Pick<Place, 'name' | 'id'>): string {
  return name ?? id;
}

function cameraName({ alert }: Cause): string {
  return alert?.deviceName ?? alert?.deviceId ?? '';
}

function whatOf({ code, incident }: Cause): string {
  return code === null ? (incident?.title ?? '') : codeTitles[code];
}

/** What a row is about, in one or two words, and the rest of it. */
export function rowWords(cause: Cause): { main: Said; more: Said } {
  const { incident, place, places, cameras, of, among } = cause;
  const what = whatOf(cause);
  if (incident) {
    if (incident.kind !== 'outage') return { main: { text: '{what}', parts: { what } }, more: sizeWords(cause) };
    return {
      main: { text: '{place} is dark', parts: { place: place ? placeName(place) : '' } },
      more: sizeWords(cause),
    };
  }
  if (place === null) {
    const names = among.slice(0, namedAtMost).map(placeName).join(', ');
    const text =
      places > namedAtMost ? '{cameras} cameras at {places} places: {names} …' : '{cameras} cameras: {names}';
    return {
      main: { text: '{what}', parts: { what } },
      more: { text, parts: { cameras: cameras ?? 0, places, names } },
    };
  }
  if (cameras === 1) {
    const main = { text: '{camera}', parts: { camera: cameraName(cause) } };
    return { main, more: { text: '{what} · {place}', parts: { what, place: placeName(place) } } };
  }
  const text = of === null ? '{what} · {cameras} cameras' : '{what} · {cameras} of {of} cameras';
  return {
    main: { text: '{place}', parts: { place: placeName(place) } },
    more: { text, parts: { what, cameras: cameras ?? 0, of: of ?? 0 } },
  };
}

function sizeWords({ cameras, of }: Cause): Said {
  if (cameras === null) return { text: 'The whole fleet' };
  if (of === null) return { text: '{cameras} cameras', parts: { cameras } };
  return { text: '{cameras} of {of} cameras', parts: { cameras, of } };
}

/** The first sentence of the page: the worst cause. */
export function headline(cause: Cause): Said {
  const { incident, place, places, cameras, of } = cause;
  const parts = {
    what: whatOf(cause),
    camera: cameraName(cause),
    place: place ? placeName(place) : '',
    places,
    cameras: cameras ?? 0,
    of: of ?? 0,
    since: minuteTime(cause.since),
  };
  if (incident && incident.kind !== 'outage') return { text: '{what}, since {since}.', parts };
  if (incident) {
    const text =
      of === null
        ? '{place} is dark: {cameras} cameras since {since}.'
        : '{place} is dark: {cameras} of {of} cameras since {since}.';
    return { text, parts };
  }
  if (place === null) return { text: '{what}: {cameras} cameras at {places} places since {since}.', parts };
  if (cameras === 1) return { text: '{camera} at {place}: {what} since {since}.', parts };
  if (of === null) return { text: '{what} at {place}: {cameras} cameras since {since}.', parts };
  return { text: '{what} at {place}: {cameras} of {of} cameras since {since}.', parts };
}

/** Who has it, and who was told: only what the outcomes of messages say. */
export function whoWords({ status, acknowledgedBy, told }: Pick<Cause, 'status' | 'acknowledgedBy' | 'told'>): Said {
  if (status === 'acknowledged') {
    if (acknowledgedBy === null) return { text: 'Somebody has it' };
    return { text: '{name} has it', parts: { name: actorOf(acknowledgedBy) } };
  }
  return toldWords(told);
}

function toldWords(told: NotificationOutcome | null): Said {
  if (told === null) return { text: 'Nobody has it' };
  const { accepted, pending, digest } = told;
  if (accepted > 0) return { text: '{accepted} told, nobody has it', parts: { accepted } };
  if (pending > 0) return { text: 'Being told, nobody has it' };
  return digest ? { text: 'Left to a digest, nobody has it' } : { text: 'Nobody reached' };
}

/** The clock of a cause. Null: none runs. */
export function clockWords({ status, respondBy, escalatedAt }: Cause, nowMs: number): Said | null {
  if (status === 'escalated') {
    if (escalatedAt === null) return { text: 'Escalated' };
    return { text: 'Escalated {ago} ago', parts: { ago: duration(nowMs - Date.parse(escalatedAt)) } };
  }
  if (status !== 'active' || respondBy === null) return null;
  const leftMs = Date.parse(respondBy) - nowMs;
  return leftMs > 0 ? { text: 'Escalates in {left}', parts: { left: duration(leftMs) } } : { text: 'Escalates now' };
}

/** The part of the response time that is left, 0 to 1. Null: no clock runs. */
export function partLeft({ status, respondBy, startedAt }: Cause, nowMs: number): number | null {
  if (status === 'escalated') return 0;
  if (status !== 'active' || respondBy === null) return null;
  const [left, whole] = [Date.parse(respondBy) - nowMs, Date.parse(respondBy) - Date.parse(startedAt)];
  return Math.min(1, Math.max(0, left / Math.max(1, whole)));
}

/** The first sentence where nothing is wrong. It is calm only where everything is known. */
export function calmWords({ devices, platform }: Fleet): Said {
  const { online, offline, unknown } = devices;
  const total = devices.total - devices.neverSeen;
  if (platform.state === 'blind' || online === null) return { text: 'What the cameras do is not known now.' };
  if (platform.state === 'lags') return { text: 'No open alert so far; Watchpost is behind with what cameras report.' };
  if (total === 0) return { text: 'No camera was heard of yet.' };
  if (offline + unknown === 0)
    return { text: 'All {total} cameras are online; Watchpost sees everything.', parts: { total } };
  return {
    text: 'Nothing needs you. {away} of {total} cameras are not online.',
    parts: { away: offline + unknown, total },
  };
}

/** Says as of when the causes are, where they are not as of now. */
export function asOfWords({ generatedAt }: Pick<Now, 'generatedAt'>, nowMs: number): Said | null {
  if (generatedAt === null) return { text: 'The service has not looked yet.' };
  if (nowMs - Date.parse(generatedAt) <= freshMs) return null;
  return { text: 'As of {at}: the service is behind.', parts: { at: minuteTime(generatedAt) } };
}
