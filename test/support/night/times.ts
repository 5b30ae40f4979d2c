import { clockAt, isNear, minute } from './clock.ts';
import { type Against, type Known, onTheWay, type Told, tells } from './letters.ts';
import type { Claim, Thing } from './reader.ts';
import type { Span } from './script.ts';
import type { Truth } from './truth.ts';

type TimeClaim = Extract<Claim, { says: 'since' | 'first' | 'until' | 'lasted' }>;

/** The periods that a time can refer to, the latest last: of a camera, of a place, or of another trouble. */
export function periodsOf(about: Thing, { second, read }: Told, truth: Truth): { began: Span; ended: Span | null }[] {
  const trouble = read.claims.find((claim) => claim.says === 'trouble' && claim.about?.id === about.id);
  if (trouble?.says === 'trouble') {
    if (trouble.kind === 'unstable') return [];
    return truth
      .troublesOf(about.id)
      .filter(({ from }) => from <= second)
      .map(({ from, to }) => ({ began: { from, to: from }, ended: { from: to, to: to + 2 * 3600 } }));
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

export function judgeTime(about: Thing, claim: TimeClaim, letter: Told, known: Known): Against {
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
  const text = periods
    .map(({ began, ended }) => `${clockAt(began.to)} to ${ended ? clockAt(ended.from) : 'now'}`)
    .slice(-4)
    .join(', ');
  if (claim.says === 'first') {
    const isTrue = claim.of !== 'spell' || periods.some(({ began }) => isNear(claim.at, began, letter.second));
    return isTrue ? null : { kind: 'since', truth: `${about.name} was dark ${text}` };
  }
  if (claim.says === 'since') {
    const isTrue = isEnd
      ? periods.some(({ began }) => isNear(claim.at, began, letter.second))
      : latest && isNear(claim.at, latest.began, letter.second);
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
  return claim.minutes >= least && claim.minutes <= most
    ? null
    : { kind: 'lasted', truth: `${about.name} was dark ${text}` };
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
  return {
    kind: 'unanswered',
    truth:
      first === undefined
        ? 'nobody had been told'
        : `people were told ${Math.round((letter.second - first) / minute)} min ago`,
  };
}

export function darkMinutes(about: Thing, second: number, minutes: number, truth: Truth): number {
  const spans =
    about.is === 'camera'
      ? truth.spansOf(about.id)
      : truth
          .wholesOf(about)
          .map(({ began, ended }) => ({ from: began.to, to: ended?.from ?? Number.POSITIVE_INFINITY }));
  const from = second - minutes * minute;
  return Math.round(
    spans.reduce((sum, span) => sum + Math.max(0, Math.min(second, span.to) - Math.max(from, span.from)), 0) / minute,
  );
}
