import { namesOf, type Person, renamed } from '../../domain/job/erasure.ts';
import { withRecipients } from '../../domain/ledger/schedule.ts';
import type { TeamRecord } from '../../domain/notify/team.ts';
import { put } from '../commit/put.ts';
import type { Kind, Stored, World, Write } from '../ports.ts';

/** Whether an address belongs to the person. The case of mail addresses is ignored. */
function isOf({ emails, phones }: Person): (address: string | undefined) => boolean {
  const own = new Set([...emails, ...phones].map((address) => address.toLowerCase()));
  return (address) => address !== undefined && own.has(address.toLowerCase());
}

function ownIds({ people = [] }: TeamRecord, person: Person): string[] {
  const isOwn = isOf(person);
  return people.flatMap(({ personId, email, phone }) => (isOwn(email) || isOwn(phone) ? [personId] : []));
}

/** Whether a rotation or an escalation step names the person. People must choose a replacement first. */
export function isOnDuty(team: TeamRecord, person: Person): boolean {
  const ids = ownIds(team, person);
  const named = [
    ...(team.rotations ?? []).flatMap(({ people, overrides = [] }) => [
      ...people,
      ...overrides.map(({ personId }) => personId),
    ]),
    ...(team.escalation?.steps ?? []).flatMap(({ personId }) => personId ?? []),
  ];
  return named.some((id) => ids.includes(id));
}

/** Teams without the contacts of a person. A team that still has the person on duty does not change, and is counted. */
export function withoutContacts(
  { now }: Pick<World, 'now'>,
  person: Person,
  found: readonly Stored<Kind>[],
): { writes: Write[]; refused: number } {
  const teams = found as readonly Stored<'teams'>[];
  const onDuty = teams.filter(({ data }) => isOnDuty(data, person));
  const writes = teams.flatMap((stored): Write[] => {
    const team = onDuty.includes(stored) ? null : without(stored.data, person);
    if (team === null) return [];
    return [put('teams', stored.id, { ...team, changedAt: now(), version: team.version + 1 }, stored)];
  });
  return { writes, refused: onDuty.length };
}

/** Schedules of reports that go to a person no more, and do not name them. One that goes to nobody else is paused. */
export function withoutRecipients(
  { now }: Pick<World, 'now'>,
  { person, alias }: { person: Person; alias: string },
  found: readonly Stored<Kind>[],
): { writes: Write[] } {
  const isOwn = isOf(person);
  const writes = (found as readonly Stored<'reportSchedules'>[]).flatMap((stored): Write[] => {
    const { data } = stored;
    const emails = data.emails.filter((email) => !isOwn(email));
    const left = emails.length < data.emails.length ? withRecipients(data, emails, now()) : data;
    const next = renamed(left, namesOf(person), alias, ['name', 'createdBy']) ?? left;
    return next === data ? [] : [put('reportSchedules', stored.id, next, stored)];
  });
  return { writes };
}

/** Null: the person has no contact in the team. */
function without(team: TeamRecord, person: Person): TeamRecord | null {
  const isOwn = isOf(person);
  const ids = ownIds(team, person);
  const { emails = [], phones = [], people = [] } = team;
  if (ids.length === 0 && ![...emails, ...phones].some(isOwn)) return null;
  const left = people.filter(({ personId }) => !ids.includes(personId));
  return {
    ...team,
    emails: emails.filter((email) => !isOwn(email)),
    phones: phones.filter((phone) => !isOwn(phone)),
    ...(team.people ? { people: left } : {}),
  };
}
