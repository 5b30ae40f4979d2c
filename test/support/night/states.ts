import { clockAt, isNear, spansText } from './clock.ts';
import {
  type Against,
  digestAge,
  isWithin,
  type Known,
  lastWhole,
  lookAge,
  onTheWay,
  seconds,
  type Told,
} from './letters.ts';
import type { Claim, Thing } from './reader.ts';
import { periodsOf } from './times.ts';
import type { Truth } from './truth.ts';

export function judgeDark(about: Thing, { sentence }: Claim, { second, read }: Told, truth: Truth): Against {
  if (about.is === 'camera') {
    const isTrue = isWithin(second, read.kind === 'digest' ? digestAge : onTheWay, (at) => truth.isDark(about.id, at));
    return isTrue
      ? null
      : { kind: 'state', truth: `${about.name} is not dark: ${spansText(truth.spansOf(about.id), second)}` };
  }
  const total = truth.members(about).length;
  const isPart = /\bback\b|still dark/i.test(sentence);
  const share = (at: number) => (truth.darkAt(about, at).length + truth.inMaintenance(about, at).length) / total;
  if (isWithin(second, lookAge, (at) => share(at) > (isPart ? 0 : 0.5))) return null;
  return {
    kind: 'place',
    truth: `${truth.darkAt(about, second).length} of ${total} cameras of ${about.name} are dark`,
  };
}

export function judgeOver(about: Thing, { second, read }: Told, truth: Truth): Against {
  if (about.is === 'camera') {
    const isTrue = isWithin(second, read.kind === 'digest' ? digestAge : onTheWay, (at) => !truth.isDark(about.id, at));
    return isTrue
      ? null
      : { kind: 'over', truth: `${about.name} is dark: ${spansText(truth.spansOf(about.id), second)}` };
  }
  const whole = lastWhole(about, second, truth);
  if (!whole) return { kind: 'place', truth: `${about.name} was never dark` };
  const left = (at: number) => whole.spans.filter(({ from, to }) => from <= at && at < to).length;
  const least = Math.min(...seconds(second, lookAge).map(left));
  const isSaid = read.claims.some((claim) => claim.says === 'number' && claim.what === 'still-dark');
  return least < whole.spans.length / 10 || isSaid
    ? null
    : { kind: 'over', truth: `${least} of its ${whole.spans.length} are still dark` };
}

export function judgeReturn(about: Thing, { second, read }: Told, truth: Truth): Against {
  // A trouble that comes and goes is a matter of values, which the script does not make.
  if (read.claims.some(({ says }) => says === 'trouble')) return null;
  const before = about.is === 'camera' ? truth.spansOf(about.id) : truth.wholesOf(about).map(({ began }) => began);
  const count = before.filter(({ from }) => from <= second).length;
  return count >= 2 ? null : { kind: 'state', truth: `${about.name} was dark ${count} times` };
}

/** How often something was dark, and how much earlier than the subject of the message it began. */
export function judgeSeries(
  about: Thing,
  claim: Extract<Claim, { says: 'times' }> | Extract<Claim, { says: 'earlier' }>,
  letter: Told,
  truth: Truth,
): Against {
  const periods = periodsOf(about, letter, truth);
  if (claim.says === 'times')
    return periods.length === claim.number ? null : { kind: 'tally', truth: `it was dark ${periods.length} times` };
  const { subject } = letter.read;
  const began = subject ? periodsOf(subject, letter, truth).at(-1)?.began : undefined;
  if (!began) return { kind: 'since', truth: `${subject?.name} was never dark` };
  const minutes = periods.map((each) => (began.from - each.began.from) / 60);
  const isTrue = minutes.some((each) => Math.abs(each - claim.minutes) <= 2);
  return isTrue ? null : { kind: 'since', truth: `${minutes.map(Math.round).join(' or ')} min earlier` };
}

export function judgeTrouble(
  about: Thing,
  claim: Extract<Claim, { says: 'trouble' }>,
  { second, read }: Told,
  truth: Truth,
): Against {
  const age = read.kind === 'digest' ? digestAge : onTheWay;
  if (claim.kind === 'unstable') {
    const ends = truth.spansOf(about.id).filter(({ to }) => to <= second && to > second - 4 * 3600);
    return ends.length >= 3
      ? null
      : { kind: 'trouble', truth: `${about.name} came back ${ends.length} times in four hours` };
  }
  const own = truth.troublesOf(about.id).filter(({ kind }) => kind === claim.kind);
  if (!own.some(({ from }) => from <= second))
    return { kind: 'trouble', truth: `${about.name} never had trouble with ${claim.kind}` };
  // What happened once has no end of its own.
  if (claim.kind === 'broker' || claim.kind === 'sign-ins') return null;
  const isBad = (at: number) => own.some(({ from, to }) => from <= at && at < to);
  const isTrue = isWithin(second, age, (at) => isBad(at) !== claim.isOver);
  return isTrue
    ? null
    : { kind: 'trouble', truth: `${claim.kind} of ${about.name} is ${isBad(second) ? '' : 'no longer '}bad` };
}

const isAboutTrouble = ({ read }: Told) => read.claims.some(({ says }) => says === 'trouble');

export function judgeHolder(
  about: Thing,
  claim: Extract<Claim, { says: 'has-it' | 'had-it' }>,
  letter: Told,
  truth: Truth,
): Against {
  const { second } = letter;
  const own = truth.taken.filter(
    (each) =>
      each.second <= second && each.isTrouble === isAboutTrouble(letter) && coversAlso(each.thing, about, truth),
  );
  const isTrue = own.some(
    ({ by, second: at }) =>
      claim.who.includes(by) && (claim.since === null || isNear(claim.since, { from: at, to: at }, second)),
  );
  if (isTrue) return null;
  const real = own.map(({ by, second: at }) => `${by} at ${clockAt(at)}`).join(', ');
  return { kind: 'who has it', truth: `taken by ${real || 'nobody'}` };
}

export function judgeNobody(about: Thing, letter: Told, { truth, letters }: Known): Against {
  const began = periodsOf(about, letter, truth).at(-1)?.began.from ?? letter.second - 4 * 3600;
  const holder = truth.taken.find(
    ({ second, thing, isTrouble }) =>
      second >= began &&
      second <= letter.second - onTheWay &&
      isTrouble === isAboutTrouble(letter) &&
      (isTrouble ? thing.id === about.id : covers(thing, about, truth)) &&
      !(isTrouble && wasOver(about, second, letter, letters)),
  );
  return holder ? { kind: 'who has it', truth: `${holder.by} has it since ${clockAt(holder.second)}` } : null;
}

/** Whether the receiver has heard since that a trouble of the same kind is over: what he hears of now is another one. */
function wasOver(about: Thing, taken: number, letter: Told, letters: readonly Told[]): boolean {
  const kindsOf = ({ read }: Told) => read.claims.flatMap((claim) => (claim.says === 'trouble' ? [claim.kind] : []));
  return letters.some(
    (each) =>
      each.to === letter.to &&
      each.second > taken &&
      each.second < letter.second &&
      each.read.kind === 'ended' &&
      each.read.subject?.id === about.id &&
      kindsOf(each).some((kind) => kindsOf(letter).includes(kind)),
  );
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
  return (
    covers(taken, about, truth) ||
    (covers(about, taken, truth) && truth.members(about).length <= 2 * truth.members(taken).length)
  );
}
