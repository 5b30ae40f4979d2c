import { type Letter, type Lived, nightBegins, timeZone } from './live.ts';
import { type Claim, createReader, type Read, type Thing } from './reader.ts';
import type { Outage, Script, Span, Team } from './script.ts';
import { type Truth, truthOf, type Whole } from './truth.ts';

/** A false claim, or a sentence that nobody can read, with the message and the truth of that second. */
export type Finding = { kind: Kind; second: number; to: string; claim: string; truth: string; text: string };
export type Kind =
  | 'place'
  | 'state'
  | 'over'
  | 'since'
  | 'until'
  | 'lasted'
  | 'count'
  | 'total'
  | 'who has it'
  | 'unanswered'
  | 'tally'
  | 'trouble'
  | 'event'
  | 'unreadable';

/** The goals of a night, each with its figure. A list has one line for each failure. */
export type Verdict = {
  claims: number;
  findings: Finding[];
  unended: string[];
  untold: string[];
  faults: number;
  sms: Record<string, number>;
  late: string[];
  outagesToTell: number;
  lateSilences: string[];
  silencesToTell: number;
  /** Minutes from the darkness of a lone camera to the first mail about it. */
  loneMinutes: number[];
  letters: Record<string, number>;
};

const minute = 60;
/** Seconds that a message may be behind: on its way in, through two wakes and out. */
const onTheWay = 15;
/** Counts of places come from a look each minute, at a horizon that is at most as old, and then travel. */
const lookAge = 150;
/** A digest waits for its window. */
const digestAge = 90;
/** On a clock without seconds. */
const clockSlack = 60;
/** A loss counts after five minutes (contract); a digest of a phone may wait for an hour. */
const countsAfter = 5 * minute;
const tallyReach = { sms: 90 * minute, email: 30 * minute, chat: 30 * minute };
export const phoneWithin = 8 * minute;
export const silenceWithin = 6 * minute;
/** Of cameras that report each minute: 300 s and two periods. */
const silentAfter = 300 + 2 * 60;
export const mostSms = 20;
const settled = 20 * minute;

/** Reads everything that left the house as a stranger would, and compares it with what was true at that second. */
export function judgeNight(script: Script, lived: Lived): Verdict {
  const reader = createReader(script);
  const truth = truthOf(script, lived, reader.read);
  const letters = lived.letters
    .toSorted((a, b) => a.second - b.second)
    .map((letter): Told => ({ ...letter, read: reader.read(letter.channel, letter.text), team: teamOf(script, letter) }));
  const findings: Finding[] = [];
  let claims = 0;
  for (const letter of letters) {
    const note = (kind: Kind, claim: string, isTrue: string) =>
      findings.push({ kind, second: letter.second, to: `${letter.to} ${letter.channel}`, claim, truth: isTrue, text: letter.text });
    for (const sentence of letter.read.unread) note('unreadable', sentence, '');
    for (const claim of letter.read.claims) {
      claims += 1;
      const against = judge(claim, letter, { truth, script, letters });
      if (against) note(against.kind, `${claim.says}: ${claim.sentence}`, against.truth);
    }
  }
  findings.push(...judgeCalls(script, truth, lived, reader.things));
  return {
    claims,
    findings,
    unended: unendedOf(script, truth, letters),
    ...toldByMail(script, truth, letters),
    sms: Object.fromEntries(
      script.teams.map(({ name, phone }) => [name, letters.filter(({ channel, to }) => channel === 'sms' && to.includes(phone)).length]),
    ),
    ...toldByPhone(script, truth, letters),
    ...silencesOf(script, truth, letters),
    loneMinutes: loneMinutesOf(script, truth, letters),
    letters: Object.fromEntries(
      [...Map.groupBy(letters, ({ team, channel }) => `${team.name} ${channel}`)].map(([who, own]) => [who, own.length]),
    ),
  };
}

type Told = Letter & { read: Read; team: Team };
type Known = { truth: Truth; script: Script; letters: readonly Told[] };
type Against = { kind: Kind; truth: string } | null;

function teamOf({ teams }: Script, { to }: Letter): Team {
  const team = teams.find(({ name, phone, email }) => to.includes(phone) || to.includes(email) || to.startsWith(`${name}:`));
  if (!team) throw new Error(`a message to nobody: ${to}`);
  return team;
}

/** What is wrong with a claim. Null: it was true within the time that a message takes. */
function judge(claim: Claim, letter: Told, known: Known): Against {
  const { about } = claim;
  if (claim.says === 'tally') return judgeTally(claim, letter, known);
  if (!about) return null;
  const { truth } = known;
  switch (claim.says) {
    case 'dark':
      return judgeDark(about, claim, letter, truth);
    case 'over':
      return judgeOver(about, letter, truth);
    case 'returned':
      return judgeReturn(about, letter, truth);
    case 'trouble':
      return judgeTrouble(about, claim, letter, truth);
    case 'since':
    case 'first':
    case 'until':
    case 'lasted':
      return judgeTime(about, claim, letter, known);
    case 'of':
      return judgeShare(about, claim, letter, known);
    case 'number':
      return judgeNumber(about, claim, letter, known);
    case 'has-it':
    case 'had-it':
      return judgeHolder(about, claim, letter, truth);
    case 'nobody':
      return judgeNobody(about, letter, truth);
    case 'dark-of-last': {
      const real = darkMinutes(about, letter.second, claim.of, truth);
      return Math.abs(real - claim.number) <= 4 ? null : { kind: 'lasted', truth: `dark ${real} of the last ${claim.of} min` };
    }
    default:
      return null;
  }
}

function seconds(second: number, back: number): number[] {
  return Array.from({ length: Math.floor(back / 5) + 1 }, (_, index) => second - index * 5);
}

const isWithin = (second: number, back: number, test: (at: number) => boolean) => seconds(second, back).some(test);

function judgeDark(about: Thing, { sentence }: Claim, { second, read }: Told, truth: Truth): Against {
  if (about.is === 'camera') {
    const isTrue = isWithin(second, read.kind === 'digest' ? digestAge : onTheWay, (at) => truth.isDark(about.id, at));
    return isTrue ? null : { kind: 'state', truth: `${about.name} is not dark: ${spansText(truth.spansOf(about.id), second)}` };
  }
  const total = truth.members(about).length;
  const isPart = /\bback\b|still dark/i.test(sentence);
  const share = (at: number) => (truth.darkAt(about, at).length + truth.inMaintenance(about, at).length) / total;
  if (isWithin(second, lookAge, (at) => share(at) > (isPart ? 0 : 0.5))) return null;
  return { kind: 'place', truth: `${truth.darkAt(about, second).length} of ${total} cameras of ${about.name} are dark` };
}

function judgeOver(about: Thing, { second, read }: Told, truth: Truth): Against {
  if (about.is === 'camera') {
    const isTrue = isWithin(second, read.kind === 'digest' ? digestAge : onTheWay, (at) => !truth.isDark(about.id, at));
    return isTrue ? null : { kind: 'over', truth: `${about.name} is dark: ${spansText(truth.spansOf(about.id), second)}` };
  }
  const whole = lastWhole(about, second, truth);
  if (!whole) return { kind: 'place', truth: `${about.name} was never dark` };
  const left = (at: number) => whole.spans.filter(({ from, to }) => from <= at && at < to).length;
  const least = Math.min(...seconds(second, lookAge).map(left));
  const isSaid = read.claims.some((claim) => claim.says === 'number' && claim.what === 'still-dark');
  return least < whole.spans.length / 10 || isSaid ? null : { kind: 'over', truth: `${least} of its ${whole.spans.length} are still dark` };
}

function judgeReturn(about: Thing, { second, read }: Told, truth: Truth): Against {
  // A trouble that comes and goes is a matter of values, which the script does not make.
  if (read.claims.some(({ says }) => says === 'trouble')) return null;
  const before = about.is === 'camera' ? truth.spansOf(about.id) : truth.wholesOf(about).map(({ began }) => began);
  const count = before.filter(({ from }) => from <= second).length;
  return count >= 2 ? null : { kind: 'state', truth: `${about.name} was dark ${count} times` };
}

function judgeTrouble(about: Thing, claim: Claim & { says: 'trouble' }, { second, read }: Told, truth: Truth): Against {
  const age = read.kind === 'digest' ? digestAge : onTheWay;
  if (claim.kind === 'unstable') {
    const ends = truth.spansOf(about.id).filter(({ to }) => to <= second && to > second - 4 * 3600);
    return ends.length >= 3 ? null : { kind: 'trouble', truth: `${about.name} came back ${ends.length} times in four hours` };
  }
  const own = truth.troublesOf(about.id).filter(({ kind }) => kind === claim.kind);
  if (!own.some(({ from }) => from <= second)) return { kind: 'trouble', truth: `${about.name} never had trouble with ${claim.kind}` };
  // What happened once has no end of its own.
  if (claim.kind === 'broker' || claim.kind === 'sign-ins') return null;
  const isBad = (at: number) => own.some(({ from, to }) => from <= at && at < to);
  const isTrue = isWithin(second, age, (at) => isBad(at) !== claim.isOver);
  return isTrue ? null : { kind: 'trouble', truth: `${claim.kind} of ${about.name} is ${isBad(second) ? '' : 'no longer '}bad` };
}

type TimeClaim = Claim & { says: 'since' | 'first' | 'until' | 'lasted' };

/** The periods that a time can refer to, the latest last: of a camera, of a place, or of another trouble. */
function periodsOf(about: Thing, { second, read }: Told, truth: Truth): { began: Span; ended: Span | null }[] {
  const trouble = read.claims.find((claim) => claim.says === 'trouble' && claim.about?.id === about.id);
  if (trouble?.says === 'trouble') {
    if (trouble.kind === 'unstable') return [];
    return truth.troublesOf(about.id).filter(({ from }) => from <= second).map(({ from, to }) => ({ began: { from, to: from }, ended: { from: to, to: to + 2 * 3600 } }));
  }
  if (about.is === 'place') return truth.wholesOf(about).filter(({ began }) => began.from <= second);
  const isSilent = truth.cameras.get(about.id)?.isSilent ?? false;
  return truth
    .spansOf(about.id)
    .filter(({ from }) => from <= second)
    .map(({ from, to }) => ({
      // Where only silence tells, the last report is all that anybody can know.
      began: { from: isSilent ? from - 2 * minute : from, to: from },
      ended: Number.isFinite(to) ? { from: to, to: isSilent ? to + minute : to } : null,
    }));
}

function judgeTime(about: Thing, claim: TimeClaim, letter: Told, known: Known): Against {
  const { truth } = known;
  if (claim.says === 'lasted' && claim.of === 'unanswered') return judgeSilence(about, claim.minutes, letter, known);
  const periods = periodsOf(about, letter, truth);
  if (periods.length === 0) {
    const isUnstable = letter.read.claims.some((each) => each.says === 'trouble' && each.kind === 'unstable');
    return isUnstable ? null : { kind: 'since', truth: `${about.name} was never dark` };
  }
  const isEnd = letter.read.kind === 'ended' || (claim.says === 'since' && claim.of === 'over');
  const started = periods.findLast(({ began }) => isNear(claimed(letter, 'since', about), began, letter.second));
  const latest = periods.at(-1);
  const text = periods.map(({ began, ended }) => `${clockAt(began.to)} to ${ended ? clockAt(ended.from) : 'now'}`).slice(-4).join(', ');
  if (claim.says === 'first') {
    const isTrue = claim.of !== 'spell' || periods.some(({ began }) => isNear(claim.at, began, letter.second));
    return isTrue ? null : { kind: 'since', truth: `${about.name} was dark ${text}` };
  }
  if (claim.says === 'since') {
    const isTrue = isEnd ? periods.some(({ began }) => isNear(claim.at, began, letter.second)) : latest && isNear(claim.at, latest.began, letter.second);
    return isTrue ? null : { kind: 'since', truth: `${about.name} was dark ${text}` };
  }
  const meant = started ?? latest;
  if (claim.says === 'until') {
    const isTrue = claim.of !== 'span' || (meant?.ended && isNear(claim.at, meant.ended, letter.second));
    return isTrue ? null : { kind: 'until', truth: `${about.name} was dark ${text}` };
  }
  const { began, ended } = meant ?? { began: { from: 0, to: 0 }, ended: null };
  if (!isEnd) {
    // "for more than 5 minutes"
    const isTrue = letter.second - began.from >= claim.minutes * minute - onTheWay;
    return isTrue ? null : { kind: 'lasted', truth: `${about.name} is dark since ${clockAt(began.to)}` };
  }
  const end = ended ?? { from: letter.second, to: letter.second };
  const [least, most] = [(end.from - began.to) / minute - 2, (end.to - began.from) / minute + 1];
  return claim.minutes >= least && claim.minutes <= most ? null : { kind: 'lasted', truth: `${about.name} was dark ${text}` };
}

function claimed({ read }: Told, says: 'since', about: Thing): string | null {
  const claim = read.claims.find((each) => each.says === says && each.about?.id === about.id);
  return claim?.says === 'since' ? claim.at : null;
}

/** Whether somebody had been told just as many minutes ago, and nobody has answered since. */
function judgeSilence(about: Thing, minutes: number, letter: Told, { letters, truth }: Known): Against {
  const told = letters.filter((each) => each.second < letter.second - 5 && tells(each, about, truth));
  const isTrue = told.some(({ second }) => Math.abs(letter.second - second - (minutes + 0.5) * minute) <= 1.5 * minute);
  if (isTrue) return null;
  const first = told.filter(({ read }) => read.kind !== 'urges').at(-1)?.second ?? told[0]?.second;
  return { kind: 'unanswered', truth: first === undefined ? 'nobody had been told' : `people were told ${Math.round((letter.second - first) / minute)} min ago` };
}

/** Whether a message told people that something began, by name or within a count. */
function tells({ read, second, channel }: Told, about: Thing, truth: Truth): boolean {
  if (read.kind !== 'digest') return (read.kind === 'began' || read.kind === 'urges') && read.subject?.id === about.id;
  const isNamed = read.claims.some((claim) => claim.about?.id === about.id);
  const isCounted = read.claims.some((claim) => claim.says === 'tally' && claim.number > 0 && claim.what !== 'over');
  const began = truth.spansAt(about).some(({ from }) => from <= second && from > second - tallyReach[channel]);
  const troubled = truth.troublesOf(about.id).some(({ from }) => from <= second && from > second - tallyReach[channel]);
  return isNamed || (isCounted && about.is === 'camera' && (began || troubled));
}

/** The sets of cameras that a message about a place may speak of: all, or those of its reader; without those in maintenance. */
function setsOf(place: Thing, { second, team }: Told, { truth, script }: Known): Set<string>[] {
  const all = truth.members(place);
  const own = all.filter((deviceId) => serves(team, truth.cameras.get(deviceId)?.groupId ?? '', script));
  const quiet = new Set(truth.inMaintenance(place, second));
  const sets = own.length > 0 && own.length < all.length ? [all, own] : [all];
  return [...sets, ...(quiet.size > 0 ? sets.map((set) => set.filter((each) => !quiet.has(each))) : [])].map((set) => new Set(set));
}

function serves({ groups }: Team, groupId: string, { teams }: Script): boolean {
  return groups ? groups.includes(groupId) : !teams.some((team) => team.groups?.includes(groupId));
}

function placeOf(about: Thing, { truth, script }: Known): Thing {
  if (about.is === 'place') return about;
  const site = truth.cameras.get(about.id)?.site ?? '';
  const place = script.places.find(({ kind, id }) => kind === 'site' && id === site);
  return { is: 'place', id: `site ${site}`, name: place?.name ?? site };
}

/** The least and the most within a time. */
function rangeOf(ats: readonly number[], count: (at: number) => number): [number, number] {
  const counts = ats.map(count);
  return [Math.min(...counts), Math.max(...counts)];
}

function judgeShare(about: Thing, claim: Claim & { says: 'of' }, letter: Told, known: Known): Against {
  const { truth } = known;
  const place = placeOf(about, known);
  const whole = lastWhole(place, letter.second, truth);
  const isOld = claim.what === 'once-dark';
  const ats = seconds(letter.second, isOld && whole ? letter.second - whole.began.from : lookAge);
  const seen: string[] = [];
  let isTotal = false;
  for (const set of setsOf(place, letter, known)) {
    const here = claim.what === 'elsewhere' && letter.read.subject ? minus(set, truth.members(letter.read.subject)) : set;
    const darkIn = (at: number) => truth.darkAt(place, at).filter(({ deviceId }) => here.has(deviceId)).length;
    const newIn = (at: number) => (whole?.spans ?? []).filter(({ deviceId, from, to }) => here.has(deviceId) && from <= at && at < to).length;
    const total = here.size;
    const [least, most] =
      claim.what === 'back'
        ? backRange(place, letter.second, here, truth)
        : claim.what === 'lit' || claim.what === 'elsewhere'
          ? rangeOf(ats, (at) => total - darkIn(at))
          : [Math.min(rangeOf(ats, newIn)[0], rangeOf(ats, darkIn)[0]), rangeOf(ats, darkIn)[1]];
    seen.push(`${least === most ? most : `${least} to ${most}`} of ${total}`);
    if (claim.total !== total && !(claim.what === 'back' && whole && claim.total === whole.spans.length)) continue;
    isTotal = true;
    if (claim.number >= least && claim.number <= most) return null;
  }
  const what = claim.what === 'back' ? 'back' : claim.what === 'lit' || claim.what === 'elsewhere' ? 'report' : 'dark';
  return { kind: isTotal ? 'count' : 'total', truth: `at ${place.name} ${seen.join(' or ')} ${what}` };
}

function minus(set: ReadonlySet<string>, others: readonly string[]): Set<string> {
  const less = new Set(set);
  for (const each of others) less.delete(each);
  return less;
}

/** How many cameras of a place may be said to be back: blips count or not. */
function backRange(place: Thing, second: number, set: ReadonlySet<string>, truth: Truth): [number, number] {
  const whole = lastWhole(place, second, truth);
  if (!whole) return [0, 0];
  const back = (spans: readonly (Span & { deviceId: string })[], at: number) =>
    new Set(spans.filter(({ deviceId, to }) => set.has(deviceId) && to <= at).map(({ deviceId }) => deviceId)).size;
  const recent = truth.spansAt(place).filter(({ to }) => to > whole.began.from);
  const lasting = whole.spans.filter(({ from, to }) => to - from >= countsAfter);
  return [back(lasting, second - lookAge), back(recent, second)];
}

function judgeNumber(about: Thing, claim: Claim & { says: 'number' }, letter: Told, known: Known): Against {
  const { truth } = known;
  const place = placeOf(about, known);
  const whole = lastWhole(place, letter.second, truth);
  const ats = seconds(letter.second, lookAge);
  const all = setsOf(place, letter, known);
  const ranges = all.map((set): [number, number] => {
    const dark = rangeOf(ats, (at) => truth.darkAt(place, at).filter(({ deviceId }) => set.has(deviceId)).length);
    const left = rangeOf(ats, (at) => (whole?.spans ?? []).filter(({ deviceId, from, to }) => set.has(deviceId) && from <= at && at < to).length);
    switch (claim.what) {
      case 'dark':
        return [1, dark[1]];
      case 'back':
        return backRange(place, letter.second, set, truth);
      case 'still-dark':
        return [Math.min(left[0], dark[0]), Math.max(left[1], dark[1])];
      case 'in-maintenance':
        return rangeOf(ats, (at) => truth.inMaintenance(place, at).length);
      default:
        return rangeOf([whole?.began.from ?? letter.second], (at) => truth.darkAt(place, at).length);
    }
  });
  if (ranges.some(([least, most]) => claim.number >= least && claim.number <= most)) return null;
  const shown = ranges.map(([least, most]) => (least === most ? most : `${least} to ${most}`));
  return { kind: 'count', truth: `at ${place.name}: ${[...new Set(shown)].join(' or ')}, ${claim.what}` };
}

function judgeHolder(about: Thing, claim: Claim & { says: 'has-it' | 'had-it' }, { second }: Told, truth: Truth): Against {
  const own = truth.taken.filter((each) => each.second <= second && coversAlso(each.thing, about, truth));
  const isTrue = own.some(({ by, second: at }) => claim.who.includes(by) && (claim.since === null || isNear(claim.since, { from: at, to: at }, second)));
  if (isTrue) return null;
  const real = own.map(({ by, second: at }) => `${by} at ${clockAt(at)}`).join(', ');
  return { kind: 'who has it', truth: `taken by ${real || 'nobody'}` };
}

function judgeNobody(about: Thing, letter: Told, truth: Truth): Against {
  const began = periodsOf(about, letter, truth).at(-1)?.began.from ?? 0;
  const holder = truth.taken.find(({ second, thing }) => second >= began && second <= letter.second - onTheWay && covers(thing, about, truth));
  return holder ? { kind: 'who has it', truth: `${holder.by} has it since ${clockAt(holder.second)}` } : null;
}

/** Whether somebody who has taken one thing has another: the same, or a part of it. */
function covers(taken: Thing, about: Thing, truth: Truth): boolean {
  if (taken.id === about.id) return true;
  if (taken.is === 'camera') return false;
  const there = new Set(truth.members(taken));
  return truth.members(about).every((deviceId) => there.has(deviceId));
}

/** Also what has become at most twice as wide since. */
function coversAlso(taken: Thing, about: Thing, truth: Truth): boolean {
  return covers(taken, about, truth) || (covers(about, taken, truth) && truth.members(about).length <= 2 * truth.members(taken).length);
}

const wordsOf: [RegExp, (troubles: { kind: string }) => boolean][] = [
  [/memory/, ({ kind }) => kind === 'memory'],
  [/storage/, ({ kind }) => kind === 'storage'],
  [/network/, ({ kind }) => kind === 'network'],
  [/certificate/, ({ kind }) => kind === 'certificate'],
  [/sign-in/, ({ kind }) => kind === 'sign-ins'],
  [/broker/, ({ kind }) => kind === 'broker'],
];

/** The counts of a digest: no more may have begun, ended or be open than truly did or are. */
function judgeTally(claim: Claim & { says: 'tally' }, letter: Told, known: Known): Against {
  const { truth, script, letters } = known;
  const { second, channel, to } = letter;
  if (claim.what === 'sms-in-hour') {
    const sent = letters.filter((each) => each.channel === 'sms' && each.to === to && each.second < second && each.second > second - 3600).length;
    return Math.abs(sent - claim.number) <= 1 ? null : { kind: 'tally', truth: `${sent} messages in the hour before` };
  }
  const reach = second - tallyReach[channel];
  const isEnd = claim.what === 'over' || claim.what === 'came and went';
  const isFit = ({ from, to: end }: Span) =>
    isEnd ? end <= second && end > reach - countsAfter : from <= second - countsAfter + onTheWay && end > reach;
  const lost = script.cameras.flatMap(({ deviceId, groupId }) => truth.spansOf(deviceId).filter((span) => span.to - span.from >= countsAfter && isFit(span)).map(() => groupId));
  const blinking = script.cameras.flatMap(({ deviceId, groupId }) => {
    const ends = truth.spansOf(deviceId).filter((span) => span.to <= second && span.to > second - 4 * 3600);
    return ends.length >= 3 ? [groupId] : [];
  });
  const troubled = script.troubles.filter(({ from, to: end, kind }) => (kind === 'broker' || kind === 'sign-ins' ? from <= second : isFit({ from: from - countsAfter, to: end }) || (isEnd && from <= second && end > reach)));
  const groupsOf = [...lost, ...blinking, ...troubled.map(({ deviceId }) => truth.cameras.get(deviceId)?.groupId ?? '')];
  const most = (what: string): number => {
    if (/offline/.test(what)) return lost.length;
    if (/unstable/.test(what)) return blinking.length;
    const words = wordsOf.find(([each]) => each.test(what));
    if (words) return troubled.filter(words[1]).length;
    return groupsOf.filter((group) => group === what).length;
  };
  const wrong = [{ what: '', number: claim.number, most: groupsOf.length }, ...claim.parts.map((part) => ({ ...part, most: most(part.what) }))].filter((part) => part.number > part.most);
  return wrong.length === 0 ? null : { kind: 'tally', truth: wrong.map(({ what, most: real }) => `at most ${real} ${what || 'in all'}`).join(', ') };
}

function lastWhole(place: Thing, second: number, truth: Truth): Whole | null {
  return truth.wholesOf(place).findLast(({ began }) => began.from <= second) ?? null;
}

function darkMinutes(about: Thing, second: number, minutes: number, truth: Truth): number {
  const spans = about.is === 'camera' ? truth.spansOf(about.id) : truth.wholesOf(about).map(({ began, ended }) => ({ from: began.to, to: ended?.from ?? Number.POSITIVE_INFINITY }));
  const from = second - minutes * minute;
  return Math.round(spans.reduce((sum, span) => sum + Math.max(0, Math.min(second, span.to) - Math.max(from, span.from)), 0) / minute);
}

/** Openings of things that are over, whose end was not told to the same receiver under the same name. */
function unendedOf(script: Script, truth: Truth, letters: readonly Told[]): string[] {
  const missing: string[] = [];
  for (const [to, own] of Map.groupBy(letters, (letter) => letter.to)) {
    const open = new Map<string, { thing: Thing; second: number }>();
    let counted = 0;
    for (const { read, second } of own) {
      const begins = (thing: Thing) => open.set(thing.id, { thing, second });
      const ends = (thing: Thing) => open.delete(thing.id);
      if (read.kind === 'digest') {
        for (const claim of read.claims) {
          if (claim.says === 'tally' && (claim.what === 'over' || claim.what === 'came and went') && claim.parts.length === 0) counted += claim.number;
          if (claim.about && (claim.says === 'over' || claim.says === 'joined')) ends(claim.about);
          if (claim.about && claim.says === 'dark') begins(claim.about);
        }
      } else if (read.subject && (read.kind === 'began' || read.kind === 'urges')) begins(read.subject);
      else if (read.subject && read.kind === 'ended') ends(read.subject);
    }
    const isOver = ({ thing, second }: { thing: Thing; second: number }) => {
      const at = script.seconds - settled;
      if (second > at) return false;
      if (thing.is === 'place') return seconds(script.seconds, settled).every((each) => truth.darkAt(thing, each).length <= truth.members(thing).length / 10);
      const isLost = seconds(script.seconds, settled).some((each) => truth.isDark(thing.id, each));
      return !isLost && truth.troublesOf(thing.id).length === 0;
    };
    const left = [...open.values()].filter(isOver);
    for (const { thing, second } of left) {
      if (thing.is === 'camera' && counted > 0) counted -= 1;
      else missing.push(`${to}: ${thing.name}, told at ${clockAt(second)}`);
    }
  }
  return missing;
}

/** A camera that was dark for more than ten minutes, outside of maintenance. */
type Fault = Span & { deviceId: string; groupId: string; isSilent: boolean; name: string };

function faultsOf(script: Script, truth: Truth): Fault[] {
  return script.cameras.flatMap(({ deviceId, groupId, isSilent, name, site }) =>
    truth.spansOf(deviceId).flatMap(({ from, to }) => {
      const window = script.windows.find((each) => each.place === site && each.from <= from && from < each.to);
      const begins = window ? window.to : from;
      const isFault = Math.min(to, script.seconds) - begins > 10 * minute && begins < script.seconds - settled;
      return isFault ? [{ deviceId, groupId, isSilent, name, from: begins, to }] : [];
    }),
  );
}

const isNews = ({ read }: Told) => read.kind !== 'limit' && read.kind !== 'other';

/** Whether a message names a camera, or a place that contains it. */
function names({ read }: Told, deviceId: string, truth: Truth): boolean {
  const things = [read.subject, ...read.claims.filter(({ says }) => says === 'dark' || says === 'of' || says === 'returned').map(({ about }) => about)];
  return things.some((thing) => thing && (thing.id === deviceId || (thing.is === 'place' && containing(thing, truth).has(deviceId))));
}

const sets = new WeakMap<Truth, Map<string, Set<string>>>();
function containing(thing: Thing, truth: Truth): Set<string> {
  const known = sets.get(truth) ?? new Map<string, Set<string>>();
  sets.set(truth, known);
  const found = known.get(thing.id) ?? new Set(truth.members(thing));
  known.set(thing.id, found);
  return found;
}

/** Faults that no mail told while they lasted, by name, by their place or within a count. */
function toldByMail(script: Script, truth: Truth, letters: readonly Told[]): Pick<Verdict, 'untold' | 'faults'> {
  const faults = faultsOf(script, truth);
  const mails = letters.filter((letter) => letter.channel === 'email' && isNews(letter));
  const reaches = (mail: Told, { groupId }: Fault) => mail.team.groups === null || mail.team.groups.includes(groupId);
  const inTime = (mail: Told, { from, to }: Fault) => mail.second >= from && mail.second <= to + 10 * minute;
  // One word that it comes and goes tells of all that follow.
  const inSeries = (mail: Told, { deviceId, from }: Fault) =>
    mail.second >= from - 3600 && mail.second <= from && mail.read.subject?.id === deviceId && mail.read.claims.some(({ says }) => says === 'returned');
  const missing = faults.filter((fault) => !mails.some((mail) => reaches(mail, fault) && ((inTime(mail, fault) && names(mail, fault.deviceId, truth)) || inSeries(mail, fault))));
  const digests = mails.flatMap((mail) =>
    mail.read.claims.flatMap((claim) => {
      const offline = claim.says === 'tally' && claim.what !== 'over' ? claim.parts.find(({ what }) => what === 'offline') : undefined;
      return offline && claim.says === 'tally' ? [{ mail, room: offline.number, groups: claim.parts }] : [];
    }),
  );
  const untold = missing.filter((fault) => {
    const digest = digests.find(({ mail, room, groups }) => room > 0 && reaches(mail, fault) && inTime(mail, fault) && groups.some(({ what }) => what === fault.groupId));
    if (digest) digest.room -= 1;
    return !digest;
  });
  return { faults: faults.length, untold: untold.map(({ name, from, to }) => `${name}, dark ${clockAt(from)} to ${Number.isFinite(to) ? clockAt(to) : 'the end'}`) };
}

/** Outages that reached the phone of those who serve them too late, or never. */
function toldByPhone(script: Script, truth: Truth, letters: readonly Told[]): Pick<Verdict, 'late' | 'outagesToTell'> {
  const late: string[] = [];
  const flap = script.outages.find(({ isFlap, from, to }) => isFlap && to - from > phoneWithin);
  const outages = script.outages.filter((outage) => !outage.isFlap || outage === flap);
  let outagesToTell = 0;
  for (const outage of outages)
    for (const team of script.teams.filter(({ groups, isBehind }) => groups !== null || !isBehind)) {
      const own = ownAt(outage, team, script);
      if (own.length < 3) continue;
      outagesToTell += 1;
      const { from, deadline } = deadlineOf(outage, script);
      const first = letters.find(
        (letter) => letter.channel === 'sms' && letter.team === team && letter.second >= from && letter.second <= outage.to && tellsOutage(letter, own, truth),
      );
      if (first && first.second <= deadline) continue;
      late.push(`${outage.name} at ${outage.place} to ${team.name}: ${first ? `after ${((first.second - from) / minute).toFixed(1)} min` : 'never'}`);
    }
  return { late, outagesToTell };
}

function ownAt({ place }: Outage, team: Team, script: Script): string[] {
  const there = new Set(script.places.find(({ id }) => id === place)?.cameras);
  return script.cameras.filter(({ deviceId, groupId }) => there.has(deviceId) && serves(team, groupId, script)).map(({ deviceId }) => deviceId);
}

function deadlineOf(outage: Outage, { windows }: Script): { from: number; deadline: number } {
  const window = windows.find(({ place, from, to }) => place === outage.place && from <= outage.from && outage.from < to);
  const from = window ? window.to : outage.from;
  return { from, deadline: from + (outage.isSilent ? silentAfter + silenceWithin : phoneWithin) };
}

/** Whether a message names a place that contains at least half of the reader's cameras there. */
function tellsOutage(letter: Told, own: readonly string[], truth: Truth): boolean {
  if (letter.read.kind === 'ended') return false;
  const places = letter.read.claims.flatMap(({ about, says }) => (about?.is === 'place' && (says === 'dark' || says === 'returned' || says === 'of' || says === 'first') ? [about] : []));
  return places.some((place) => own.filter((deviceId) => containing(place, truth).has(deviceId)).length >= own.length / 2);
}

/** Cameras without a last will whose silence was told later by mail than it must be. */
function silencesOf(script: Script, truth: Truth, letters: readonly Told[]): Pick<Verdict, 'lateSilences' | 'silencesToTell'> {
  const within = silentAfter + silenceWithin;
  const faults = faultsOf(script, truth).filter(({ isSilent, from, to }) => isSilent && Math.min(to, script.seconds) - from > within);
  const mails = letters.filter((letter) => letter.channel === 'email' && isNews(letter));
  const late = faults.flatMap(({ deviceId, name, from }) => {
    const first = mails.find((mail) => mail.second >= from && names(mail, deviceId, truth));
    if (first && first.second <= from + within) return [];
    return [`${name}: ${first ? `after ${((first.second - from) / minute).toFixed(1)} min` : 'never'}`];
  });
  return { lateSilences: late, silencesToTell: faults.length };
}

function loneMinutesOf(script: Script, truth: Truth, letters: readonly Told[]): number[] {
  const mails = letters.filter((letter) => letter.channel === 'email' && letter.read.kind === 'began' && letter.read.subject?.is === 'camera');
  return faultsOf(script, truth).flatMap(({ deviceId, from, to, isSilent }) => {
    const first = mails.find((mail) => mail.second >= from && mail.second <= to && mail.read.subject?.id === deviceId);
    return first && !isSilent ? [(first.second - from) / minute] : [];
  });
}

type Body = Record<string, any>;

/** Events of endpoints and hand-offs: nothing of other groups, true beginnings, and an end for each beginning. */
function judgeCalls(script: Script, truth: Truth, { calls }: Lived, things: ReadonlyMap<string, Thing>): Finding[] {
  const findings: Finding[] = [];
  for (const [to, own] of Map.groupBy(calls, (call) => call.to)) {
    const team = script.teams.find(({ name }) => to.includes(`${name}.hooks`));
    const open = new Map<string, { second: number; thing: Thing | null; body: Body }>();
    for (const { second, body } of own.toSorted((a, b) => a.second - b.second)) {
      const note = (claim: string, isTrue: string) =>
        findings.push({ kind: 'event', second, to, claim, truth: isTrue, text: JSON.stringify(body).slice(0, 600) });
      const { key, change, thing, groups, startedAt } = shapeOf(body, things);
      if (key === null) continue;
      if (change === 'resolved' || change === 'resolve') open.delete(key);
      else if (['opened', 'reopened', 'trigger'].includes(change)) open.set(key, { second, thing, body });
      if (team?.groups && groups.some((group) => !team.groups?.includes(group))) note(`${change} for ${groups}`, `${team.name} may see only ${team.groups}`);
      if (thing?.is === 'place' && startedAt !== null && change === 'opened') {
        const whole = truth.wholesOf(thing).findLast(({ began }) => began.from <= second);
        if (!whole || startedAt < whole.began.from - clockSlack || startedAt > whole.began.to + clockSlack)
          note(`${thing.name} since ${clockAt(startedAt)}`, whole ? `dark since ${clockAt(whole.began.from)}` : 'never dark');
      }
    }
    for (const { second, thing, body } of open.values()) {
      if (!thing || second > script.seconds - settled) continue;
      const isOver = thing.is === 'place' ? seconds(script.seconds, settled).every((at) => truth.darkAt(thing, at).length <= truth.members(thing).length / 10) : seconds(script.seconds, settled).every((at) => !truth.isDark(thing.id, at)) && truth.troublesOf(thing.id).length === 0;
      if (isOver) findings.push({ kind: 'event', second, to, claim: `${thing.name} opened, never resolved`, truth: 'it is over', text: JSON.stringify(body).slice(0, 600) });
    }
  }
  return findings;
}

function shapeOf(body: Body, things: ReadonlyMap<string, Thing>): { key: string | null; change: string; thing: Thing | null; groups: string[]; startedAt: number | null } {
  const at = (text: unknown) => (typeof text === 'string' ? (Date.parse(text) - nightBegins) / 1000 : null);
  if (body['eventType'] === 'incident') {
    const { incidentId, scope, groups, startedAt } = body['incident'];
    return { key: incidentId, change: body['change'], thing: things.get(scope?.id) ?? null, groups, startedAt: at(startedAt) };
  }
  if (body['eventType'] === 'alert') {
    const { alertId, deviceId, groupId } = body['alert'];
    return { key: alertId, change: body['change'], thing: things.get(deviceId) ?? null, groups: [groupId], startedAt: null };
  }
  if (typeof body['dedup_key'] !== 'string') return { key: null, change: '', thing: null, groups: [], startedAt: null };
  const id = body['payload']?.component ?? body['payload']?.source;
  return { key: body['dedup_key'], change: body['event_action'], thing: things.get(id) ?? null, groups: [], startedAt: null };
}

const clocks = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

/** The clock of a second of the night. */
export function clockAt(second: number): string {
  return clocks.format(nightBegins + second * 1000);
}

/** Whether a clock, read at a second, lies in a span, within the minute that a clock without seconds leaves open. */
function isNear(text: string | null, { from, to }: Span, second: number): boolean {
  const [hours, minutes] = (/(\d\d):(\d\d)$/.exec(text ?? '') ?? []).slice(1).map(Number);
  if (hours === undefined || minutes === undefined) return false;
  const [nowHours = 0, nowMinutes = 0] = clockAt(second + clockSlack).split(':').map(Number);
  const back = (nowHours * 60 + nowMinutes - hours * 60 - minutes + 1440) % 1440;
  const meant = Math.floor((second + clockSlack) / 60) * 60 - back * 60;
  return meant <= to + clockSlack && meant + 60 >= from - clockSlack;
}

function spansText(spans: readonly Span[], second: number): string {
  const past = spans.filter(({ from }) => from <= second).slice(-3);
  if (past.length === 0) return 'never was';
  return past.map(({ from, to }) => `${clockAt(from)} to ${to <= second ? clockAt(to) : 'now'}`).join(', ');
}
