import {
  type Against,
  countsAfter,
  type Known,
  lastWhole,
  lookAge,
  onTheWay,
  seconds,
  serves,
  type Told,
  tallyReach,
} from './letters.ts';
import type { Claim, Thing } from './reader.ts';
import type { Span } from './script.ts';
import type { Truth } from './truth.ts';

/** Cameras of a place that were dark for another reason when it went dark. */
function darkBefore(place: Thing, second: number, truth: Truth): string[] {
  const whole = lastWhole(place, second, truth);
  if (!whole) return [];
  const own = new Set(whole.spans.map(({ deviceId }) => deviceId));
  const then = truth.darkAt(place, whole.began.to).map(({ deviceId }) => deviceId);
  return then.filter((deviceId) => !own.has(deviceId));
}

/** The sets of cameras that a message about a place may speak of: all, or those of its reader. */
function setsOf(place: Thing, { second, team, read }: Told, { truth, script }: Known): Set<string>[] {
  const all = truth.members(place);
  const own = all.filter((deviceId) => serves(team, truth.cameras.get(deviceId)?.groupId ?? '', script));
  const says = (what: string) => read.claims.some((claim) => claim.says === 'number' && claim.what === what);
  // Only a message that says so beside it may leave these out.
  const beside = new Set([
    ...(says('in-maintenance') ? truth.inMaintenance(place, second) : []),
    ...(says('dark-before') ? darkBefore(place, second, truth) : []),
  ]);
  const sets = own.length > 0 && own.length < all.length ? [all, own] : [all];
  return [...sets, ...(beside.size > 0 ? sets.map((set) => set.filter((each) => !beside.has(each))) : [])].map(
    (set) => new Set(set),
  );
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

export function judgeShare(about: Thing, claim: Extract<Claim, { says: 'of' }>, letter: Told, known: Known): Against {
  const { truth } = known;
  const place = placeOf(about, known);
  const whole = lastWhole(place, letter.second, truth);
  const isOld = claim.what === 'once-dark';
  const ats = seconds(letter.second, isOld && whole ? letter.second - whole.began.from : lookAge);
  const seen: string[] = [];
  let isTotal = false;
  for (const set of setsOf(place, letter, known)) {
    const here =
      claim.what === 'elsewhere' && letter.read.subject ? minus(set, truth.members(letter.read.subject)) : set;
    const darkIn = (at: number) => truth.darkAt(place, at).filter(({ deviceId }) => here.has(deviceId)).length;
    const newIn = (at: number) =>
      (whole?.spans ?? []).filter(({ deviceId, from, to }) => here.has(deviceId) && from <= at && at < to).length;
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

export function judgeNumber(
  about: Thing,
  claim: Extract<Claim, { says: 'number' }>,
  letter: Told,
  known: Known,
): Against {
  const { truth } = known;
  const place = placeOf(about, known);
  const whole = lastWhole(place, letter.second, truth);
  const ats = seconds(letter.second, lookAge);
  const all = setsOf(place, letter, known);
  const ranges = all.map((set): [number, number] => {
    const dark = rangeOf(ats, (at) => truth.darkAt(place, at).filter(({ deviceId }) => set.has(deviceId)).length);
    const left = rangeOf(
      ats,
      (at) =>
        (whole?.spans ?? []).filter(({ deviceId, from, to }) => set.has(deviceId) && from <= at && at < to).length,
    );
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
        return rangeOf(
          [letter.second],
          () => darkBefore(place, letter.second, truth).filter((each) => set.has(each)).length,
        );
    }
  });
  if (ranges.some(([least, most]) => claim.number >= least && claim.number <= most)) return null;
  const shown = ranges.map(([least, most]) => (least === most ? most : `${least} to ${most}`));
  return { kind: 'count', truth: `at ${place.name}: ${[...new Set(shown)].join(' or ')}, ${claim.what}` };
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
export function judgeTally(claim: Extract<Claim, { says: 'tally' }>, letter: Told, known: Known): Against {
  const { truth, script, letters } = known;
  const { second, channel, to } = letter;
  if (claim.what === 'sms-in-hour') {
    const sent = letters.filter(
      (each) => each.channel === 'sms' && each.to === to && each.second < second && each.second > second - 3600,
    ).length;
    return Math.abs(sent - claim.number) <= 1 ? null : { kind: 'tally', truth: `${sent} messages in the hour before` };
  }
  const reach = second - tallyReach[channel];
  const isEnd = claim.what === 'over' || claim.what === 'came and went';
  const isFit = ({ from, to: end }: Span) =>
    isEnd ? end <= second && end > reach - countsAfter : from <= second - countsAfter + onTheWay && end > reach;
  const lost = script.cameras.flatMap(({ deviceId, groupId }) =>
    truth
      .spansOf(deviceId)
      .filter((span) => span.to - span.from >= countsAfter && isFit(span))
      .map(() => groupId),
  );
  const blinking = script.cameras.flatMap(({ deviceId, groupId }) => {
    const ends = truth.spansOf(deviceId).filter((span) => span.to <= second && span.to > second - 4 * 3600);
    return ends.length >= 3 ? [groupId] : [];
  });
  const troubled = script.troubles.filter(({ from, to: end, kind }) =>
    kind === 'broker' || kind === 'sign-ins'
      ? from <= second
      : isFit({ from: from - countsAfter, to: end }) || (isEnd && from <= second && end > reach),
  );
  const groupsOf = [
    ...lost,
    ...blinking,
    ...troubled.map(({ deviceId }) => truth.cameras.get(deviceId)?.groupId ?? ''),
  ];
  const most = (what: string): number => {
    if (/offline/.test(what)) return lost.length;
    if (/unstable/.test(what)) return blinking.length;
    const words = wordsOf.find(([each]) => each.test(what));
    if (words) return troubled.filter(words[1]).length;
    return groupsOf.filter((group) => group === what).length;
  };
  const wrong = [
    { what: '', number: claim.number, most: groupsOf.length },
    ...claim.parts.map((part) => ({ ...part, most: most(part.what) })),
  ].filter((part) => part.number > part.most);
  return wrong.length === 0
    ? null
    : { kind: 'tally', truth: wrong.map(({ what, most: real }) => `at most ${real} ${what || 'in all'}`).join(', ') };
}
