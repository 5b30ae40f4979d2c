// Checks what a Watchpost ledger proves of one camera: docs/proof.md, "How a bundle is judged". One file that imports nothing, for Node 24 and for browsers
// (WebCrypto with Ed25519). It shares no code with the service or with the verifier in Python.
const usage = `usage: watchpost-verify.ts BUNDLE --key KEY [--from T --to T] [--checkpoint FILE] [--witness KEY] [--json]

BUNDLE        answer of GET /v1/ledger/proof; KEY a verifier key (name+hash+base64) or a file with such keys, one a line
--from, --to  the time that must be proven; else what the bundle was asked for
--checkpoint  remembers the newest checkpoint seen: older ones are refused, and newer ones must continue it
--witness     key of a witness that must have cosigned it; may stand several times

Exit codes: 0 all of the time is accounted for and proven, 1 it is not, 2 it cannot be decided.
`;

type Bytes = Uint8Array<ArrayBuffer>;

/** What somebody who verifies brings along: texts as they were typed or stored. */
export type Given = {
  /** Verifier keys, `name+hash+base64`: one of them must have signed. */
  keys: readonly string[];
  /** Keys of witnesses, all of whom must have cosigned. */
  witnesses?: readonly string[];
  /** The time to prove. Absent: that of the bundle. */
  from?: string | undefined;
  to?: string | undefined;
  /** The `remember` of an earlier answer. */
  remembered?: string | undefined;
};

export type Cause = (typeof causes)[number];
type Kind = 'seen' | 'uncertain' | 'planned' | Cause;

/** Instants and durations in milliseconds. */
export type Proven = {
  deviceId: string;
  from: number;
  to: number;
  /** Leaves of the log, and when its checkpoint was signed. */
  size: number;
  time: number;
  kinds: Partial<Record<Kind, number>>;
  /** When the camera was not seen: the widest bounds, state and cause. */
  dark: [from: number, to: number, state: string, cause: Cause][];
  /** The parts of the time that are not recorded. Empty: all of it is proven. */
  gaps: string[];
  trail: string[];
};

/** `status` is the exit code, `json` what is printed for programs. `remember`: what to give as `remembered` next time. */
export type Answer = {
  status: 0 | 1 | 2;
  text: string;
  json: string | null;
  proven: Proven | null;
  remember: string | null;
};

const causes = ['lost', 'silent', 'platform', 'unknown', 'not-registered'] as const;
const deepest = 64;
const endOfTime = Date.UTC(10_000, 0);

class NotProven extends Error {}
class Undecidable extends Error {}

/** Judges the bytes of a bundle. Never rejects for what a bundle contains. */
export async function judge(bundle: Bytes, given: Given): Promise<Answer> {
  try {
    const { root, ...proven } = await verified(bundle, given);
    const remember = JSON.stringify({ size: proven.size, root: toBase64(root), time: proven.time });
    const json = `${asciiOnly(JSON.stringify(proven))}\n`;
    return { status: proven.gaps.length > 0 ? 1 : 0, text: printable(reported(proven)), json, proven, remember };
  } catch (error) {
    const none = { json: null, proven: null, remember: null };
    if (error instanceof NotProven) return { status: 1, text: printable([`NOT PROVEN: ${error.message}.`]), ...none };
    if (!(error instanceof Undecidable)) throw error;
    const hint = error.message.startsWith('the bundle') ? ' Is the download complete?' : '';
    const text = printable([`CANNOT BE DECIDED: ${error.message.replace(/\.+$/, '')}.${hint}`]);
    return { status: 2, text, ...none };
  }
}

async function verified(bytes: Bytes, given: Given): Promise<Proven & { root: Bytes }> {
  const [fromGiven, toGiven] = [optionalInstant(given.from, '--from'), optionalInstant(given.to, '--to')];
  const keys = await keysOf(given.keys);
  const known = given.remembered === undefined ? null : knownOf(given.remembered);
  const witnesses = await keysOf(given.witnesses ?? []);

  const bundle = parsed(decoded(bytes), () => new Undecidable('the bundle is no JSON'));
  const detail = memberOf(bundle, 'detail');
  if (isRecord(bundle) && !Object.hasOwn(bundle, 'version') && isText(detail))
    throw new Undecidable(`the service refused: ${detail}`);
  if (whole(bundle, 'version', 'the bundle') !== 1) throw new Undecidable('the bundle is of another version');
  const deviceId = text(bundle, 'deviceId', 'the bundle');
  const { size, root, time } = await openedCheckpoint(text(bundle, 'checkpoint', 'the bundle'), keys, witnesses);
  const entries = await readEntries(list(bundle, 'entries', 'the bundle'));
  const hashes = readNodes(memberOf(bundle, 'nodes'));
  if (entries.some(({ index }) => index >= size)) throw new NotProven('an entry is not in the log of this checkpoint');
  const tree = treeOf(entries, hashes);
  if (size === 0 || !areSame(await tree(0, size), root))
    throw new NotProven('the entries are not those that the checkpoint commits to');
  if (known) await requireContinued(known, { size, time }, tree);
  const from = fromGiven ?? instant(memberOf(bundle, 'from'), '`from`');
  const to = toGiven ?? instant(memberOf(bundle, 'to'), '`to`');
  if (from >= to) throw new Undecidable('the time to prove ends before it begins');
  const chain = chainOf(entries, { deviceId, signedAt: time, known });
  const gaps = gapsOf(chain, from, to);
  const trail = chain.flatMap(({ lines }) => lines);
  return { deviceId, from, to, size, time, ...accounted(chain, from, to), gaps, trail, root };
}

/** The parts of a time that a chain does not record. */
function gapsOf(chain: readonly Span[], from: number, to: number): string[] {
  const [begins, ends] = [chain.at(0)?.from ?? to, chain.at(-1)?.to ?? to];
  return [
    ...(begins > from ? [`nothing is recorded before ${spelled(begins)}`] : []),
    ...(ends < to ? [`nothing is recorded after ${spelled(ends)} yet`] : []),
  ];
}

/** @throws NotProven where the log does not continue the remembered one */
async function requireContinued(
  known: Known,
  { size, time }: { size: number; time: number },
  tree: ReturnType<typeof treeOf>,
): Promise<void> {
  if (size < known.size || time < known.time)
    throw new NotProven('the checkpoint is older than one that you have seen');
  if (!areSame(await tree(0, known.size), known.root))
    throw new NotProven('the log was changed since the checkpoint that you have seen: it has forked');
}

// Reading. Another reader must understand the same, so what could be taken in two ways is refused.

function decoded(bytes: Bytes): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Undecidable('the bundle is no JSON');
  }
}

function parsed(source: string, fault: () => Error): unknown {
  if (depthOf(source) > deepest) throw fault();
  try {
    return JSON.parse(source);
  } catch {
    throw fault();
  }
}

/** How deep brackets are nested, outside of texts. */
function depthOf(source: string): number {
  let [depth, most, isInText] = [0, 0, false];
  for (let at = 0; at < source.length; at += 1) {
    const sign = source[at];
    if (sign === '\\') at += 1;
    else if (sign === '"') isInText = !isInText;
    else if (isInText) continue;
    else if (sign === '[' || sign === '{') depth += 1;
    else if (sign === ']' || sign === '}') depth -= 1;
    most = Math.max(most, depth);
  }
  return most;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed();
}

function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function text(of: unknown, name: string, what: string): string {
  const value = memberOf(of, name);
  if (isText(value)) return value;
  throw unreadable(what, name);
}

function whole(of: unknown, name: string, what: string): number {
  const value = memberOf(of, name);
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw unreadable(what, name);
}

function list(of: unknown, name: string, what: string): unknown[] {
  const value = memberOf(of, name);
  if (Array.isArray(value)) return value;
  throw unreadable(what, name);
}

function unreadable(what: string, name: string): Undecidable {
  return new Undecidable(`${what} has no readable \`${name}\``);
}

const timePattern = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,3}))?(?:Z|([+-])(\d\d):(\d\d))$/;

function instant(value: unknown, what: string): number {
  const [, ...parts] = (typeof value === 'string' && timePattern.exec(value)) || [];
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(0, 6).map(Number);
  const [part = '', sign, hours = '0', minutes = '0'] = parts.slice(6);
  const local = Date.UTC(year, month - 1, day, hour, minute, second);
  // A date that the calendar lacks comes back as another one, and 24:00 as another day.
  const isReal = parts.length > 0 && new Date(local).toISOString().startsWith(String(value).slice(0, 19));
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1);
  const at = local - offset + Number(part.padEnd(3, '0'));
  if (isReal && Number(hours) < 24 && Number(minutes) < 60 && at >= 0 && at < endOfTime) return at;
  throw new Undecidable(`${what} is no time like 2026-10-01T00:00:00.000Z`);
}

function optionalInstant(value: string | undefined, what: string): number | null {
  return value === undefined ? null : instant(value, what);
}

function spelled(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

function fromBase64(value: string, what: string): Bytes {
  if (/^[A-Za-z0-9+/]*={0,2}$/.test(value) && value.length % 4 === 0) {
    const bytes = Uint8Array.from(atob(value), (sign) => sign.charCodeAt(0));
    if (toBase64(bytes) === value) return bytes;
  }
  throw new Undecidable(`${what} is not base64`);
}

function toBase64(bytes: Bytes): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

function areSame(a: Bytes, b: Bytes): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

const utf8 = (value: string): Bytes => new TextEncoder().encode(value);

async function sha256(...parts: Bytes[]): Promise<Bytes> {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return new Uint8Array(await crypto.subtle.digest('SHA-256', all));
}

// The checkpoint: a signed note (c2sp.org/signed-note, tlog-checkpoint), perhaps cosigned (c2sp.org/tlog-cosignature).

type Key = { name: string; id: Bytes; publicKey: CryptoKey; isWitness: boolean };

async function keyOf(typed: string): Promise<Key> {
  const [, name, id, material] = /^([^\0-\x20\x7f+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(typed) ?? [];
  if (name === undefined || id === undefined || material === undefined)
    throw new Undecidable('the key is not of the form name+hash+base64');
  const bytes = fromBase64(material, 'the key');
  const [kind] = bytes;
  if (bytes.length !== 33 || (kind !== 1 && kind !== 4)) throw new Undecidable('the key is no Ed25519 key');
  const hash = (await sha256(utf8(`${name}\n`), bytes)).slice(0, 4);
  if (Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('') !== id)
    throw new Undecidable('the key does not fit its hash: it was mistyped');
  const publicKey = await crypto.subtle.importKey('raw', bytes.slice(1), 'Ed25519', false, ['verify']);
  return { name, id: hash, publicKey, isWitness: kind === 4 };
}

async function keysOf(typed: readonly string[]): Promise<Key[]> {
  const keys: Key[] = [];
  // One after the other, so that of several faults the first one is named.
  for (const each of typed) keys.push(await keyOf(each));
  return keys;
}

/** Whether this key has signed the text. */
async function hasSigned(body: string, lines: readonly string[], key: Key): Promise<boolean> {
  const begin = `— ${key.name} `;
  for (const line of lines) {
    if (!line.startsWith(begin)) continue;
    const bytes = fromBase64(line.slice(begin.length), 'a signature');
    if (!areSame(bytes.slice(0, 4), key.id)) continue;
    // A cosignature holds its time before the signature, and signs it too.
    const stamp = key.isWitness ? bytes.slice(4, 12).reduce((sum, byte) => sum * 256n + BigInt(byte), 0n) : null;
    const signature = bytes.slice(stamp === null ? 4 : 12);
    const signed = utf8(`${stamp === null ? '' : `cosignature/v1\ntime ${stamp}\n`}${body}\n`);
    if (signature.length === 64 && (await crypto.subtle.verify('Ed25519', key.publicKey, signature, signed)))
      return true;
    throw new NotProven('the checkpoint was changed after it was signed');
  }
  return false;
}

async function openedCheckpoint(
  note: string,
  keys: readonly Key[],
  witnesses: readonly Key[],
): Promise<{ size: number; root: Bytes; time: number }> {
  const end = note.indexOf('\n\n');
  if (end < 0) throw new Undecidable('the checkpoint has no signatures');
  const body = note.slice(0, end);
  const lines = note.slice(end + 2).split('\n');
  let signer: Key | null = null;
  for (const key of keys) signer ??= (await hasSigned(body, lines, key)) ? key : null;
  if (!signer) throw new NotProven('the checkpoint is signed by another key than yours');
  for (const witness of witnesses) {
    if (!(await hasSigned(body, lines, witness)))
      throw new NotProven(`${witness.name} has not cosigned the checkpoint`);
  }
  const [origin, size = '', root = '', time = ''] = body.split('\n');
  const isOfLog = origin === signer.name && /^(0|[1-9]\d{0,15})$/.test(size) && Number.isSafeInteger(Number(size));
  if (!isOfLog || !time.startsWith('time ')) throw new NotProven('the checkpoint is not one of this ledger');
  return {
    size: Number(size),
    root: fromBase64(root, 'the root'),
    time: instant(time.slice(5), 'the time of the checkpoint'),
  };
}

type Known = { size: number; root: Bytes; time: number };

function knownOf(remembered: string): Known {
  const fault = () => new Undecidable('the remembered checkpoint cannot be read');
  const kept = parsed(remembered, fault);
  try {
    const root = fromBase64(text(kept, 'root', ''), '');
    const known = { size: whole(kept, 'size', ''), root, time: whole(kept, 'time', '') };
    if (known.size > 0) return known;
  } catch {}
  throw fault();
}

// The tree (RFC 6962).

type Entry = { index: number; leaf: Bytes; commitment: string; said: unknown };

async function readEntries(given: readonly unknown[]): Promise<Entry[]> {
  const entries: Entry[] = [];
  const indexes = new Set<number>();
  for (const each of given) {
    const index = whole(each, 'index', 'an entry');
    const body = text(each, 'body', 'an entry');
    const secret = fromBase64(text(each, 'key', 'an entry'), 'the key of an entry');
    if (secret.length !== 32) throw new Undecidable('the key of an entry has not 32 bytes');
    if (indexes.has(index)) throw new NotProven(`leaf ${index} is given twice`);
    indexes.add(index);
    const said = parsed(body, () => new NotProven(`entry ${index} cannot be read`));
    const hmac = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
    const commitment = new Uint8Array(await crypto.subtle.sign('HMAC', hmac, utf8(body)));
    entries.push({ index, leaf: await sha256(Uint8Array.of(0), commitment), commitment: toBase64(commitment), said });
  }
  return entries;
}

function readNodes(given: unknown): Map<string, Bytes> {
  if (!isRecord(given)) throw unreadable('the bundle', 'nodes');
  const nodes = new Map<string, Bytes>();
  for (const [range, hash] of Object.entries(given)) {
    const isRange = /^(0|[1-9]\d{0,14})-[1-9]\d{0,14}$/.test(range);
    // 32 bytes in base64: the last sign carries four bits.
    if (!isRange || typeof hash !== 'string' || !/^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/.test(hash))
      throw new Undecidable('the bundle has an unreadable hash in `nodes`');
    nodes.set(range, fromBase64(hash, 'a hash'));
  }
  return nodes;
}

/** Computes the hash of the leaves from `first` on: from entries wherever there are any, else from what is given. */
function treeOf(entries: readonly Entry[], nodes: ReadonlyMap<string, Bytes>) {
  const leaves = entries.toSorted((a, b) => a.index - b.index);
  /** The position of the first leaf at this index or after it. */
  const after = (index: number) => {
    let [low, high] = [0, leaves.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((leaves[middle]?.index ?? 0) < index) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return async function hashOf(first: number, count: number): Promise<Bytes> {
    const position = after(first);
    const isEmpty = position === after(first + count);
    const found = isEmpty ? nodes.get(`${first}-${count}`) : count === 1 ? leaves[position]?.leaf : undefined;
    if (found) return found;
    if (count < 2)
      throw new Undecidable(`the bundle lacks the hash of leaf ${first}; ask for it with \`since\`, or it was cut off`);
    // The left part is the largest power of two that leaves something for the right one.
    let left = 1;
    while (left * 2 < count) left *= 2;
    return sha256(Uint8Array.of(1), await hashOf(first, left), await hashOf(first + left, count - left));
  };
}

// What the entries say.

type Interval = {
  state: string;
  cause: Cause;
  begin: [number, number];
  end: [number, number];
  planned: [number, number][];
};
type Span = { from: number; to: number; recordedAt: number; intervals: Interval[]; lines: string[] };
type Context = { deviceId: string; signedAt: number; known: Known | null };

/** The place of an entry in the chain, and its time. */
type Link = Pick<Span, 'from' | 'to' | 'recordedAt'> &
  Pick<Entry, 'index' | 'commitment'> & { n: number; previous: string };

function chainOf(entries: readonly Entry[], context: Context): Span[] {
  const chain: (Span & { link: Link; trailTo: number | null })[] = [];
  const lost: [number, number][] = [];
  for (const entry of entries) {
    const link = linkOf(entry, context);
    const what = `entry ${entry.index}`;
    const restored = restoredOf(entry.said, what);
    if (restored) {
      lost.push(restored);
      goBack(chain, link);
    }
    const before = chain.at(-1);
    if (before) requireFollows(link, before.link);
    if (context.known) requireEnteredInTime(link, context.known);
    const intervals = intervalsOf(list(entry.said, 'intervals', what), what, context.signedAt);
    for (const time of lost) requireBlind(link, intervals, time);
    const trailTo = before?.trailTo ?? null;
    const trail = trailOf(entry.said, link, trailTo);
    const lines = trail ? linesOf(trail.said, what, context.signedAt) : [];
    chain.push({ ...link, intervals, lines, link, trailTo: trail?.to ?? trailTo });
  }
  return chain;
}

/** The database came back to an earlier state: the chain goes on from an entry of then, and what came after it is recorded anew. */
function goBack(chain: { link: Link }[], { previous }: Link): void {
  const from = chain.findIndex(({ link }) => link.commitment === previous);
  if (from >= 0) chain.splice(from + 1);
}

/** The time that was lost before an entry, because the database was restored. Null: none. */
function restoredOf(said: unknown, what: string): [asOf: number, at: number] | null {
  if (!isRecord(said) || !Object.hasOwn(said, 'restored')) return null;
  const { restored } = said;
  if (!isRecord(restored)) throw unreadable(what, 'restored');
  const time = (name: string) => instant(memberOf(restored, name), `\`${name}\` of \`restored\` of ${what}`);
  const [asOf, at] = [time('asOf'), time('at')];
  if (asOf >= at) throw new NotProven(`${what} was restored before it was lost`);
  return [asOf, at];
}

/** Of a time that was lost an entry must say that the platform was blind. */
function requireBlind({ index, from, to }: Link, intervals: readonly Interval[], [asOf, at]: [number, number]): void {
  const [begin, end] = [Math.max(asOf, from), Math.min(at, to)];
  const isSaid = intervals.some(
    ({ state, cause, begin: [, sure], end: [near] }) =>
      state === 'blind' && cause === 'platform' && sure <= begin && near >= end,
  );
  if (begin < end && !isSaid) throw new NotProven(`entry ${index} claims to know of a time that a restore has lost`);
}

function linkOf({ index, commitment, said }: Entry, { deviceId, signedAt }: Context): Link {
  const what = `entry ${index}`;
  if (whole(said, 'v', what) !== 1) throw new Undecidable(`${what} is of another version`);
  if (text(said, 'deviceId', what) !== deviceId) throw new NotProven(`${what} is of another camera`);
  const [n, previous] = [whole(said, 'n', what), text(said, 'previous', what)];
  const time = (name: string) => instant(memberOf(said, name), `\`${name}\` of ${what}`);
  const [from, to, recordedAt] = [time('from'), time('to'), time('recordedAt')];
  if (from >= to || to > recordedAt) throw new NotProven(`${what} records a time that had not passed`);
  if (recordedAt > signedAt) throw new NotProven(`${what} is later than the checkpoint`);
  return { index, commitment, n, previous, from, to, recordedAt };
}

function requireFollows(link: Link, before: Link): void {
  const what = `entry ${link.index}`;
  if (link.index <= before.index || link.n !== before.n + 1 || link.previous !== before.commitment)
    throw new NotProven(`${what} does not follow the one before it: something was left out or moved`);
  if (link.from !== before.to || link.recordedAt < before.recordedAt)
    throw new NotProven(`${what} leaves a gap after the one before it`);
}

/** An entry from before the remembered checkpoint is in that log, and a later one is not. */
function requireEnteredInTime({ index, recordedAt }: Link, known: Known): void {
  if (recordedAt === known.time) return;
  const isOlder = recordedAt < known.time;
  if (isOlder !== index < known.size)
    throw new NotProven(`entry ${index} was entered ${isOlder ? 'later' : 'earlier'} than it says`);
}

/** The trail of an entry and its end. Null: it has none. @param trailTo the end of the trail before it */
function trailOf(
  said: unknown,
  { index, recordedAt }: Link,
  trailTo: number | null,
): { said: Record<string, unknown>; to: number } | null {
  if (!isRecord(said) || !Object.hasOwn(said, 'trail')) return null;
  const { trail } = said;
  const what = `entry ${index}`;
  if (!isRecord(trail)) throw unreadable(what, 'trail');
  const time = (name: string) => instant(memberOf(trail, name), `\`${name}\` of the trail of ${what}`);
  const [from, to] = [time('from'), time('to')];
  if (from > to || to > recordedAt) throw new NotProven(`the trail of ${what} records a time that had not passed`);
  if (trailTo !== null && from !== trailTo)
    throw new NotProven(`the trail of ${what} does not go on where the one before it ended`);
  return { said: trail, to };
}

function boundsOf(value: unknown, what: string): [number, number] {
  if (!Array.isArray(value) || value.length !== 2) throw new Undecidable(`${what} has no two bounds`);
  return [instant(value[0], `a bound of ${what}`), instant(value[1], `a bound of ${what}`)];
}

function intervalsOf(given: readonly unknown[], entry: string, signedAt: number): Interval[] {
  let reached = 0;
  return given.map((each, position) => {
    const what = `interval ${position} of ${entry}`;
    const [state, named] = [text(each, 'state', what), text(each, 'cause', what)];
    const cause = causes.find((known) => known === named);
    if ((state !== 'blind' && state !== 'uncertain') || !cause)
      throw new NotProven(`${what} is ${state} by ${named}, which is not known`);
    const begin = boundsOf(memberOf(each, 'begin'), what);
    const end = boundsOf(memberOf(each, 'end'), what);
    if (begin[0] > begin[1] || end[0] > end[1] || begin[0] >= end[1])
      throw new NotProven(`the bounds of ${what} are not in order`);
    if (Math.max(begin[1], end[1]) > signedAt) throw new NotProven(`${what} is later than the checkpoint`);
    if (begin[0] < reached) throw new NotProven(`${what} begins before the one before it ended`);
    reached = end[1];
    let at = begin[0];
    const planned = list(each, 'planned', what).map((part) => {
      const [from, to] = boundsOf(part, `a planned part of ${what}`);
      if (from < at || to < from || to > end[1]) throw new NotProven(`the planned parts of ${what} are not in order`);
      at = to;
      return [from, to] satisfies [number, number];
    });
    return { state, cause, begin, end, planned };
  });
}

type Line = { name: string; at: string; also?: string; members: string[]; form: (...shown: string[]) => string };
const trailLines: Line[] = [
  {
    name: 'alerts',
    at: 'at',
    members: ['at', 'code', 'alertId', 'action', 'status'],
    form: (at, code, id, action, status) => `${at} alert ${code} ${id}: ${action}, ${status}`,
  },
  {
    name: 'changes',
    at: 'at',
    members: ['at', 'action', 'kind', 'id'],
    form: (...shown) => shown.join(' '),
  },
  {
    name: 'deliveries',
    at: 'acceptedAt',
    also: 'finishedAt',
    members: ['acceptedAt', 'deliveryId', 'channel', 'outcome', 'attempts', 'finishedAt'],
    form: (at, id, channel, outcome, attempts) => `${at} delivery ${id} (${channel}): ${outcome}, ${attempts} attempts`,
  },
];

function linesOf(trail: Record<string, unknown>, entry: string, signedAt: number): string[] {
  return trailLines.flatMap(({ name, at, also, members, form }) => {
    if (!Object.hasOwn(trail, name)) return [];
    return list(trail, name, entry).map((each, position) => {
      const what = `\`${name}\` ${position} of ${entry}`;
      const shown = members.map((member) => memberOf(each, member) ?? null);
      if (!isRecord(each) || !shown.every((value) => value === null || isText(value) || Number.isSafeInteger(value)))
        throw new Undecidable(`${what} cannot be read`);
      const late = (member: string) => instant(memberOf(each, member), `\`${member}\` of ${what}`) > signedAt;
      if (late(at) || (also !== undefined && (memberOf(each, also) ?? null) !== null && late(also)))
        throw new NotProven(`${what} is later than the checkpoint`);
      return form(...shown.map((value) => (value === null ? '-' : String(value))));
    });
  });
}

function accounted(chain: readonly Span[], from: number, to: number): Pick<Proven, 'kinds' | 'dark'> {
  const dark: Proven['dark'] = [];
  const sums = { seen: 0, uncertain: 0, planned: 0 };
  const blind = new Map<Cause, number>();
  for (const span of chain) {
    const [low, high] = [Math.max(span.from, from), Math.min(span.to, to)];
    if (low >= high) continue;
    sums.seen += high - low;
    for (const interval of span.intervals) {
      const { state, cause, begin, end } = interval;
      const { all, certain, planned } = lengthsOf(interval, low, high);
      if (all === 0) continue;
      blind.set(cause, (blind.get(cause) ?? 0) + certain);
      sums.seen -= all;
      sums.uncertain += all - certain;
      sums.planned += planned;
      dark.push([Math.max(begin[0], from), Math.min(end[1], to), state, cause]);
    }
  }
  const named = causes.flatMap((cause) => (blind.has(cause) ? [[cause, blind.get(cause)]] : []));
  return { kinds: { ...sums, ...Object.fromEntries(named) }, dark };
}

/** How much of an interval lies within two bounds: at its widest, what is certainly blind, and what of that was planned. */
function lengthsOf({ state, begin, end, planned }: Interval, low: number, high: number) {
  const within = (a: number, b: number) => Math.max(0, Math.min(b, high) - Math.max(a, low));
  const [sure, over] = [begin[1], end[0]];
  const all = within(begin[0], end[1]);
  const certain = state === 'blind' ? within(sure, over) : 0;
  const parts = certain > 0 ? planned.map(([a, b]) => within(Math.max(a, sure), Math.min(b, over))) : [];
  return { all, certain, planned: parts.reduce((sum, part) => sum + part, 0) };
}

// What is printed.

function reported({ deviceId, from, to, size, time, kinds, dark, trail, gaps }: Proven): string[] {
  return [
    `${gaps.length > 0 ? 'PARTLY PROVEN' : 'PROVEN'}: ${deviceId}, ${spelled(from)} to ${spelled(to)},`,
    `by a log of ${size} ${size === 1 ? 'leaf' : 'leaves'}, signed ${spelled(time)}`,
    ...Object.entries(kinds).map(([kind, ms]) => {
      const tenths = Math.floor((ms + 3000) / 6000);
      return `  ${kind.padEnd(16)}${`${Math.floor(tenths / 10)}.${tenths % 10}`.padStart(12)} min`;
    }),
    ...dark.map(([a, b, state, cause]) => `  ${state} (${cause}) within ${spelled(a)} and ${spelled(b)}`),
    ...trail.map((line) => `  ${line}`),
    ...gaps.map((gap) => `  not proven: ${gap}`),
  ];
}

/** Lines in which nothing acts on a terminal or looks like another line or letter. */
function printable(lines: readonly string[]): string {
  return lines.map((line) => `${asciiOnly(line.replaceAll('\\', '\\\\'))}\n`).join('');
}

function asciiOnly(line: string): string {
  return line.replace(/[^ -~]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

// The command. Node is reached by its globals, so that a browser can load this file and no bundler looks for modules.

type NodeProcess = {
  argv: string[];
  exitCode?: number;
  stdout: { write(shown: string): void };
  stderr: { write(shown: string): void };
  getBuiltinModule(name: 'node:fs'): {
    existsSync(path: string): boolean;
    readFileSync(path: string): Bytes;
    writeFileSync(path: string, kept: string): void;
  };
};
type Arguments = { bundle: string; key: string; witness: string[]; json: boolean } & Partial<
  Record<'from' | 'to' | 'checkpoint', string>
>;

type PartialArguments = Partial<Arguments> & Pick<Arguments, 'witness' | 'json'>;

/** @returns null: these arguments mean nothing */
function argumentsOf(argv: readonly string[]): Arguments | null {
  const given: PartialArguments = { witness: [], json: false };
  const rest = [...argv];
  for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
    if (!takeArgument(given, next, rest)) return null;
  }
  const { bundle, key } = given;
  return bundle === undefined || key === undefined ? null : { ...given, bundle, key };
}

/** Takes one argument, and its value from the rest. @returns whether it means something */
function takeArgument(given: PartialArguments, typed: string, rest: string[]): boolean {
  const [, name, attached] = /^--([a-z]+)(?:=(.*))?$/s.exec(typed) ?? [];
  if (name === undefined) {
    if (given.bundle !== undefined || typed.startsWith('-')) return false;
    given.bundle = typed;
    return true;
  }
  if (name === 'json' && attached === undefined) {
    given.json = true;
    return true;
  }
  const value = attached ?? (rest[0]?.startsWith('-') ? undefined : rest.shift());
  return value !== undefined && setOption(given, name, value);
}

/** @returns whether there is an option with this name */
function setOption(given: PartialArguments, name: string, value: string): boolean {
  switch (name) {
    case 'witness':
      given.witness.push(value);
      return true;
    case 'key':
    case 'from':
    case 'to':
    case 'checkpoint':
      given[name] = value;
      return true;
    default:
      return false;
  }
}

async function main(node: NodeProcess): Promise<void> {
  const fs = node.getBuiltinModule('node:fs');
  const argv = node.argv.slice(2);
  if (argv.includes('--help') || argv.includes('-h')) return node.stdout.write(usage);
  const given = argumentsOf(argv);
  if (!given) {
    node.exitCode = 2;
    return node.stderr.write(usage);
  }
  const read = (path: string): Bytes => {
    try {
      return new Uint8Array(fs.readFileSync(path));
    } catch {
      throw new Undecidable(`${path} cannot be read`);
    }
  };
  try {
    const { key, checkpoint, from, to, witness: witnesses } = given;
    const lossy = (path: string) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(read(path));
    const keys = (fs.existsSync(key) ? lossy(key) : key).split(/[ \t\r\n]+/).filter((each) => each !== '');
    const remembered = checkpoint !== undefined && fs.existsSync(checkpoint) ? lossy(checkpoint) : undefined;
    const answer = await judge(read(given.bundle), { keys, witnesses, from, to, remembered });
    if (checkpoint !== undefined && answer.remember !== null) fs.writeFileSync(checkpoint, answer.remember);
    node.exitCode = answer.status;
    node.stdout.write((given.json ? answer.json : null) ?? answer.text);
  } catch (error) {
    if (!(error instanceof Undecidable)) throw error;
    node.exitCode = 2;
    node.stdout.write(printable([`CANNOT BE DECIDED: ${error.message}.`]));
  }
}

const { process: node } = globalThis as unknown as { process?: NodeProcess };
if (node && (import.meta as { main?: boolean }).main) await main(node);
