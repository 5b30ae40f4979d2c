import { clockAt, minute } from './clock.ts';
import type { Verdict } from './judge.ts';
import { containing, isNews, names, seconds, serves, type Told } from './letters.ts';
import type { Claim, Thing } from './reader.ts';
import type { Outage, Script, Span, Team } from './script.ts';
import type { Truth } from './truth.ts';

const phoneWithin = 8 * minute;

const silenceWithin = 6 * minute;

/** Of cameras that report each minute: 300 s and two periods. */
const silentAfter = 300 + 2 * 60;

const settled = 20 * minute;

/** What comes and goes stays open until half an hour is quiet; three times within 90 minutes is that. */
const seriesQuiet = 30 * minute;
const seriesWindow = 90 * minute;

/** What was opened: by its name, and for a camera with the trouble, since it may have several. */
type Opened = { thing: Thing; trouble: string | null; second: number };

/** Openings of things that are over, whose end was not told to the same receiver under the same name. */
export function unendedOf(script: Script, truth: Truth, letters: readonly Told[]): string[] {
  return [...Map.groupBy(letters, (letter) => letter.to)].flatMap(([to, own]) => {
    const { open, counted } = openAfter(own);
    let credit = counted;
    const left = open
      .filter((each) => isOver(each, script, truth))
      .filter(({ thing }) => {
        // A digest counts the ends of cameras, but names each place.
        const isCounted = thing.is === 'camera' && credit > 0;
        if (isCounted) credit -= 1;
        return !isCounted;
      });
    return left.map(({ thing, second }) => `${to}: ${thing.name}, told at ${clockAt(second)}`);
  });
}

/** What a receiver still takes for open after all messages, and how many ends were counted without a name. */
function openAfter(letters: readonly Told[]): { open: Opened[]; counted: number } {
  const open = new Map<string, Opened>();
  let counted = 0;
  for (const { read, second } of letters) {
    const isNamed = read.kind !== 'digest';
    for (const claim of read.claims) {
      if (claim.says === 'tally' && claim.what === 'over' && claim.parts.length === 0) counted += claim.number;
      if (isNamed || !claim.about) continue;
      const key = `${claim.about.id} null`;
      if (claim.says === 'over' || claim.says === 'joined') open.delete(key);
      if (claim.says === 'dark') open.set(key, { thing: claim.about, trouble: null, second });
    }
    if (!isNamed || !read.subject) continue;
    const { id } = read.subject;
    const trouble = troubleIn(read.claims, id);
    if (read.kind === 'began' || read.kind === 'urges')
      open.set(`${id} ${trouble}`, { thing: read.subject, trouble, second });
    else if (read.kind === 'ended') open.delete(`${id} ${trouble}`);
  }
  return { open: [...open.values()], counted };
}

function troubleIn(claims: readonly Claim[], id: string): string | null {
  const claim = claims.find((each) => each.says === 'trouble' && each.about?.id === id);
  return claim?.says === 'trouble' ? claim.kind : null;
}

/** Whether it was over long enough before the night ended for its end to be told. */
export function isOver({ thing, trouble, second }: Opened, { seconds: night }: Script, truth: Truth): boolean {
  if (second > night - settled) return false;
  // Reconnects are counted for an hour. An event is over when a person says so.
  if (trouble === 'unstable') return seconds(night, 80 * minute).every((at) => !truth.isDark(thing.id, at));
  if (trouble === 'broker' || trouble === 'sign-ins') return false;
  if (trouble !== null) return truth.troublesOf(thing.id).every(({ to }) => to < night - settled);
  const most = thing.is === 'place' ? truth.members(thing).length / 10 : 0;
  const quiet = settled + (comesAndGoes(thing, night, truth) ? seriesQuiet : 0);
  return seconds(night, quiet).every((at) => truth.darkAt(thing, at).length <= most);
}

/** Whether something was dark three times within 90 minutes before a second, so that one word tells of all that follows. */
function comesAndGoes(thing: Thing, second: number, truth: Truth): boolean {
  const begins =
    thing.is === 'camera'
      ? truth.spansOf(thing.id).map(({ from }) => from)
      : truth.wholesOf(thing).map(({ began }) => began.from);
  const past = begins.filter((from) => from <= second).slice(-3);
  return past.length === 3 && (past[2] ?? 0) - (past[0] ?? 0) <= seriesWindow;
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

/** Faults that no mail told while they lasted, by name, by their place or within a count. */
export function toldByMail(script: Script, truth: Truth, letters: readonly Told[]): Pick<Verdict, 'untold' | 'faults'> {
  const faults = faultsOf(script, truth);
  const mails = letters.filter((letter) => letter.channel === 'email' && isNews(letter));
  const reaches = (mail: Told, { groupId }: Fault) => mail.team.groups === null || mail.team.groups.includes(groupId);
  const inTime = (mail: Told, { from, to }: Fault) => mail.second >= from && mail.second <= to + 10 * minute;
  // One word that it comes and goes tells of all that follow, until it was quiet for half an hour.
  const inSeries = (mail: Told, { deviceId, from }: Fault) =>
    mail.second <= from &&
    mail.read.subject?.id === deviceId &&
    mail.read.claims.some(({ says }) => says === 'returned') &&
    isNeverQuiet(deviceId, mail.second, from, truth);
  const missing = faults.filter(
    (fault) =>
      !mails.some(
        (mail) =>
          reaches(mail, fault) &&
          ((inTime(mail, fault) && names(mail, fault.deviceId, truth)) || inSeries(mail, fault)),
      ),
  );
  const digests = mails.flatMap((mail) =>
    mail.read.claims.flatMap((claim) => {
      const offline =
        claim.says === 'tally' && claim.what !== 'over'
          ? claim.parts.find(({ what }) => what === 'offline')
          : undefined;
      return offline && claim.says === 'tally' ? [{ mail, room: offline.number, groups: claim.parts }] : [];
    }),
  );
  const untold = missing.filter((fault) => {
    const digest = digests.find(
      ({ mail, room, groups }) =>
        room > 0 && reaches(mail, fault) && inTime(mail, fault) && groups.some(({ what }) => what === fault.groupId),
    );
    if (digest) digest.room -= 1;
    return !digest;
  });
  return {
    faults: faults.length,
    untold: untold.map(
      ({ name, from, to }) => `${name}, dark ${clockAt(from)} to ${Number.isFinite(to) ? clockAt(to) : 'the end'}`,
    ),
  };
}

function isNeverQuiet(deviceId: string, from: number, to: number, truth: Truth): boolean {
  const ends = truth.spansOf(deviceId).filter((span) => span.to > from && span.from < to);
  const quiets = [from, ...ends.map((span) => span.to)].map((at) => {
    const next = truth.spansOf(deviceId).find((span) => span.from > at);
    return Math.min(to, next?.from ?? to) - at;
  });
  return quiets.every((quiet) => quiet < seriesQuiet);
}

/** Outages that reached the phone of those who serve them too late, or never. */
export function toldByPhone(
  script: Script,
  truth: Truth,
  letters: readonly Told[],
): Pick<Verdict, 'late' | 'outagesToTell'> {
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
        (letter) =>
          letter.channel === 'sms' &&
          letter.team === team &&
          letter.second >= from &&
          letter.second <= outage.to &&
          tellsOutage(letter, own, truth),
      );
      if ((first && first.second <= deadline) || (outage.isFlap && knowsSeries(outage, team, letters))) continue;
      late.push(
        `${outage.name} at ${outage.place} to ${team.name}: ${first ? `after ${((first.second - from) / minute).toFixed(1)} min` : 'never'}`,
      );
    }
  return { late, outagesToTell };
}

/** Whether the last that a phone had of a place, before it was dark once more, says that it comes and goes: that is told once. */
function knowsSeries({ place, from }: Outage, team: Team, letters: readonly Told[]): boolean {
  const last = letters.findLast(
    (letter) =>
      letter.channel === 'sms' &&
      letter.team === team &&
      letter.second < from &&
      letter.read.subject?.id === `site ${place}`,
  );
  return last !== undefined && last.read.kind !== 'ended' && last.read.claims.some(({ says }) => says === 'returned');
}

function ownAt({ place }: Outage, team: Team, script: Script): string[] {
  const there = new Set(script.places.find(({ id }) => id === place)?.cameras);
  return script.cameras
    .filter(({ deviceId, groupId }) => there.has(deviceId) && serves(team, groupId, script))
    .map(({ deviceId }) => deviceId);
}

function deadlineOf(outage: Outage, { windows }: Script): { from: number; deadline: number } {
  const window = windows.find(
    ({ place, from, to }) => place === outage.place && from <= outage.from && outage.from < to,
  );
  const from = window ? window.to : outage.from;
  return { from, deadline: from + (outage.isSilent ? silentAfter + silenceWithin : phoneWithin) };
}

/** Whether a message names a place that contains at least half of the reader's cameras there. */
function tellsOutage(letter: Told, own: readonly string[], truth: Truth): boolean {
  if (letter.read.kind === 'ended') return false;
  const places = letter.read.claims.flatMap(({ about, says }) =>
    about?.is === 'place' && (says === 'dark' || says === 'returned' || says === 'of' || says === 'first')
      ? [about]
      : [],
  );
  return places.some(
    (place) => own.filter((deviceId) => containing(place, truth).has(deviceId)).length >= own.length / 2,
  );
}

/** Cameras without a last will whose silence was told later by mail than it must be. */
export function silencesOf(
  script: Script,
  truth: Truth,
  letters: readonly Told[],
): Pick<Verdict, 'lateSilences' | 'silencesToTell'> {
  const within = silentAfter + silenceWithin;
  const faults = faultsOf(script, truth).filter(
    ({ isSilent, from, to }) => isSilent && Math.min(to, script.seconds) - from > within,
  );
  const mails = letters.filter((letter) => letter.channel === 'email' && isNews(letter));
  const late = faults.flatMap(({ deviceId, name, from }) => {
    const first = mails.find((mail) => mail.second >= from && names(mail, deviceId, truth));
    if (first && first.second <= from + within) return [];
    return [`${name}: ${first ? `after ${((first.second - from) / minute).toFixed(1)} min` : 'never'}`];
  });
  return { lateSilences: late, silencesToTell: faults.length };
}

export function loneMinutesOf(script: Script, truth: Truth, letters: readonly Told[]): number[] {
  const mails = letters.filter(
    (letter) => letter.channel === 'email' && letter.read.kind === 'began' && letter.read.subject?.is === 'camera',
  );
  return faultsOf(script, truth).flatMap(({ deviceId, from, to, isSilent }) => {
    const first = mails.find((mail) => mail.second >= from && mail.second <= to && mail.read.subject?.id === deviceId);
    return first && !isSilent ? [(first.second - from) / minute] : [];
  });
}
