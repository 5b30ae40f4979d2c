import type { Random } from '../world/random.ts';

/** A period without a connection, in seconds. `reported`: how its broker reported it; null: not at all. */
export type Blind = { from: number; until: number; reported: 'closed' | 'late' | null };
/** A message of a camera or its broker: when it is published and when it is handled, in seconds. A duplicate is an entry with the same id. */
export type Sent = { at: number; handledAt: number; kind: 'status' | 'connection'; body: object; messageId: string };
export type Life = { blinds: Blind[]; sent: Sent[]; endsAt: number };

/** Longest time between publication and handling, seconds. */
export const mostDelay = 150;
const keepaliveLag = 90;

/**
 * The simulated life of a camera that reports each minute, with random failures of the camera and of its messages. The truth is recorded
 * independently of all messages. Uses nothing that Watchpost stores or derives.
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
    // The birth message may be lost; the status report after it is not.
    send(now + random.next() * 2, 'connection', { status: 'online', ...epoch }, false);
    const until = now + upSeconds(random);
    for (let at = now + 3 + random.below(55); at < until; at += 58 + random.next() * 4) send(at, 'status', {});
    const blind = blindFrom(random, until);
    if (blind.reported === 'closed') {
      send(until + random.next() * 7, 'connection', { status: 'offline', ...epoch, reason: 'tcp_closed' });
    } else if (blind.reported === 'late') {
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
  // A camera that reconnects before its keepalive ends replaces its own session, so nobody reports a loss.
  const reported = kind === 'late' && lasts < keepaliveLag + 5 ? null : kind;
  return { from, until: from + lasts, reported };
}

const begin = Date.parse('2026-01-01T00:00:00.000Z');

export function instant(seconds: number): string {
  return new Date(begin + Math.round(seconds * 1000)).toISOString();
}

export function secondsOf(at: string): number {
  return (Date.parse(at) - begin) / 1000;
}
