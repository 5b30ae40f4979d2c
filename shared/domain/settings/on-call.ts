import type { Fault } from '../../errors.ts';
import type { Person, Rotation } from '../../schema/settings/on-call.ts';
import { weekdays } from '../../schema/vocabulary.ts';
import { type Instant, toInstant } from '../time.ts';
import { instantAt, timeZoneFault, wallTimeAt } from './local-time.ts';
import { minutesOf } from './schedules.ts';

/** Faults in a team's people that the schema cannot express. */
export function faultsOfPeople(people: readonly Person[]): Fault[] {
  return people.flatMap(({ personId, email, phone }, index) => {
    const pointer = `/people/${index}`;
    const isTwice = people.findIndex((other) => other.personId === personId) < index;
    return [
      ...(isTwice ? [{ pointer: `${pointer}/personId`, detail: `names ${personId} twice` }] : []),
      ...(email === undefined && phone === undefined ? [{ pointer, detail: 'needs `email` or `phone`' }] : []),
    ];
  });
}

/**
 * Faults in a team's rotations that the schema cannot express: people must belong to the team, time zones must exist, and overrides must end after
 * they begin.
 */
export function faultsOfRotations(rotations: readonly Rotation[], people: ReadonlySet<string>): Fault[] {
  return rotations.flatMap(({ people: named, timeZone, overrides = [] }, index) => {
    const pointer = `/rotations/${index}`;
    const zone = timeZoneFault(timeZone);
    return [
      ...named.flatMap((personId, at) => unknown(personId, people, `${pointer}/people/${at}`)),
      ...(zone === null ? [] : [{ pointer: `${pointer}/timeZone`, detail: zone }]),
      ...overrides.flatMap(({ personId, from, to }, at) => [
        ...unknown(personId, people, `${pointer}/overrides/${at}/personId`),
        ...(toInstant(from) < toInstant(to)
          ? []
          : [{ pointer: `${pointer}/overrides/${at}/to`, detail: 'must be later than `from`' }]),
      ]),
    ];
  });
}

function unknown(personId: string, people: ReadonlySet<string>, pointer: string): Fault[] {
  return people.has(personId) ? [] : [{ pointer, detail: `there is no person ${personId} in the team` }];
}

/** A period in which one person is on call. `personId` null: nobody is. `from` or `to` null: no change to another person before or after it. */
export type DutyTurn = { personId: string | null; from: Instant | null; to: Instant | null };

const weekMs = 7 * 24 * 60 * 60_000;
/** A Monday. Weeks are counted from it in local time. */
const firstMonday = Date.UTC(1970, 0, 5);

/** The person on call at an instant. Null: nobody. */
export function onCallAt(rotation: Rotation, at: Instant): string | null {
  const override = (rotation.overrides ?? []).findLast(({ from, to }) => toInstant(from) <= at && at < toInstant(to));
  if (override) return override.personId;
  const { people, startsAt } = rotation;
  const start = startsAt === undefined ? null : toInstant(startsAt);
  if (start !== null && at < start) return null;
  const first = start === null ? 0 : weekOf(rotation, start);
  const turn = weekOf(rotation, at) - first;
  return people[((turn % people.length) + people.length) % people.length] ?? null;
}

/** Who is on call at an instant, and who follows. Consecutive turns of one person count as one. */
export function turnsAt(rotation: Rotation, at: Instant): { now: DutyTurn; next: DutyTurn | null } {
  const now = turnAt(rotation, at);
  return { now, next: now.to === null ? null : turnAt(rotation, now.to) };
}

/** The turns from an instant until another. */
export function turnsBetween(rotation: Rotation, at: Instant, until: Instant): DutyTurn[] {
  const turns = [];
  for (let from: Instant | null = at; from !== null && from < until; ) {
    const turn = turnAt(rotation, from);
    turns.push(turn);
    from = turn.to;
  }
  return turns;
}

function turnAt(rotation: Rotation, at: Instant): DutyTurn {
  const personId = onCallAt(rotation, at);
  const bounds = boundsNear(rotation, at);
  const isOther = (bound: Instant) => onCallAt(rotation, bound) !== personId;
  const past = bounds.filter((bound) => bound <= at);
  // Nobody else takes over between two bounds, so the turn began at the first bound after the last one of another person.
  const from = past[past.findLastIndex(isOther) + 1] ?? null;
  const isEndless = !past.some(isOther);
  return { personId, from: isEndless ? null : from, to: bounds.find((bound) => bound > at && isOther(bound)) ?? null };
}

/**
 * Instants at which the person on call may change: the start of the rotation, both ends of each override with the handovers around them, and more
 * handovers before and after `at` than there are people.
 */
function boundsNear(rotation: Rotation, at: Instant): Instant[] {
  const { people, startsAt, overrides = [] } = rotation;
  const starts = startsAt === undefined ? [] : [toInstant(startsAt)];
  const edges = [...starts, ...overrides.flatMap(({ from, to }) => [toInstant(from), toInstant(to)])];
  // An override can end in any week. The handovers around that week determine who follows.
  const near = [at, ...edges].flatMap((instant) => {
    const week = weekOf(rotation, instant);
    return instant === at ? around(week, people.length + 1) : around(week, 1);
  });
  const handovers = [...new Set(near)].map((week) => handoverOf(rotation, week));
  return [...new Set([...edges, ...handovers])].toSorted();
}

function around(week: number, count: number): number[] {
  return Array.from({ length: 2 * count + 1 }, (_, index) => week - count + index);
}

function handoverOf({ handover, timeZone }: Rotation, week: number): Instant {
  return instantAt(wallOf(handover) + week * weekMs, timeZone);
}

function wallOf({ weekday, time }: Rotation['handover']): number {
  return firstMonday + (weekdays.indexOf(weekday) * 24 * 60 + minutesOf(time)) * 60_000;
}

/** The number of the week, from handover to handover, that contains an instant. */
function weekOf(rotation: Rotation, at: Instant): number {
  const { handover, timeZone } = rotation;
  const week = Math.floor((wallTimeAt(at, timeZone) - wallOf(handover)) / weekMs);
  // Around a change of daylight saving, local time and the handover can differ by an hour.
  if (handoverOf(rotation, week) > at) return week - 1;
  return handoverOf(rotation, week + 1) <= at ? week + 1 : week;
}
