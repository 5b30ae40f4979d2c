import { AppError } from '../../errors.ts';
import { unassigned } from '../../schema/vocabulary.ts';
import type { Bearer } from '../bearer.ts';
import type { Kind, Records } from '../ports.ts';

/** Who may change one kind of record. */
type Guard<R> = {
  /** The groups that a record concerns. Null: all of them at once, or none. */
  groupsOf: (record: R) => readonly string[] | null;
  /** Whether a bearer of all groups made it. A limited bearer may only read it, even if it concerns only his groups. */
  isOfAll?: (record: R) => boolean;
  /** The member of a body that names the groups. */
  pointer?: string;
  /** Why further terms refuse the change. */
  refusalOf?: (bearer: Bearer, before: R | null, after: R | null) => AppError | null;
  /** Changes of other records write it too. It is judged only if the call is about this kind. */
  isAlsoConsequence?: true;
};

/**
 * Every kind of record, and who may change it. A new kind does not compile before it is here. Null: no call names such a record, and the
 * service writes it as a consequence of other changes.
 */
const guards = {
  windows: {
    groupsOf: ({ scope, limitedTo }) => scope.groups ?? limitedTo,
    isOfAll: ({ limitedTo }) => limitedTo === null,
    pointer: '/scope/groups',
  },
  reportSchedules: {
    groupsOf: ({ groups, limitedTo }) => groups ?? limitedTo,
    isOfAll: ({ limitedTo }) => limitedTo === null,
    pointer: '/groups',
    refusalOf: ({ scopes }, _before, after) =>
      after === null || scopes.has('alerts:read') ? null : lacking('alerts:read'),
  },
  webhooks: {
    groupsOf: ({ filter }) => (filter?.groups?.length ? filter.groups : null),
    isOfAll: ({ isMadeByLimited }) => !isMadeByLimited,
    pointer: '/filter/groups',
    refusalOf({ groups }, before, after) {
      if (groups === null || after === null) return null;
      if (after.events.includes('audit'))
        return invalid('/events', 'may contain `audit` only for a token of all groups');
      if (!before?.challenge || after.challenge) return null;
      return limited('Only a token of all groups may confirm that an endpoint wants events.');
    },
  },
  rules: { groupsOf: () => null },
  teams: { groupsOf: () => null },
  settings: { groupsOf: () => null },
  places: { groupsOf: () => null },
  // A message that cannot be read belongs to no group.
  quarantine: { groupsOf: () => null },
  devices: {
    groupsOf: ({ groupId }) => [groupId],
    pointer: '/groupId',
    isAlsoConsequence: true,
    refusalOf({ groups }, before, after) {
      if (groups === null || after === null) return null;
      if (before === null) return limited('Only a token of all groups may register a device.');
      if (before.groupId !== unassigned || after.groupId === unassigned) return null;
      return limited('Only a token of all groups may give an unassigned device a group.');
    },
  },
  platform: { groupsOf: () => null, isAlsoConsequence: true },
  alerts: { groupsOf: ({ groupId }) => [groupId], isAlsoConsequence: true },
  incidents: { groupsOf: ({ groups }) => groups, isAlsoConsequence: true },
  deliveries: {
    groupsOf: ({ groupId }) => (groupId === null ? null : [groupId]),
    isAlsoConsequence: true,
    refusalOf({ groups, scopes }, _before, after) {
      if (after === null || after.channel === 'webhook') return null;
      if (groups !== null)
        return limited('Messages to people are sent again or dismissed by tokens of all groups only.');
      return scopes.has('settings:write') ? null : lacking('settings:write');
    },
  },
  jobs: {
    groupsOf: ({ work }) => (work.kind === 'act-on-alerts' ? work.groups : null),
    refusalOf({ subject, groups, scopes }, before, after) {
      const isOwn = (before ?? after)?.createdBy === subject;
      const needs = !isOwn || (before === null && after?.work.kind === 'erase');
      if (!needs) return null;
      if (groups !== null) return limited('Only a token of all groups may change jobs of others.');
      return scopes.has('settings:write') ? null : lacking('settings:write');
    },
  },
  activity: null,
  attachments: null,
  audit: null,
  auditStream: null,
  detections: null,
  drills: null,
  channelHealth: null,
  endpointHealth: null,
  events: null,
  fanOuts: null,
  fleetCounters: null,
  fleetSummaries: null,
  guardianAlerts: null,
  incidentAudit: null,
  ledgerBatches: null,
  ledgerEntries: null,
  ledgerHeads: null,
  // Made with a message. It is marked as used by the commit that acknowledges what it is about.
  links: null,
  memberActions: null,
  notices: null,
  now: null,
  outagePlaces: null,
  paces: null,
  quarantineBudgets: null,
  quarantineBytes: null,
  revisions: null,
  sequenceCheckpoints: null,
  sequences: null,
  targets: null,
  tombstones: null,
  trendCounters: null,
  trends: null,
} as const satisfies { [K in Kind]: Guard<Records[K]> | null };

/** Kinds of records that calls of the API change. */
export type WritableKind = { [K in Kind]: (typeof guards)[K] extends null ? never : K }[Kind];

function guardOf<K extends Kind>(kind: K): Guard<Records[K]> | null {
  return guards[kind] as Guard<Records[K]> | null;
}

/** Whether a change of such a record by a call must be judged, given the kind that the call is about. */
export function isJudged(kind: Kind, subject: WritableKind | null): kind is WritableKind {
  const guard = guardOf(kind);
  return guard !== null && (guard.isAlsoConsequence !== true || kind === subject);
}

/** The groups that a record concerns. Empty: all of them at once, or none. */
export function groupsConcerned<K extends WritableKind>(kind: K, record: Records[K]): readonly string[] {
  return guardOf(kind)?.groupsOf(record) ?? [];
}

/** Whether all groups that a record concerns are the bearer's. */
export function isWithinReach<K extends WritableKind>(
  { groups }: Pick<Bearer, 'groups'>,
  kind: K,
  record: Records[K],
): boolean {
  const concerned = groupsConcerned(kind, record);
  return groups === null || (concerned.length > 0 && concerned.every((group) => groups.includes(group)));
}

/**
 * The one rule for every change by a bearer: both the record that is there and the one that shall be lie within the bearer's reach. Who could
 * not create the result cannot change anything into it, and what a bearer of all groups made is read-only for limited ones.
 * @param before null: the record is created. `after` null: it is deleted
 * @returns why he may not. Null: he may
 */
export function refusalOfWrite<K extends WritableKind>(
  bearer: Bearer,
  kind: K,
  before: Records[K] | null,
  after: Records[K] | null,
): AppError | null {
  const guard = guardOf(kind);
  if (guard === null) return null;
  const { isOfAll = () => false, pointer, refusalOf } = guard;
  if (before && !isWithinReach(bearer, kind, before))
    return limited('The record concerns groups that are not yours: you may only read it.');
  if (before && bearer.groups !== null && isOfAll(before))
    return limited('A token of all groups made the record: one that is limited to groups may only read it.');
  if (after && !isWithinReach(bearer, kind, after)) {
    if (pointer === undefined) return limited('Only a token of all groups may do that.');
    const isOfNone = groupsConcerned(kind, after).length === 0;
    return invalid(pointer, isOfNone ? 'must name groups of the token' : 'may name only groups of the token');
  }
  if (after && bearer.groups !== null && isOfAll(after)) return limited('Only a token of all groups may make that.');
  return refusalOf?.(bearer, before, after) ?? null;
}

/** @throws AppError where the bearer may not make this change (`refusalOfWrite`) */
export function requireMayWrite<K extends WritableKind>(
  bearer: Bearer,
  kind: K,
  before: Records[K] | null,
  after: Records[K] | null,
): void {
  const refusal = refusalOfWrite(bearer, kind, before, after);
  if (refusal) throw refusal;
}

function limited(detail: string): AppError {
  return new AppError('limited-to-groups', detail);
}

function lacking(scope: string): AppError {
  return new AppError('forbidden', `The token lacks the scope ${scope}.`, { members: { scope } });
}

function invalid(pointer: string, detail: string): AppError {
  return new AppError('invalid-request', `${pointer} ${detail}.`, { errors: [{ pointer, detail }] });
}
