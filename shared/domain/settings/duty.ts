import type { Fault } from '../../errors.ts';
import type { Person, Rotation } from '../../schema/settings/on-call.ts';
import { toInstant } from '../time.ts';
import { timeZoneFault } from './local-time.ts';

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
