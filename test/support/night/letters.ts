import { minute } from './clock.ts';
import type { Letter } from './live.ts';
import type { Read, Thing } from './reader.ts';
import type { Script, Team } from './script.ts';
import type { Truth, Whole } from './truth.ts';

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

/** Seconds that a message may be behind: on its way in, through two wakes and out. */
export const onTheWay = 15;

/** Counts of places come from a look each minute, at a horizon that is at most as old, and then travel. */
export const lookAge = 150;

/** A digest waits for its window. */
export const digestAge = 90;

/** A loss counts after five minutes (contract); a digest of a phone may wait for an hour. */
export const countsAfter = 5 * minute;

export const tallyReach = { sms: 90 * minute, email: 30 * minute, chat: 30 * minute };

export type Told = Letter & { read: Read; team: Team };

export type Known = { truth: Truth; script: Script; letters: readonly Told[] };

export type Against = { kind: Kind; truth: string } | null;

export function teamOf({ teams }: Script, { to }: Letter): Team {
  const team = teams.find(
    ({ name, phone, email }) => to.includes(phone) || to.includes(email) || to.startsWith(`${name}:`),
  );
  if (!team) throw new Error(`a message to nobody: ${to}`);
  return team;
}

export function seconds(second: number, back: number): number[] {
  return Array.from({ length: Math.floor(back / 5) + 1 }, (_, index) => second - index * 5);
}

export const isWithin = (second: number, back: number, test: (at: number) => boolean) =>
  seconds(second, back).some(test);

/** Whether a message told people that something began, by name or within a count. */
export function tells({ read, second, channel }: Told, about: Thing, truth: Truth): boolean {
  if (read.kind !== 'digest') return (read.kind === 'began' || read.kind === 'urges') && read.subject?.id === about.id;
  const isNamed = read.claims.some((claim) => claim.about?.id === about.id);
  const isCounted = read.claims.some((claim) => claim.says === 'tally' && claim.number > 0 && claim.what !== 'over');
  const began = truth.spansAt(about).some(({ from }) => from <= second && from > second - tallyReach[channel]);
  const troubled = truth.troublesOf(about.id).some(({ from }) => from <= second && from > second - tallyReach[channel]);
  return isNamed || (isCounted && about.is === 'camera' && (began || troubled));
}

export function serves({ groups }: Team, groupId: string, { teams }: Script): boolean {
  return groups ? groups.includes(groupId) : !teams.some((team) => team.groups?.includes(groupId));
}

export function lastWhole(place: Thing, second: number, truth: Truth): Whole | null {
  return truth.wholesOf(place).findLast(({ began }) => began.from <= second) ?? null;
}

export const isNews = ({ read }: Told) => read.kind !== 'limit' && read.kind !== 'other';

/** Whether a message names a camera, or a place that contains it. */
export function names({ read }: Told, deviceId: string, truth: Truth): boolean {
  const things = [
    read.subject,
    ...read.claims
      .filter(({ says }) => says === 'dark' || says === 'of' || says === 'returned')
      .map(({ about }) => about),
  ];
  return things.some(
    (thing) => thing && (thing.id === deviceId || (thing.is === 'place' && containing(thing, truth).has(deviceId))),
  );
}

export const sets = new WeakMap<Truth, Map<string, Set<string>>>();

export function containing(thing: Thing, truth: Truth): Set<string> {
  const known = sets.get(truth) ?? new Map<string, Set<string>>();
  sets.set(truth, known);
  const found = known.get(thing.id) ?? new Set(truth.members(thing));
  known.set(thing.id, found);
  return found;
}
