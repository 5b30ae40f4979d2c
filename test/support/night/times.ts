import { clockAt, isNear, minute } from './clock.ts';
import { type Against, type Kind, type Known, onTheWay, type Told, tells } from './letters.ts';
import type { Claim, Thing } from './reader.ts';
import type { Span } from './script.ts';
import type { Truth } from './truth.ts';

type TimeClaim = Extract<Claim, { says: 'since' | 'first' | 'until' | 'lasted' }>;

/** When something began and when it ended, each as precisely as anybody can know it. Null: it lasts. */
type Period = { began: Span; ended: Span | null };

/** The periods that a time can refer to, the latest last: of a camera, of a place, or of another trouble. */
export function periodsOf(about: Thing, { second, read }: Told, truth: Truth): Period[] {
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

/** Whether a bound of the last report lies so many minutes around the beginning: who reports each minute reported in the minute before it. */
function isLastReport(
  at: string,
  { began: { to } }: Period,
  [from, until]: [number, number],
  { second }: Told,
): boolean {
  return isNear(at, { from: to + from * minute, to: to + until * minute }, second);
}

export function judgeTime(about: Thing, claim: TimeClaim, letter: Told, known: Known): Against {
  if (claim.says === 'lasted' && claim.of === 'unanswered') return judgeSilence(about, claim.minutes, letter, known);
  const periods = periodsOf(about, letter, known.truth);
  const latest = periods.at(-1);
  if (!latest) {
    const isUnstable = letter.read.claims.some((each) => each.says === 'trouble' && each.kind === 'unstable');
    return isUnstable ? null : { kind: 'since', truth: `${about.name} was never dark` };
  }
  const near = (at: string | null, span: Span | null | undefined) => !!span && isNear(at, span, letter.second);
  const isEnd = letter.read.kind === 'ended' || (claim.says === 'since' && claim.of === 'over');
  const isOneOfSeveral = isEnd || knowsSeries(about, letter, known);
  const started = periods.findLast(({ began }) => near(claimed(letter, 'since', about), began)) ?? latest;
  // Who has been told that it comes and goes reads one span from its first beginning to its last end.
  const ended = knowsSeries(about, letter, known) ? latest.ended : started.ended;
  const wrong = (kind: Kind): Against => ({ kind, truth: `${about.name} was dark ${spelled(periods)}` });
  switch (claim.says) {
    case 'first':
      if (claim.of === 'report') return isLastReport(claim.at, latest, [-3, 0], letter) ? null : wrong('since');
      return claim.of !== 'spell' || periods.some(({ began }) => near(claim.at, began)) ? null : wrong('since');
    case 'since':
      return (isOneOfSeveral ? periods : [latest]).some(({ began }) => near(claim.at, began)) ? null : wrong('since');
    case 'until':
      if (claim.of === 'report') return isLastReport(claim.at, latest, [-1, 3], letter) ? null : wrong('since');
      return claim.of !== 'span' || near(claim.at, ended) ? null : wrong('until');
    default:
      return isTrueLength(claim.minutes, { began: started.began, ended }, isEnd, letter.second)
        ? null
        : wrong('lasted');
  }
}

function isTrueLength(minutes: number, { began, ended }: Period, isEnd: boolean, second: number): boolean {
  // "for more than 5 minutes"
  if (!isEnd) return second - began.from >= minutes * minute - onTheWay;
  const end = ended ?? { from: second, to: second };
  return minutes >= (end.from - began.to) / minute - 2 && minutes <= (end.to - began.from) / minute + 2;
}

function spelled(periods: readonly Period[]): string {
  const texts = periods.map(({ began, ended }) => `${clockAt(began.to)} to ${ended ? clockAt(ended.from) : 'now'}`);
  return texts.slice(-4).join(', ');
}

/** Whether the reader of a message knows from it, or from an earlier one, that this comes and goes. */
function knowsSeries(about: Thing, letter: Told, { letters }: Known): boolean {
  const tellsIt = ({ read }: Told) =>
    read.claims.some(
      ({ says, about: of }) =>
        of?.id === about.id && (says === 'returned' || says === 'times' || says === 'dark-of-last'),
    );
  return (
    tellsIt(letter) || letters.some((each) => each.to === letter.to && each.second < letter.second && tellsIt(each))
  );
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
