import type { Kind, Records } from '../../../shared/app/ports.ts';
import type { TestBearer } from './populated.ts';

// What a bearer may have changed, told from what a record does, and not by the rules of the service.

const universe = ['north', 'south', 'east', 'unassigned'];
const among = (groups: readonly string[] | null | undefined) => (group: string) => !groups || groups.includes(group);

/** The groups whose cameras, people or receivers notice a record. */
const effects: { [K in Kind]?: (record: Records[K]) => readonly string[] } = {
  windows: ({ scope, limitedTo }) => universe.filter(among(scope.groups)).filter(among(limitedTo)),
  reportSchedules: ({ groups, limitedTo }) => universe.filter(among(groups)).filter(among(limitedTo)),
  webhooks: ({ filter }) => (filter?.groups?.length ? filter.groups : universe),
  rules: () => universe,
  teams: () => universe,
  settings: () => universe,
  places: () => universe,
  platform: () => universe,
  quarantine: () => universe,
  tombstones: () => universe,
  devices: ({ groupId }) => [groupId],
  alerts: ({ groupId }) => [groupId],
  incidents: ({ groups }) => groups,
  deliveries: ({ groupId }) => (groupId === null ? universe : [groupId]),
  jobs: ({ work }) => (work.kind === 'act-on-alerts' ? (work.groups ?? universe) : universe),
};
export const watchedKinds = Object.keys(effects) as Kind[];

/** One record before and after a call. Null: it was not there. */
export type Changed = { kind: Kind; id: string; before: object | null; after: object | null };

/**
 * Why a bearer cannot have been allowed to make a change. Null: he may have been.
 * @param madeByAdmin ids of the records that a bearer of all groups made
 */
export function wrongIn(
  { kind, id, before, after }: Changed,
  { name, groups, without = [] }: TestBearer,
  madeByAdmin: ReadonlySet<string>,
): string | null {
  const lacks = (scope: string) => without.some((each) => each === scope);
  const records = [before, after].flatMap((record) => record ?? []) as Partial<Records['jobs'] & Records['webhooks']>[];
  if (kind === 'reportSchedules' && after && lacks('alerts:read')) return 'a report that he may not read';
  if (
    kind === 'deliveries' &&
    before &&
    lacks('settings:write') &&
    (before as Records['deliveries']).channel !== 'webhook'
  )
    return 'a message to people, without the scope';
  if (kind === 'jobs' && lacks('settings:write') && records.some(({ createdBy }) => createdBy !== `user:${name}`))
    return 'a job of another, without the scope';
  if (
    kind === 'jobs' &&
    before === null &&
    lacks('settings:write') &&
    records.some(({ work }) => work?.kind === 'erase')
  )
    return 'an erasure, without the scope';
  if (groups === null) return null;
  const beyond = [before, after].some(
    (record) => record && !effects[kind]?.(record as never).every((group) => groups.includes(group)),
  );
  // A tombstone follows from the removal of a camera, which is watched itself.
  if (beyond && kind !== 'tombstones') return 'it concerns other groups';
  if (['windows', 'reportSchedules', 'webhooks'].includes(kind) && madeByAdmin.has(id))
    return 'an administrator made it';
  if (kind === 'devices' && before === null) return 'he may not register a camera';
  if (kind === 'devices' && after && (before as Records['devices']).groupId === 'unassigned') {
    if ((after as Records['devices']).groupId !== 'unassigned') return 'he took a camera that nobody gave him';
  }
  if (kind === 'deliveries' && before && (before as Records['deliveries']).channel !== 'webhook')
    return 'a message to people';
  if (kind === 'jobs' && records.some(({ createdBy }) => createdBy !== `user:${name}`)) return 'a job of another';
  if (kind !== 'webhooks' || !after) return null;
  const { events, challenge, isMadeByLimited } = after as Records['webhooks'];
  if (events.includes('audit')) return 'the audit stream is of everybody';
  if ((before as Records['webhooks'] | null)?.challenge && !challenge) return 'he proved his own endpoint';
  return isMadeByLimited ? null : 'it claims that an administrator made it';
}
