import { createHash, createHmac, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import type { Random } from '../world/random.ts';

/**
 * Bundles by an operator who holds the signing key and means harm. Written from docs/proof.md and the specifications that it names; uses no code of the
 * service or of a verifier.
 */

type Bounds = [string, string];
type Interval = { state: string; cause: string; begin: Bounds; end: Bounds; isOpen: boolean; planned: Bounds[] };
type Body = {
  v: number;
  deviceId: string;
  n: number;
  from: string;
  to: string;
  recordedAt: string;
  previous?: string;
  intervals: Interval[];
  trail?: Record<string, unknown>;
};
type Bundle = { checkpoint: string; entries: { index: number; key: string; body: string }[] } & Record<
  string,
  unknown
> & {
    nodes: Record<string, string>;
  };
/** What a bundle is made of. Whoever changes it can change what is hashed and signed, and what is done to the bundle afterwards. */
type Story = {
  origin: string;
  days: Body[];
  /** Foreign leaves before each day's entry. */
  foreign: number[];
  signedAt: string;
  /** The day whose leaves a remembered checkpoint does not have. */
  knownDays: number | null;
  /** Changes of a body as text, by day. */
  onBody: Map<number, (body: string) => string>;
  key: (day: number) => Buffer;
  onText: (signed: string) => string;
  onNote: (note: string) => string;
  onBundle: (bundle: Bundle) => unknown;
  onBytes: (bytes: Buffer) => Buffer;
};
/** `expected`: the exit codes that are right, null where it depends on chance. `kinds`: the minutes of each kind that are true. */
export type HostileCase = {
  name: string;
  expected: readonly number[] | null;
  bytes: Buffer;
  keys: string[];
  known: string | null;
  kinds: Record<string, number> | null;
};

const sha = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest();
const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;
const start = Date.UTC(2026, 9, 1);
const iso = (ms: number) => new Date(ms).toISOString();
const moved = (at: string, ms: number) => iso(Date.parse(at) + ms);

// Signing: Ed25519 keys of a seed (RFC 8410), the notes of C2SP.

function keyPair(name: string, seed: number): { text: string; id: Buffer; secret: KeyObject } {
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, seed)]);
  const secret = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(secret).export({ format: 'jwk' });
  const typed = Buffer.concat([Buffer.of(1), Buffer.from(x, 'base64url')]);
  const id = sha(Buffer.from(`${name}\n`), typed).subarray(0, 4);
  return { text: `${name}+${id.toString('hex')}+${typed.toString('base64')}`, id, secret };
}

const signatureLine = (name: string, text: string, seed: number) => {
  const { id, secret } = keyPair(name, seed);
  return `\u2014 ${name} ${Buffer.concat([id, sign(null, Buffer.from(text), secret)]).toString('base64')}\n`;
};

// The tree of RFC 6962, section 2.1.

const split = (count: number) => 2 ** Math.floor(Math.log2(count - 1));
function treeHash(leaves: readonly Buffer[]): Buffer {
  const [only] = leaves;
  if (leaves.length === 1 && only) return only;
  const left = split(leaves.length);
  return sha(Buffer.of(1), treeHash(leaves.slice(0, left)), treeHash(leaves.slice(left)));
}
/** The hashes of all largest subtrees without a shown leaf. */
function siblings(leaves: readonly Buffer[], shown: ReadonlySet<number>, first = 0): [string, string][] {
  const isHidden = leaves.every((_leaf, at) => !shown.has(first + at));
  if (isHidden) return [[`${first}-${leaves.length}`, treeHash(leaves).toString('base64')]];
  if (leaves.length === 1) return [];
  const left = split(leaves.length);
  return [...siblings(leaves.slice(0, left), shown, first), ...siblings(leaves.slice(left), shown, first + left)];
}

function storyOf(random: Random): Story {
  const count = 2 + random.below(5);
  const first = random.below(300);
  const days = Array.from({ length: count }, (_unused, day): Body => {
    const [from, to] = [start + day * dayMs, start + (day + 1) * dayMs];
    const trail = { from: iso(from - 10 * minuteMs), to: iso(to - 10 * minuteMs) };
    const lines = {
      alerts: [{ at: iso(from), alertId: 'a-1', code: 'CONN_001', action: 'opened', status: 'open' }],
      changes: [{ at: iso(from), entryId: 'e', action: 'updated', kind: 'rules', id: null }],
      deliveries: [
        {
          ...{ deliveryId: 'd-1', alertId: 'a-1', channel: 'email', acceptedAt: iso(from) },
          ...{ outcome: 'delivered', finishedAt: iso(from + 5000), attempts: 1 },
        },
      ],
    };
    return {
      ...{ v: 1, deviceId: 'cam-1', n: first + day, from: iso(from), to: iso(to), recordedAt: iso(to + 2 * minuteMs) },
      intervals: intervalsOf(random, from),
      trail: random.chance(0.5) ? { ...trail, ...lines } : trail,
    };
  });
  return {
    origin: 'hostile.test/ledger',
    days,
    foreign: days.map(() => random.below(4)),
    signedAt: moved(days.at(-1)?.recordedAt ?? '', random.below(2) * minuteMs),
    knownDays: random.chance(0.5) ? 1 + random.below(count - 1) : null,
    onBody: new Map(),
    key: (day) => sha(Buffer.from(`key of day ${day}`)),
    onText: (text) => text,
    onNote: (note) => note,
    onBundle: (bundle) => bundle,
    onBytes: (bytes) => bytes,
  };
}

/** Two or three times of a day in which a camera was not seen, each an hour or two long. All bounds are whole minutes. */
function intervalsOf(random: Random, day: number): Interval[] {
  return Array.from({ length: 2 + random.below(2) }, (_unused, place) => {
    const begin = day + (place * 7 + random.below(4)) * 60 * minuteMs;
    const end = begin + (60 + random.below(60)) * minuteMs;
    const width = () => random.below(30) * minuteMs;
    const half = begin + 30 * minuteMs;
    const cause = random.pick(['lost', 'silent', 'platform', 'unknown', 'not-registered']);
    return {
      ...{ state: cause === 'unknown' ? 'uncertain' : 'blind', cause },
      begin: [iso(begin), iso(begin + width())],
      end: [iso(end - width()), iso(end)],
      isOpen: false,
      planned: random.chance(0.4) ? [[iso(begin), iso(half)]] : [],
    };
  });
}

function built(story: Story, name: string, expected: readonly number[] | null, isTrue = false): HostileCase {
  const leaves: Buffer[] = [];
  const entries: Bundle['entries'] = [];
  const sizes: number[] = [];
  let previous = story.days[0]?.n === 0 ? '' : sha(Buffer.from('the day before')).toString('base64');
  for (const [day, said] of story.days.entries()) {
    sizes.push(leaves.length);
    for (let at = 0; at < (story.foreign[day] ?? 0); at += 1)
      leaves.push(sha(Buffer.of(0), sha(Buffer.from(`${day} ${at}`))));
    const plain = JSON.stringify({ ...said, previous: said.previous ?? previous });
    const body = (story.onBody.get(day) ?? ((same) => same))(plain);
    const key = story.key(day);
    const commitment = createHmac('sha256', key).update(body).digest();
    previous = commitment.toString('base64');
    entries.push({ index: leaves.length, key: key.toString('base64'), body });
    leaves.push(sha(Buffer.of(0), commitment));
  }
  const checkpointText = (size: number, at: string) =>
    `${story.origin}\n${size}\n${treeHash(leaves.slice(0, size)).toString('base64')}\ntime ${at}\n`;
  const text = story.onText(checkpointText(leaves.length, story.signedAt));
  const knownSize = story.knownDays === null ? 0 : (sizes[story.knownDays] ?? 0);
  const shown = new Set(entries.map(({ index }) => index));
  const known = leaves.slice(0, knownSize);
  const bundle = story.onBundle({
    version: 1,
    deviceId: story.days[0]?.deviceId,
    from: iso(start),
    to: iso(start + story.days.length * dayMs),
    isPending: false,
    recordedTo: story.days.at(-1)?.to,
    checkpoint: story.onNote(`${text}\n${signatureLine(story.origin, text, 5)}`),
    entries,
    nodes: Object.fromEntries([...siblings(leaves, shown), ...(known.length > 0 ? siblings(known, shown) : [])]),
  });
  const time = Date.parse(story.days[(story.knownDays ?? 0) - 1]?.recordedAt ?? '');
  return {
    name,
    expected,
    bytes: story.onBytes(Buffer.from(typeof bundle === 'string' ? bundle : JSON.stringify(bundle))),
    keys: [keyPair(story.origin, 5).text],
    known: knownSize > 0 ? JSON.stringify({ size: knownSize, root: treeHash(known).toString('base64'), time }) : null,
    kinds: isTrue ? kindsOf(story.days) : null,
  };
}

/** Minutes of each kind, counted one by one. */
function kindsOf(days: readonly Body[]): Record<string, number> {
  const kinds: Record<string, number> = { seen: 0, uncertain: 0, planned: 0 };
  const add = (kind: string) => {
    kinds[kind] = (kinds[kind] ?? 0) + 1;
  };
  for (const { from, to, intervals } of days) {
    for (const { cause } of intervals) kinds[cause] ??= 0;
    for (let at = Date.parse(from); at < Date.parse(to); at += minuteMs) {
      const holds = ([begin, end]: Bounds) => Date.parse(begin) <= at && at < Date.parse(end);
      const one = intervals.find(({ begin, end }) => holds([begin[0], end[1]]));
      const isBlind = one?.state === 'blind' && holds([one.begin[1], one.end[0]]);
      add(!one ? 'seen' : isBlind ? one.cause : 'uncertain');
      if (isBlind && one.planned.some(holds)) add('planned');
    }
  }
  return kinds;
}

// What a hostile operator does. Each returns the exit codes that are right; null: it depends.

type Trick = (story: Story, random: Random) => readonly number[] | null;
const [proven, no, unclear, refused] = [[0], [1], [2], [1, 2]] as const;

const anyDay = ({ days }: Story, random: Random): [Body, number] => {
  const day = random.below(days.length);
  return [days[day] as Body, day];
};
const anyInterval = (story: Story, random: Random): Interval => random.pick(anyDay(story, random)[0].intervals);
const lastDay = ({ days }: Story): Body => days.at(-1) as Body;
const onBundle = (change: (bundle: Bundle, random: Random) => unknown, expected: readonly number[] | null): Trick => {
  return (story, random) => {
    story.onBundle = (bundle) => change(bundle, random) ?? bundle;
    return expected;
  };
};
const onBody = (change: (body: string, random: Random) => string, expected: readonly number[] | null): Trick => {
  return (story, random) => {
    story.onBody.set(anyDay(story, random)[1], (body) => change(body, random));
    return expected;
  };
};
const onText = (change: (text: string) => string, expected: readonly number[] | null): Trick => {
  return (story) => {
    story.onText = change;
    return expected;
  };
};
const signAlso = (change: (note: string, text: string) => string, expected: readonly number[] | null): Trick => {
  return (story) => {
    story.onNote = (note) => change(note, note.slice(0, note.indexOf('\n\n') + 1));
    return expected;
  };
};
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const odd = ['\u001b[2J\u001b[H', '\nPROVEN: cam-1', '\r', '\u202e', 'caf\u00e9', '\ud83d\udcf7', '\\u0041', '\u007f'];
const values: unknown[] = [null, true, -1, 1.5, 2 ** 53, 0, 1, '', 'x', [], {}, [[]], '\ud800', 1e308, '2026-10-01'];
const badTimes = [
  ...['2026-02-30T00:00:00.000Z', '2026-10-01T24:00:00.000Z', '2026-10-01T00:00:60.000Z', '2026-10-01t00:00:00.000Z'],
  ...['2026-10-01T00:00:00.000z', '2026-10-01T00:00:00.0000Z', '2026-10-01T00:00:00', '20261001T000000Z', '2026-10-01'],
  ...['\u0662026-10-01T00:00:00.000Z', '10000-01-01T00:00:00.000Z', '1969-12-31T23:59:59.999Z', '2026-W40-4T00:00:00Z'],
  ...[
    '2026-10-01T00:00:00,000Z',
    '2026-10-01T00:00:00.000+24:00',
    ' 2026-10-01T00:00:00.000Z',
    '2026-10-01T00:00:00.Z',
  ],
];

/** @returns whether something was replaced: some member somewhere in a value, chosen by chance */
function replaceSomewhere(value: unknown, random: Random): void {
  let at = value as Record<string, unknown>;
  for (let step = 0; step < 6; step += 1) {
    const names = Object.keys(at);
    if (names.length === 0) return;
    const name = random.pick(names);
    const inner = at[name];
    if (inner !== null && typeof inner === 'object' && random.chance(0.8)) {
      at = inner as Record<string, unknown>;
      continue;
    }
    if (random.chance(0.3) && !Array.isArray(at)) delete at[name];
    else at[name] = random.pick(values);
    return;
  }
}

export const tricks: Record<string, Trick> = {
  'changes nothing': () => proven,
  'records a year that has not happened': ({ days, signedAt }, random) => {
    const ahead = Date.parse(signedAt) - start + random.below(365) * dayMs;
    for (const day of days) {
      for (const name of ['from', 'to', 'recordedAt'] as const) day[name] = moved(day[name], ahead);
      for (const { begin, end, planned } of day.intervals)
        for (const pair of [begin, end, ...planned]) pair.splice(0, 2, moved(pair[0], ahead), moved(pair[1], ahead));
      delete day.trail;
    }
    return no;
  },
  'records the last day after the checkpoint': (story, random) => {
    lastDay(story).recordedAt = moved(story.signedAt, 1 + random.below(dayMs));
    return no;
  },
  'ends an interval after the checkpoint': (story, random) => {
    const last = lastDay(story).intervals.at(-1) as Interval;
    last.end[1] = moved(story.signedAt, 1 + random.below(dayMs));
    return no;
  },
  'begins an interval after the checkpoint at the latest': (story, random) => {
    const last = lastDay(story).intervals.at(-1) as Interval;
    last.begin[1] = moved(story.signedAt, 1 + random.below(dayMs));
    return no;
  },
  'has a line of its trail after the checkpoint': (story, random) => {
    const at = moved(story.signedAt, 1 + random.below(dayMs));
    const [day] = anyDay(story, random);
    const line = random.pick([
      { alerts: [{ at, alertId: 'a', code: null, action: 'opened', status: 'open' }] },
      { changes: [{ at, entryId: 'e', action: 'x', kind: null, id: null }] },
      { deliveries: [{ acceptedAt: at, deliveryId: 'd', channel: 'sms', outcome: 'pending', attempts: 0 }] },
      {
        deliveries: [
          { acceptedAt: day.from, deliveryId: 'd', finishedAt: at, outcome: 'x', attempts: 0, channel: 'x' },
        ],
      },
    ]);
    day.trail = { ...day.trail, ...line };
    return no;
  },
  'ends its trail after its entry was made': (story, random) => {
    const [day] = anyDay(story, random);
    day.trail = { ...day.trail, to: moved(day.recordedAt, 1) };
    return no;
  },
  'leaves a gap between trails': (story) => {
    const last = lastDay(story);
    last.trail = { ...last.trail, from: moved(last.from, 60_000) };
    return no;
  },
  'turns intervals round': (story, random) => {
    anyDay(story, random)[0].intervals.reverse();
    return no;
  },
  'counts an interval twice': (story, random) => {
    const { intervals } = anyDay(story, random)[0];
    intervals.splice(0, 0, structuredClone(intervals[0] as Interval));
    return no;
  },
  'overlaps two intervals': (story, random) => {
    const [one, two] = anyDay(story, random)[0].intervals as [Interval, Interval];
    if (random.chance(0.5)) one.end[1] = moved(two.begin[0], 1);
    else two.begin[0] = moved(one.end[1], -1);
    return no;
  },
  'turns the bounds of an interval round': (story, random) => {
    const one = anyInterval(story, random);
    const what = random.below(3);
    if (what === 0) one.begin = [moved(one.begin[1], 1), one.begin[0]];
    else if (what === 1) one.end = [one.end[1], moved(one.end[0], -1)];
    else one.end = [one.begin[0], one.begin[0]];
    return no;
  },
  'plans what was not blind': (story, random) => {
    const one = anyInterval(story, random);
    const [from, to] = [one.begin[0], one.end[1]];
    one.planned = random.pick<Bounds[]>([
      [[moved(from, -1), to]],
      [[from, moved(to, 1)]],
      [[to, from]],
      [
        [from, to],
        [from, to],
      ],
    ]);
    return no;
  },
  'names a cause that there is not': (story, random) => {
    const causes = ['maintenance', 'LOST', 'lost ', '', '__proto__', 'constructor', 'seen', ...odd];
    anyInterval(story, random).cause = random.pick(causes);
    return no;
  },
  'names a state that there is not': (story, random) => {
    anyInterval(story, random).state = random.pick(['seen', 'Blind', '', 'toString', ...odd]);
    return no;
  },
  'leaves a member of an interval out': (story, random) => {
    const one = anyInterval(story, random) as Partial<Interval>;
    delete one[random.pick(['state', 'cause', 'begin', 'end', 'planned'] as const)];
    return unclear;
  },
  'leaves a member of an entry out': (story, random) => {
    const day = anyDay(story, random)[0] as Partial<Body>;
    delete day[random.pick(['v', 'deviceId', 'n', 'from', 'to', 'recordedAt', 'intervals'] as const)];
    return unclear;
  },
  'replaces a member of an entry': (story, random) => {
    replaceSomewhere(anyDay(story, random)[0], random);
    return null;
  },
  'is of another version': (story, random) => {
    anyDay(story, random)[0].v = 2;
    return unclear;
  },
  'is of another camera': (story) => {
    lastDay(story).deviceId = 'cam-2';
    return no;
  },
  'skips a number': (story) => {
    lastDay(story).n += 1;
    return no;
  },
  'forgets the day before': (story) => {
    lastDay(story).previous = '';
    return no;
  },
  'leaves a gap': (story, random) => {
    const last = lastDay(story);
    last.from = moved(last.from, random.pick([1, -1, dayMs / 2]));
    return no;
  },
  'is recorded before it ended': (story, random) => {
    const [day] = anyDay(story, random);
    day.recordedAt = moved(day.to, -1);
    return no;
  },
  'has odd signs in its names': (story, random) => {
    const name = `cam${random.pick(odd)}`;
    for (const day of story.days) day.deviceId = name;
    const [day] = anyDay(story, random);
    const alert = { at: day.from, alertId: random.pick(odd), code: random.pick(odd), action: 'x', status: 3 };
    day.trail = { ...day.trail, alerts: [alert] };
    return proven;
  },
  'tells time in another way': (story, random) => {
    const [day] = anyDay(story, random);
    const hour = 3_600_000;
    const shown = moved(day.to, 2 * hour).replace('.000Z', random.pick(['+02:00', '.0+02:00', '.000+02:00']));
    day.intervals = [];
    story.onBody.set(story.days.indexOf(day), (body) => body.replace(`"to":"${day.to}"`, `"to":"${shown}"`));
    return proven;
  },
  'tells a time that there is not': (story, random) => {
    const [day, number] = anyDay(story, random);
    story.onBody.set(number, (body) => body.replace(`"${day.from}"`, `"${random.pick(badTimes)}"`));
    return unclear;
  },
  'writes numbers in another way': onBody(
    (body, random) => body.replace('"v":1', `"v":${random.pick(['1.0', '1e0', '10e-1', '0.1E+1'])}`),
    proven,
  ),
  'writes numbers that are none': onBody(
    (body, random) => body.replace(/"n":\d+/, `"n":${random.pick(['01', 'NaN', '+1', '1.', '.1', '0x1', '-'])}`),
    no,
  ),
  'writes numbers that nobody counts': onBody(
    (body, random) =>
      body.replace(/"n":\d+/, `"n":${random.pick(['-1', '0.5', '1e400', '9007199254740992', '9'.repeat(5000)])}`),
    unclear,
  ),
  'writes a member twice': onBody((body) => body.replace('"v":1', '"v":2,"v":1'), proven),
  'nests as deep as is allowed': onBody((body) => body.replace('"v":1', `"x":${nested(63)},"v":1`), proven),
  'nests deeper than is allowed': onBody(
    (body, random) => body.replace('"v":1', `"x":${nested(random.pick([64, 999, 100_000]))},"v":1`),
    no,
  ),
  'hides brackets in a text': onBody((body) => body.replace('"v":1', `"x":"\\"${'['.repeat(99)}\\\\","v":1`), proven),
  'ends a body early': onBody((body, random) => body.slice(0, random.below(body.length)), no),
  'writes after a body': onBody(
    (body, random) => body + random.pick([',', '}', 'x', '\u00a0', '\ufeff', '\u0000']),
    no,
  ),
  'writes space around a body': onBody((body) => ` \t\r\n${body}\n`, proven),
  'has half a sign in a body': onBody((body) => body.replace('"cam-1"', '"cam-1\\ud800"'), unclear),
  'has half a sign where nobody reads': onBody((body) => body.replace('"v":1', '"x":"\\udfff","v":1'), proven),
  'is another kind of body': onBody((_body, random) => random.pick(['null', '1', '"x"', '[]', 'true', '{}']), unclear),
  'has keys of another length': (story, random) => {
    const length = random.pick([0, 1, 31, 33, 64, 65]);
    story.key = () => Buffer.alloc(length, 1);
    return unclear;
  },
  'writes the size in another way': onText((text) => text.replace(/\n(\d+)\n/, '\n0$1\n'), no),
  'writes the size in other digits': onText((text) => text.replace(/\n\d+\n/, '\n\u0664\n'), no),
  'writes a size that nobody counts': onText((text) => text.replace(/\n\d+\n/, '\n9999999999999999\n'), no),
  'signs a larger size': onText((text) => text.replace(/\n(\d+)\n/, '\n1$1\n'), refused),
  'signs an empty log': onText((text) => text.replace(/\n\d+\n/, '\n0\n'), no),
  'signs half a root': onText((text) => text.replace(/\n([^\n]{20})[^\n]*=\n/, '\n$1\n'), no),
  'signs a root in another spelling': onText((text) => text.replace('=\n', '\n'), unclear),
  'signs no time': onText((text) => text.replace('time ', 'Time '), no),
  'signs a time that there is not': onText((text) => text.replace(/time .*/, 'time soon'), unclear),
  'signs three lines': onText((text) => text.split('\n').slice(0, 3).join('\n'), refused),
  'signs more lines': onText((text) => `${text}more\n`, proven),
  'signs another log': onText((text) => `x${text}`, no),
  'is signed by others too': signAlso((note, text) => `${note}${signatureLine('other.test', text, 9)}junk\n\n`, proven),
  'is signed by a namesake first': signAlso((note, text) => {
    const [body = '', lines = ''] = note.split('\n\n');
    return `${body}\n\n${signatureLine('hostile.test/ledger', text, 9)}${lines}`;
  }, proven),
  'is signed by a namesake alone': signAlso(
    (_note, text) => `${text}\n${signatureLine('hostile.test/ledger', text, 9)}`,
    no,
  ),
  'is signed wrongly first': signAlso((note, text) => {
    const [body = '', lines = ''] = note.split('\n\n');
    return `${body}\n\n${signatureLine('hostile.test/ledger', `${text}x`, 5)}${lines}`;
  }, no),
  'is signed briefly': signAlso((note, text) => {
    const { id } = keyPair('hostile.test/ledger', 5);
    const [body] = note.split('\n\n');
    return `${body}\n\n\u2014 hostile.test/ledger ${id.toString('base64')}\n${signatureLine('hostile.test/ledger', text, 5)}`;
  }, no),
  'has a signature in another spelling': signAlso((note) => note.replace(/=*\n$/, ' \n'), unclear),
  'has no signature': signAlso((_note, text) => text, unclear),
  'has a signature and no name': signAlso((note) => note.replace('\u2014 hostile.test/ledger', '\u2014 '), no),
  'has other ends of lines': signAlso((note) => note.replaceAll('\n', '\r\n'), unclear),
  'replaces a member of the bundle': onBundle(replaceSomewhere, null),
  'writes members that nobody reads': onBundle((bundle) => ({ note: odd, ...bundle, isPending: 'x', x: [{}] }), proven),
  'hides members behind the prototype': onBundle((bundle) => {
    const { version, ...rest } = bundle;
    return `{"__proto__":{"version":${String(version)}},${JSON.stringify(rest).slice(1)}`;
  }, unclear),
  'refuses with odd signs': onBundle(
    (_bundle, random) => ({ title: 'x', detail: `no${random.pick(odd)}...` }),
    unclear,
  ),
  'leaves an entry out': onBundle((bundle, random) => {
    bundle.entries.splice(random.below(bundle.entries.length), 1);
  }, refused),
  'shows an entry twice': onBundle((bundle) => {
    bundle.entries.push(...bundle.entries.slice(0, 1));
  }, no),
  'turns entries round': onBundle((bundle) => {
    bundle.entries.reverse();
  }, no),
  'gives an entry another place': onBundle((bundle, random) => {
    const entry = random.pick(bundle.entries);
    entry.index = random.pick([entry.index + 1000, 2 ** 53 - 1]);
  }, no),
  'gives an entry a place that there is not': onBundle((bundle, random) => {
    random.pick(bundle.entries).index = random.pick([-1, 0.5, 2 ** 53, 1e300]);
  }, unclear),
  'gives hashes of what it shows': onBundle((bundle) => {
    const zero = Buffer.alloc(32).toString('base64');
    for (const { index } of bundle.entries) bundle.nodes[`${index}-1`] = zero;
    bundle.nodes['0-1024'] = zero;
  }, proven),
  'names hashes that there are not': onBundle((bundle, random) => {
    const name = random.pick([
      '00-1',
      '0-0',
      '0-01',
      '-1-1',
      '1',
      `1-${'9'.repeat(20)}`,
      '1-1 ',
      '\u0661-1',
      '__proto__',
    ]);
    return `${JSON.stringify(bundle)
      .replace('"nodes":{', `"nodes":{"${name}":"${Buffer.alloc(32).toString('base64')}",`)
      .replace(',}', '}')}`;
  }, unclear),
  'has hashes of another spelling': onBundle((bundle, random) => {
    const hash = Buffer.alloc(32, 7).toString('base64');
    bundle.nodes['5000-1'] = random.pick([
      ...[hash.slice(0, -1), `${hash}=`, ` ${hash}`, hash.replace('B', '-'), `${hash.slice(0, -2)}d=`],
      ...[Buffer.alloc(31).toString('base64'), Buffer.alloc(33).toString('base64'), ''],
    ]);
  }, unclear),
  'has a key in another spelling': onBundle((bundle, random) => {
    const entry = random.pick(bundle.entries);
    entry.key = random.pick([
      `${entry.key}\n`,
      entry.key.replace('=', ''),
      `${entry.key}=`,
      entry.key.replace('=', '%3D'),
    ]);
  }, unclear),
  'asks for no time': onBundle((bundle) => {
    bundle['to'] = bundle['from'];
  }, unclear),
  'asks for more than is there': onBundle((bundle, random) => {
    bundle[random.pick(['from', 'to'])] = random.chance(0.5) ? iso(start - 1) : moved(String(bundle['to']), 1);
  }, refused),
  'is cut off': (story, random) => {
    story.onBytes = (bytes) => bytes.subarray(0, random.below(bytes.length));
    return unclear;
  },
  'has another byte somewhere': (story, random) => {
    story.onBytes = (bytes) => {
      bytes[random.below(bytes.length)] = random.below(256);
      return bytes;
    };
    return null;
  },
  'is not in UTF-8': (story, random) => {
    const before = random.pick(['ff', 'c080', 'eda080', 'efbbbf', 'feff', 'f4908080']);
    story.onBytes = (bytes) => Buffer.concat([Buffer.from(before, 'hex'), bytes]);
    return unclear;
  },
  'is nested without end': (story, random) => {
    story.onBytes = () => Buffer.from(random.pick(['[', '{"a":', '["', '[{']).repeat(random.pick([65, 5000, 200_000])));
    return unclear;
  },
};

/** A case with one trick, or with several at once (then nothing is expected but that verifiers agree). */
export function hostileCase(random: Random, name: string, more = 0): HostileCase {
  const story = storyOf(random);
  const names = [name, ...Array.from({ length: more }, () => random.pick(Object.keys(tricks)))];
  const expected = names.map((each) => {
    try {
      return tricks[each]?.(story, random) ?? null;
    } catch (error) {
      // A trick before it has taken away what it needs.
      if (more === 0) throw error;
      return null;
    }
  });
  return built(
    story,
    names.join(' + '),
    more === 0 ? (expected[0] ?? null) : null,
    name === 'changes nothing' && more === 0,
  );
}
