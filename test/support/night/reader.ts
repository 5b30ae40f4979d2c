import type { Script } from './script.ts';

/** What a sentence is about: a camera or a place, by its name or its id as people know them. */
export type Thing = { is: 'camera' | 'place'; id: string; name: string };
/** The minute of a clock in a text; on another day with its date. */
export type Clock = string;

/** One thing that a message says. `about`: null where it speaks of no thing in particular. */
export type Claim = { about: Thing | null; sentence: string } & (
  | { says: 'dark' | 'over' | 'joined' | 'returned' | 'in-hands' | 'moved' }
  | { says: 'trouble'; kind: string; isOver: boolean }
  | { says: 'since'; at: Clock; of: string }
  | { says: 'first'; at: Clock; of: string }
  | { says: 'until'; at: Clock; of: string }
  | { says: 'lasted'; minutes: number; of: 'dark' | 'unanswered' }
  | { says: 'of'; number: number; total: number; what: 'dark' | 'lit' | 'back' | 'elsewhere' | 'once-dark' }
  | { says: 'number'; number: number; what: 'dark' | 'back' | 'still-dark' | 'in-maintenance' | 'dark-before' }
  | { says: 'has-it' | 'had-it'; who: string; since: Clock | null }
  | { says: 'nobody' }
  | { says: 'dark-of-last'; number: number; of: number }
  | { says: 'times'; number: number }
  | { says: 'earlier'; minutes: number }
  | { says: 'tally'; what: string; number: number; parts: { what: string; number: number }[] }
);

/** A message as a stranger understands it. `unread`: sentences that he could not make sense of. */
export type Read = {
  subject: Thing | null;
  kind: 'began' | 'ended' | 'urges' | 'taken' | 'digest' | 'limit' | 'other';
  claims: Claim[];
  unread: string[];
};

const clock = '((?:\\d{1,2} [A-Z][a-z]{2,3},? )?\\d\\d:\\d\\d)';
const span = '((?:\\d+ (?:h|min|s|days?|hours?|minutes?|seconds?) ?)+)';
/** A name, or the address that a link was sent to. */
const person = '(?:[^‹›:,.;]*: ?)?\\+\\d+(?:…|\\.{3})\\d+|[^‹›:,.;]+?';
const dark = /\b(?:offline|dark|outage|lost|silent|no report|gone|disconnected)\b/i;
const troubles: [kind: string, words: RegExp][] = [
  ['unstable', /connection unstable|unstable|reconnects/i],
  ['memory', /memory/i],
  ['storage', /storage|disk/i],
  ['network', /network|latency/i],
  ['certificate', /certificate/i],
  ['sign-ins', /sign-?ins?|authenticat/i],
  ['broker', /broker/i],
];

/** Minutes of `1 h 10 min`, `9 min`, `40 s`. */
export function minutesOf(text: string): number {
  const units: Record<string, number> = { d: 1440, h: 60, m: 1, s: 1 / 60 };
  return [...text.matchAll(/(\d+) ([dhms])/g)].reduce(
    (sum, [, n, unit]) => sum + Number(n) * (units[unit ?? ''] ?? 0),
    0,
  );
}

/** A reader who knows the names of the town's cameras and places, as an operator does, and nothing else. */
export function createReader({ cameras, places, teams }: Script) {
  const things = new Map<string, Thing>();
  for (const { deviceId, name } of cameras) {
    const thing: Thing = { is: 'camera', id: deviceId, name };
    for (const word of [deviceId, name]) things.set(word, thing);
  }
  for (const { kind, id, name } of places) {
    const thing: Thing = { is: 'place', id: `${kind} ${id}`, name };
    for (const word of [id, name]) things.set(word, thing);
  }
  for (const groupId of new Set(cameras.map((camera) => camera.groupId))) {
    const name = `group ${groupId}`;
    things.set(name, { is: 'place', id: name, name });
  }
  const words = [...things.keys()]
    .toSorted((a, b) => b.length - a.length)
    .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  // Names of cameras have one form, so that thousands of them are one alternative.
  const shapes = new Set(words.map((word) => word.replaceAll(/\d/g, '\\d')));
  const named = new RegExp(`(?<![\\p{L}\\p{N}])(?:${[...shapes].join('|')})(?![\\p{L}\\p{N}])`, 'gu');
  const known: Thing[] = [];
  const marked = (text: string) =>
    text.replaceAll(named, (word) => {
      const thing = things.get(word);
      if (!thing) return word;
      known.push(thing);
      return `‹${known.length - 1}›`;
    });
  const thingsIn = (text: string) => [...text.matchAll(/‹(\d+)›/g)].flatMap(([, at]) => known[Number(at)] ?? []);
  const namesOfTeams = teams.map(({ name }) => name);

  return { read, things };

  function read(channel: string, text: string): Read {
    known.length = 0;
    const lines = (channel === 'sms' ? withoutLink(text) : text)
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !isLink(line));
    const title = marked((lines[0] ?? '').replace(/^\[?(?:CRITICAL|CRIT|ERROR|ERR|WARNING|WARN|INFO)\]? /, ''));
    const sentences =
      lines.length === 0 ? [] : [...sentencesOf(title), ...lines.slice(1).flatMap((line) => sentencesOf(marked(line)))];
    const isDigest = /^Digest: |^\d+ (?:more )?alerts? /.test(title) || /; \d+ alerts? |^Over: /.test(title);
    const first = thingsIn(title.split(/;|\. /)[0] ?? '');
    const subject = isDigest ? null : (first.find(({ is }) => is === 'camera') ?? first[0] ?? null);
    const result: Read = { subject, kind: isDigest ? 'digest' : kindOf(title), claims: [], unread: [] };
    let [at, verb]: [Thing | null, string] = [subject, ''];
    let last = subject;
    for (const sentence of sentences) {
      const own = thingsIn(sentence);
      // Names after a count of those that are back or still dark are examples.
      const isCount = subject?.is === 'place' && /^\d+ (?:of \d+ |\w+ )?(?:back|still dark)/.test(sentence);
      const isPart = own.length === 0 && /\bthat part\b/.test(sentence);
      const about = isCount
        ? subject
        : isPart
          ? last
          : (own.find(({ is }) => is === 'camera') ?? own[0] ?? (isDigest ? null : at));
      if (!isDigest && own.length > 0 && / \/ /.test(sentence)) at = about;
      const given = { about, subject, sentence, verb, isTitle: sentence === sentences[0], isDigest };
      const { claims, isRead } = readSentence(given);
      last = about ?? last;
      if (dark.test(sentence)) verb = 'dark';
      result.claims.push(...claims);
      if (!isRead) result.unread.push(spelled(sentence));
    }
    return { ...result, claims: result.claims.map((claim) => ({ ...claim, sentence: spelled(claim.sentence) })) };
  }

  function spelled(sentence: string): string {
    return sentence.replaceAll(/‹(\d+)›/g, (_, at) => known[Number(at)]?.name ?? '');
  }

  type Given = {
    about: Thing | null;
    subject: Thing | null;
    sentence: string;
    verb: string;
    isTitle: boolean;
    isDigest: boolean;
  };

  /** Takes one claim after the other out of a sentence. It is read if nothing that says something is left. */
  function readSentence({ about, subject, sentence, verb, isTitle, isDigest }: Given): {
    claims: Claim[];
    isRead: boolean;
  } {
    const claims: Claim[] = [];
    let rest = sentence;
    const isOver = /\bover\b|^OK\b/i.test(sentence);
    const take = (what: RegExp, act: (...parts: string[]) => Claim[] | null) => {
      rest = rest.replace(what, (whole: string, ...parts: string[]) => {
        const found = act(...parts);
        if (!found) return whole;
        claims.push(...found);
        return ' ';
      });
      rest = rest.trim();
    };
    const base = { about, sentence };
    const state = dark.test(sentence) || verb === 'dark';
    take(
      /^(?:The gravest:|They come with the next digest|Look at the console|It ended by itself|Somebody resolved it|Something else took its place|One switch\?)$/i,
      () => [],
    );
    // The line that names a camera and a code says nothing about the present.
    take(/^(?:Camera ‹\d+›, )?[A-Z]{3,4}_\d{3} .*$/, () => []);
    take(/^(\d+) messages? in an hour: (\d+) more alerts? held back$/, (sent) => [
      { ...base, says: 'tally', what: 'sms-in-hour', number: Number(sent), parts: [] },
    ]);
    take(new RegExp(`^SMS LIMIT: (\\d+) sent(?: since ${clock})?, next at ${clock}$`), (sent) => [
      { ...base, says: 'tally', what: 'sms-in-hour', number: Number(sent), parts: [] },
    ]);
    take(/^Held: (?:\d+ messages?$)?/, () => []);
    take(/ and \d+ more$/, () => []);
    take(/MQTT connection lost for more than 5 minutes(?:: .*)?/i, () => [
      { ...base, says: 'dark' },
      { ...base, says: 'lasted', minutes: 5, of: 'dark' },
    ]);
    take(/(\d+) reconnects within an hour, limit \d+/, () => []);
    take(/(?:at|in the last \d+ \w+|,) [\d.]+ (?:%|MB|ms|days?)?(?:, limit [\d.]+ ?(?:%|MB|ms)?)?$/i, () => []);
    take(/\b(\d+) failed[^.;]*$/i, () => []);
    // Who has it.
    take(new RegExp(`(?:^|: |, )(${person}) has (?:it|that part)(?: since ${clock})?`), (who, since) =>
      /nobody/i.test(who ?? '')
        ? null
        : [
            { ...base, about: about ?? subject, says: 'has-it', who: who ?? '', since: since ?? null },
            { ...base, says: 'in-hands' },
          ],
    );
    take(new RegExp(`(?:^|: |, )(${person}) had it`), (who) => [
      { ...base, about: about ?? subject, says: 'had-it', who: who ?? '', since: null },
    ]);
    take(/nobody has (?:it|any of (?:it|them))(?: yet)?/i, () => [
      { ...base, about: about ?? subject, says: 'nobody' },
    ]);
    take(new RegExp(`nobody (?:has|had) answered for ${span}`, 'i'), (minutes) => [
      { ...base, about: about ?? subject, says: 'nobody' },
      { ...base, about: about ?? subject, says: 'lasted', minutes: minutesOf(minutes ?? ''), of: 'unanswered' },
    ]);
    take(/nobody was told \([^)]*\)/i, () => []);
    take(new RegExp(`It is escalated at ${clock}`), () => []);
    take(new RegExp(`Next: [^.]* at ${clock}`), () => []);
    take(
      /(?:escalated|reminder(?: \d+(?: of \d+)?)?) to (?:operations, because [^,]*|[^,.;‹]*?)(?: \(step \d+ of \d+\))?(?=,|$)/,
      () => [{ ...base, says: 'nobody' }],
    );
    // A digest.
    take(/^Digest: /, () => []);
    take(/^Over: (?=Outage|‹)/i, () => [{ ...base, says: 'over' }]);
    take(/, (?:escalated, nobody has answered|still without an answer)$/, () => [{ ...base, says: 'nobody' }]);
    take(/, (?:in hands by now)$/, () => [{ ...base, says: 'in-hands' }]);
    take(
      /, (?:back again|no longer snoozed|open after maintenance|got worse|wider than reported before|come and go)$/,
      () => [],
    );
    take(
      /^(\d+) (?:more )?alerts? (opened|back again|got worse|come and go|no longer snoozed|open after maintenance|escalated, nobody has answered|still without an answer|in hands by now|over|part of a wider outage|wider than reported before)$/,
      (number, what) => [{ ...base, says: 'tally', what: what ?? '', number: Number(number), parts: [] }],
    );
    take(
      /^(\d+) (opened|back again|got worse|come and go|no longer snoozed|open after maintenance|escalated, nobody has answered|still without an answer|in hands by now|over|part of a wider outage|wider than reported before): (.+)$/,
      (number, what, list) => {
        const parts = [...(list ?? '').matchAll(/([^,;]+?) (\d+)(?= and other groups|,|;|$)/g)].map(
          ([, part, count]) => ({ what: (part ?? '').trim(), number: Number(count) }),
        );
        return [{ ...base, about: null, says: 'tally', what: what ?? '', number: Number(number), parts }];
      },
    );
    take(/^(\d+) more came and went$/, (number) => [
      { ...base, about: null, says: 'tally', what: 'came and went', number: Number(number), parts: [] },
    ]);
    take(/^(\d+) more (?:incidents|from the minute before)$/, (number) => [
      { ...base, about: null, says: 'tally', what: 'more', number: Number(number), parts: [] },
    ]);
    // Times.
    take(new RegExp(`last reports? ${clock} to ${clock}`, 'i'), (from, to) => [
      { ...base, says: 'first', at: from ?? '', of: 'report' },
      { ...base, says: 'until', at: to ?? '', of: 'report' },
    ]);
    take(new RegExp(`(?:from )?${clock}(?: to | – |-)${clock}`), (from, to) => [
      { ...base, says: 'since', at: from ?? '', of: 'span' },
      { ...base, says: 'until', at: to ?? '', of: 'span' },
    ]);
    take(new RegExp(`(?:second|third|fourth|\\d+th) time since ${clock}`), (from) => [
      { ...base, says: 'returned' },
      { ...base, says: 'first', at: from ?? '', of: 'spell' },
    ]);
    take(new RegExp(`(?:again, )?first at ${clock}`), (from) => [
      { ...base, says: 'returned' },
      { ...base, says: 'first', at: from ?? '', of: 'spell' },
    ]);
    take(/(?:it comes and goes: )?dark (\d+)(?: min)? of the last (\d+) min/i, (number, of) => [
      { ...base, says: 'dark-of-last', number: Number(number), of: Number(of) },
    ]);
    take(/(?:dark )?again, for the (\d+)(?:st|nd|rd|th) time/i, (number) => [
      { ...base, says: 'returned' },
      { ...base, says: 'times', number: Number(number) },
    ]);
    take(new RegExp(`began (?:at|behind|in) [^,]*, ${span} earlier`), (minutes) => [
      { ...base, says: 'earlier', minutes: minutesOf(minutes ?? '') },
    ]);
    const isSeries = /comes? and goe?s?|again/i.test(sentence);
    take(new RegExp(`(?:since|began(?: (?:behind|at) (?:\\w+ )?‹\\d+›)? at) ${clock}`), (from) => [
      isSeries
        ? { ...base, says: 'first', at: from ?? '', of: 'spell' }
        : { ...base, says: 'since', at: from ?? '', of: isOver ? 'over' : 'dark' },
    ]);
    take(new RegExp(`\\(${span}\\)`), (minutes) =>
      /\d/.test(minutes ?? '') ? [{ ...base, says: 'lasted', minutes: minutesOf(minutes ?? ''), of: 'dark' }] : null,
    );
    // Counts.
    take(/(\d+) (?:more )?(?:are |were )?in maintenance(?: until [\w :]+)?/i, (number) => [
      { ...base, says: 'number', number: Number(number), what: 'in-maintenance' },
    ]);
    take(/(\d+) (?:more )?(?:were |was )?dark before/i, (number) => [
      { ...base, says: 'number', number: Number(number), what: 'dark-before' },
    ]);
    take(/(\d+) of (\d+) (?:cameras? )?(?:are )?back/i, (number, total) => [
      { ...base, says: 'of', number: Number(number), total: Number(total), what: 'back' },
    ]);
    take(new RegExp(`(?:all )?(\\d+) (?:cameras? )?(?:are |is )?back(?: after ${span})?`, 'i'), (number, minutes) => [
      { ...base, says: 'number', number: Number(number), what: 'back' },
      ...(minutes ? [{ ...base, says: 'lasted', minutes: minutesOf(minutes), of: 'dark' } as Claim] : []),
    ]);
    take(/still dark (\d+) of (\d+)/i, (number, total) => [
      { ...base, says: 'of', number: Number(number), total: Number(total), what: 'dark' },
    ]);
    take(/(\d+) (?:cameras? )?(?:are )?still dark(?:: .*)?/i, (number) => [
      { ...base, about: subject ?? about, says: 'number', number: Number(number), what: 'still-dark' },
    ]);
    take(/(?:other )?(\d+) of (\d+) elsewhere/i, (number, total) => [
      { ...base, says: 'of', number: Number(number), total: Number(total), what: 'elsewhere' },
    ]);
    for (let turn = 0; turn < 3; turn += 1)
      take(/(\d+) of (\d+)(?: cameras?)?/i, (number, total) => {
        const isOnce = /within \d+ (?:s|min)/.test(sentence);
        const isLit = /\breport\b|\bonline\b/i.test(sentence) && !dark.test(sentence);
        const what = isOnce ? 'once-dark' : isLit ? 'lit' : 'dark';
        return [{ ...base, says: 'of', number: Number(number), total: Number(total), what }];
      });
    take(new RegExp(`within ${span}`), () => []);
    take(new RegExp(`after ${span}`), (minutes) => [
      { ...base, says: 'lasted', minutes: minutesOf(minutes ?? ''), of: 'dark' },
    ]);
    take(/‹\d+›: (\d+)(?= offline| dark|$)/, (number) =>
      state && about?.is === 'place' ? [{ ...base, says: 'number', number: Number(number), what: 'dark' }] : null,
    );
    // What it is.
    if (/part of a wider (?:outage|one)|\bjoined\b/i.test(sentence)) claims.push({ ...base, says: 'joined' });
    else if (/\bmoved\b/i.test(sentence)) claims.push({ ...base, says: 'moved' });
    else if (about && (isTitle || isDigest || /outage/i.test(sentence) || isOver)) {
      const trouble = troubles.find(([, each]) => each.test(sentence));
      if (trouble && about.is === 'camera' && !/\boffline\b|\bdark\b/.test(sentence))
        claims.push({ ...base, says: 'trouble', kind: trouble[0], isOver });
      else if (isOver) claims.push({ ...base, says: 'over' });
      else if (isSeries) claims.push({ ...base, says: 'returned' });
      else if (dark.test(sentence)) claims.push({ ...base, says: 'dark' });
    }
    const left = rest.replaceAll(/‹\d+›/g, '');
    const isKnown =
      claims.length > 0 ||
      left.trim() === '' ||
      troubles.some(([, each]) => each.test(left)) ||
      namesOfTeams.some((name) => left.includes(name));
    // A sentence that was cut, or a number whose meaning is not clear.
    return { claims, isRead: isKnown && !/\d/.test(left) && !/\.\.\.$|…$/.test(sentence) };
  }
}

function kindOf(title: string): Read['kind'] {
  if (/^\d+ messages? in an hour|^SMS LIMIT/.test(title)) return 'limit';
  if (/\bover\b|^OK\b|^CLOSED\b|closed by|part of a wider|\bmoved\b/i.test(title)) return 'ended';
  if (/escalated|reminder|without an answer/.test(title)) return 'urges';
  if (/ has it/.test(title) && !/nobody has it/i.test(title)) return 'taken';
  return /since|again|outage|offline|dark/i.test(title) ? 'began' : 'other';
}

function withoutLink(text: string): string {
  return text.replace(
    /\.? ?(?:https?:\/\/)?[\w.-]+\/(?:t|alerts|incidents|guardian|shift)(?:\/[\w-]*…?|\?[\w=&]*)?$/,
    '',
  );
}

function isLink(line: string): boolean {
  return /^<https?:[^>]*>$/.test(line) || /^[A-Z][\w ]*: https?:\S+$/.test(line);
}

/** A list with counts is one sentence, though it contains semicolons. */
function sentencesOf(line: string): string[] {
  return line
    .split(/(?<=[^\d\s].|\))\. |(?<=\w\w)\. |\.$/)
    .flatMap((part) => (/^\d+ [a-z ,]+: /.test(part) ? [part] : part.split('; ')))
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
