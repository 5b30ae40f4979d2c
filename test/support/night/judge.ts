import { judgeCalls } from './calls.ts';
import { judgeNumber, judgeShare, judgeTally } from './counts.ts';
import { loneMinutesOf, silencesOf, toldByMail, toldByPhone, unendedOf } from './goals.ts';
import { type Against, type Finding, type Kind, type Known, type Told, teamOf } from './letters.ts';
import type { Lived } from './live.ts';
import { type Claim, createReader } from './reader.ts';
import type { Script } from './script.ts';
import { judgeDark, judgeHolder, judgeNobody, judgeOver, judgeReturn, judgeSeries, judgeTrouble } from './states.ts';
import { darkMinutes, judgeTime } from './times.ts';
import { truthOf } from './truth.ts';

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

export const mostSms = 20;

/** Reads everything that left the house as a stranger would, and compares it with what was true at that second. */
export function judgeNight(script: Script, lived: Lived): Verdict {
  const reader = createReader(script);
  const truth = truthOf(script, lived, reader.read);
  const letters = lived.letters
    .toSorted((a, b) => a.second - b.second)
    .map(
      (letter): Told => ({ ...letter, read: reader.read(letter.channel, letter.text), team: teamOf(script, letter) }),
    );
  const findings: Finding[] = [];
  let claims = 0;
  for (const letter of letters) {
    const note = (kind: Kind, claim: string, isTrue: string) =>
      findings.push({
        kind,
        second: letter.second,
        to: `${letter.to} ${letter.channel}`,
        claim,
        truth: isTrue,
        text: letter.text,
      });
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
      script.teams.map(({ name, phone }) => [
        name,
        letters.filter(({ channel, to }) => channel === 'sms' && to.includes(phone)).length,
      ]),
    ),
    ...toldByPhone(script, truth, letters),
    ...silencesOf(script, truth, letters),
    loneMinutes: loneMinutesOf(script, truth, letters),
    letters: Object.fromEntries(
      [...Map.groupBy(letters, ({ team, channel }) => `${team.name} ${channel}`)].map(([who, own]) => [
        who,
        own.length,
      ]),
    ),
  };
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
      return judgeNobody(about, letter, known);
    case 'times':
    case 'earlier':
      return judgeSeries(about, claim, letter, truth);
    case 'dark-of-last': {
      const real = darkMinutes(about, letter.second, claim.of, truth);
      return Math.abs(real - claim.number) <= 4
        ? null
        : { kind: 'lasted', truth: `dark ${real} of the last ${claim.of} min` };
    }
    default:
      return null;
  }
}
