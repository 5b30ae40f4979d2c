import type { Random } from '../world/random.ts';

/** A time in which the camera had no connection, in seconds. `told`: how its broker told of it, null: nobody did. */
export type Blind = { from: number; until: number; told: 'closed' | 'late' | null };
/** A message as a camera or its broker publishes it, and when it is handled. Copies are messages of their own. */
export type Sent = { at: number; handledAt: number; kind: 'status' | 'connection'; body: object; messageId: string };
export type Life = { blinds: Blind[]; sent: Sent[]; endsAt: number };

/** No message is handled later than this after it was published, seconds. */
export const mostDelay = 150;
const keepaliveLag = 90;

/**
 * The life of a camera that reports each minute, with what happens to it and to its messages on the way: what is true of it is written down
 * before anything is told. It knows nothing of what Watchpost remembers or derives.
 */
export function livedThrough(random: Random, messages: number): Life {
  const isNamed = random.chance(0.5);
  const life: Life = { blinds: [], sent: [], endsAt: 0 };
  const send = (at: number, kind: Sent['kind'], body: object, isSure = true) => {
    if (!isSure && random.chance(0.1)) return;
    const messageId = `m-${life.sent.length}`;
    const delay = () => (random.chance(0.03) ? random.below(mostDelay - 1) : random.next() * 2);
    const one = { at, handledAt: at + delay(), kind, body, messageId };
    life.sent.push(one);
    if (random.chance(0.02)) life.sent.push({ ...one, handledAt: at + delay() });
  };
  let now = 100;
  while (life.sent.length < messages) {
    const epoch = isNamed ? { connectedAt: instant(now) } : {};
    // The birth message may be lost; the status that follows it is not.
    send(now + random.next() * 2, 'connection', { status: 'online', ...epoch }, false);
    const until = now + upSeconds(random);
    for (let at = now + 3 + random.below(55); at < until; at += 58 + random.next() * 4) send(at, 'status', {});
    const blind = blindFrom(random, until);
    if (blind.told === 'closed') {
      send(until + random.next() * 7, 'connection', { status: 'offline', ...epoch, reason: 'tcp_closed' });
    } else if (blind.told === 'late') {
      const reason = random.chance(0.5) ? { reason: 'keepalive_timeout' } : {};
      send(until + keepaliveLag + random.next(), 'connection', { status: 'offline', ...epoch, ...reason });
    }
    life.blinds.push(blind);
    now = blind.until;
  }
  life.endsAt = now;
  return { ...life, sent: life.sent.toSorted((a, b) => a.handledAt - b.handledAt) };
}

function upSeconds(random: Random): number {
  if (random.chance(0.1)) return 20 + random.below(600);
  return 5 * 3600 + random.below(10 * 3600);
}

function blindFrom(random: Random, from: number): Blind {
  const lasts = random.chance(0.5)
    ? 60 + random.below(900)
    : random.chance(0.5)
      ? 5 + random.below(60)
      : 900 + random.below(36_000);
  const kind = random.pick(['closed', 'late', null] as const);
  // A camera that is back before its keepalive is over takes its own place: nobody tells of a loss.
  const told = kind === 'late' && lasts < keepaliveLag + 5 ? null : kind;
  return { from, until: from + lasts, told };
}

const begin = Date.parse('2026-01-01T00:00:00.000Z');

export function instant(seconds: number): string {
  return new Date(begin + Math.round(seconds * 1000)).toISOString();
}

export function secondsOf(at: string): number {
  return (Date.parse(at) - begin) / 1000;
}
