import { v5 as uuidv5 } from 'uuid';
import { fleetWake } from '../../domain/fleet/summary.ts';
import type { Configuration } from '../../domain/notify/configuration.ts';
import { emptyTeam, maskedChatUrl, type TeamRecord } from '../../domain/notify/team.ts';
import { operationsTeam } from '../../domain/settings/settings.ts';
import { AppError, type Fault, notFound } from '../../errors.ts';
import { byAddressMember } from '../../schema/channels.ts';
import { teamNamePattern } from '../../schema/settings/rule.ts';
import type { Team, TeamContacts } from '../../schema/settings/team.ts';
import { channelTable } from '../../schema/vocabulary.ts';
import { type Bearer, contactsFor } from '../bearer.ts';
import { decideAndCommit, put, requireVersion } from '../commit/commit.ts';

import type { Reads, SecretBox, Stored, World } from '../ports.ts';
import { chatOwner } from './chat-owner.ts';
import { lockedConfiguration, maxTeams } from './configuration.ts';
import { dutyOf, faultsOfDuty, shownPerson } from './duty.ts';
import { faultsOfHandoffFilters, handoffsOf, shownHandoff } from './handoffs.ts';
import { requireUnused } from './team-references.ts';

/** What the addresses of chats need in addition to the store. */
export type ChatParts = {
  box: SecretBox;
  /** What is wrong with an address. Null: it may be tried. */
  judgeUrl(url: string): string | null;
};

export type VersionedTeam = { team: Team; version: number; isNew: boolean };

const isTeamName = new RegExp(teamNamePattern);
const chatNamespace = '3d2a3a9e-2f8b-5b0e-9a44-5d4b6c8e9f10';

/** All teams in order of name. `operations` always exists. */
export async function listTeams({ store }: Reads<'teams'>, bearer: Bearer): Promise<{ teams: Team[] }> {
  const found = (await store.find({ in: 'teams', limit: maxTeams })).map(({ data }) => data);
  const all = found.some(({ name }) => name === operationsTeam) ? found : [emptyTeam(operationsTeam), ...found];
  return { teams: all.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map((team) => shownTo(bearer, team)) };
}

/** @throws AppError `not-found` */
export async function getTeam(world: Reads<'teams'>, bearer: Bearer, name: string): Promise<VersionedTeam> {
  const { team } = await loadTeam(world, name);
  if (!team) throw notFound(`team ${name}`);
  return { team: shownTo(bearer, team), version: team.version, isNew: false };
}

/**
 * Creates or replaces a team. A chat that is sent back with its masked address keeps its address.
 * @throws AppError `invalid-request` that names each member at fault; `precondition-failed`; `quota-exceeded`
 */
export async function putTeam(
  world: World,
  name: string,
  contacts: TeamContacts,
  ifVersion: number | null,
  parts: ChatParts,
): Promise<VersionedTeam> {
  if (!isTeamName.test(name)) {
    throw invalid([
      {
        pointer: '/name',
        detail: 'must begin with a letter or digit, and contain only letters, digits, blanks and ._-',
      },
    ]);
  }
  return decideAndCommit(world, async () => {
    const { stored, team } = await loadTeam(world, name);
    const before = team ?? emptyTeam(name);
    requireVersion('team', before.version, ifVersion);
    const data: TeamRecord = {
      name,
      ...byAddressMember((channel) => contacts[channelTable[channel].contacts.member] ?? []),
      chats: chatsOf(before, contacts, parts),
      handoffs: handoffsOf(before, contacts.handoffs, parts),
      ...dutyOf(contacts),
      changedAt: world.now(),
      version: before.version + 1,
    };
    const [configuration, revision] = await lockedConfiguration(world);
    const errors = [...faultsOfDuty(data, configuration), ...faultsOfHandoffFilters(data, configuration, world.now())];
    if (errors.length > 0) throw invalid(errors);
    if (!stored) requireRoom(name, configuration);
    const shown = toWireTeam(data);
    return {
      writes: [put('teams', name, data, stored), revision],
      // The summary of the fleet shows whether anybody would be notified.
      wakes: [fleetWake(world.now(), world.waits)],
      answer: { team: shown, version: data.version, isNew: !stored },
    };
  });
}

/** @throws AppError `not-found`; `invalid-transition` for `operations`, which always exists; `in-use`; `precondition-failed` */
export async function deleteTeam(world: World, name: string, ifVersion: number | null): Promise<void> {
  await decideAndCommit(world, async () => {
    const { stored } = await loadTeam(world, name);
    if (name === operationsTeam) throw new AppError('invalid-transition', `The team ${name} always exists.`);
    if (!stored) throw notFound(`team ${name}`);
    requireVersion('team', stored.data.version, ifVersion);
    const [configuration, revision] = await lockedConfiguration(world);
    requireUnused(name, configuration);
    const write = { kind: 'delete', in: 'teams', id: name, revision: stored.revision } as const;
    return { writes: [write, revision], wakes: [], answer: undefined };
  });
}

/** A team by its name. `operations` always exists, even before it is written. */
export async function loadTeam(
  { store }: Reads<'teams'>,
  name: string,
): Promise<{ stored: Stored<'teams'> | null; team: TeamRecord | null }> {
  if (!isTeamName.test(name)) return { stored: null, team: null };
  const [stored = null] = await store.get('teams', [name]);
  return { stored, team: stored?.data ?? (name === operationsTeam ? emptyTeam(name) : null) };
}

/** One place is kept for `operations`, so that a team beyond the limit never hides another one. @throws AppError `quota-exceeded` */
function requireRoom(name: string, { teams }: Pick<Configuration, 'teams'>): void {
  const others = [...teams.keys()].filter((other) => other !== operationsTeam);
  if (name === operationsTeam || others.length < maxTeams - 1) return;
  throw new AppError('quota-exceeded', `There are already ${maxTeams} teams, the maximum.`);
}

function shownTo(bearer: Bearer, record: TeamRecord): Team {
  const team = toWireTeam(record);
  const shown = contactsFor(bearer);
  const addresses = byAddressMember((channel) => team[channelTable[channel].contacts.member].map(shown));
  const { people } = team;
  return { ...team, ...addresses, ...(people ? { people: people.map((person) => shownPerson(person, shown)) } : {}) };
}

function toWireTeam({ name, chats, handoffs, changedAt, ...record }: TeamRecord): Team {
  const masked = chats.map(({ chatId, kind, shownUrl }) => ({ chatId, kind, url: shownUrl }));
  const addresses = byAddressMember((channel) => record[channelTable[channel].contacts.member] ?? []);
  return { name, ...addresses, chats: masked, handoffs: handoffs.map(shownHandoff), ...dutyOf(record), changedAt };
}

function chatsOf(before: TeamRecord, { chats }: TeamContacts, { box, judgeUrl }: ChatParts): TeamRecord['chats'] {
  const errors: Fault[] = [];
  const kept = (chats ?? []).map(({ chatId: given, kind, url }, index) => {
    const known = before.chats.find((chat) => (given === undefined || chat.chatId === given) && chat.shownUrl === url);
    if (known) return { ...known, kind };
    const fault = judgeUrl(url);
    if (fault) errors.push({ pointer: `/chats/${index}/url`, detail: fault });
    const chatId = given ?? uuidv5(`${before.name} ${url}`, chatNamespace);
    const shownUrl = fault ? '' : maskedChatUrl(url);
    return { chatId, kind, sealedUrl: box.seal(url, chatOwner(before.name, chatId)), shownUrl };
  });
  const ids = new Set(kept.map(({ chatId }) => chatId));
  if (ids.size < kept.length) errors.push({ pointer: '/chats', detail: 'names a chat twice' });
  if (errors.length > 0) throw invalid(errors);
  return kept;
}

function invalid(errors: Fault[]): AppError {
  const [first] = errors;
  return new AppError('invalid-request', `${first?.pointer} ${first?.detail}.`, { errors });
}
