import { withoutKept } from '../../domain/device/tombstone.ts';
import {
  type ErasedSubject,
  type ErasurePerson,
  type NameMembers,
  namesOf,
  renamed,
} from '../../domain/job/erasure.ts';
import { type JobStep, newJob } from '../../domain/job/job.ts';
import { withRecipients } from '../../domain/ledger/schedule.ts';
import type { TeamRecord } from '../../domain/notify/team.ts';
import { plus } from '../../domain/time.ts';
import { AppError, notFound } from '../../errors.ts';
import type { ErasureRequest } from '../../schema/job/erasure.ts';
import type { JobStarted } from '../../schema/job/job.ts';
import type { Bearer } from '../bearer.ts';
import { type Decided, decideAndCommit, put } from '../commit/commit.ts';
import { removalOf } from '../devices/devices.ts';
import type { Filter, Kind, Stored, World, Write } from '../ports.ts';
import { loadConfiguration, revisionWrite } from '../settings/configuration.ts';
import { requireMayWrite } from '../writes/may-write.ts';
import { jobWakes } from './jobs.ts';

/** What an erasure does with records of a kind that name its subject. */
type ErasureFate =
  | 'deleted'
  /** An alias replaces the name in these members. */
  | { renamed: NameMembers }
  /** A step of its own handles it. */
  | 'special'
  /** No record of the kind contains a name, or docs/recovery.md says how long it stays. */
  | 'left';

const anywhere: ErasureFate = { renamed: null };
const inMembers = (...members: string[]): ErasureFate => ({ renamed: members });

/**
 * What an erasure does with each kind of record. The compiler requires a row for a new kind. Configuration keeps an alias: a filter with an alias
 * matches nothing, while a filter without the name would match everything.
 */
export const erasedKinds: Record<Kind, { device: ErasureFate; person: ErasureFate }> = {
  activity: { device: 'deleted', person: anywhere },
  alerts: { device: 'deleted', person: anywhere },
  // Any of the files may show the device: all of them go, and a mail that has not left says so.
  attachments: { device: 'special', person: 'left' },
  audit: { device: 'deleted', person: anywhere },
  // The path and `resourceId` must stay as evidence that something was done with a device.
  auditStream: { device: 'special', person: anywhere },
  // Ids of targets, not addresses.
  channelHealth: { device: 'left', person: 'left' },
  deliveries: { device: 'deleted', person: 'deleted' },
  detections: { device: 'deleted', person: 'left' },
  // The call that starts the job already removes the device. Its names belong to the registry.
  devices: { device: 'left', person: 'left' },
  drills: { device: 'left', person: 'left' },
  endpointHealth: { device: 'left', person: 'left' },
  events: { device: 'deleted', person: 'deleted' },
  fanOuts: { device: inMembers('body', 'deliveries'), person: anywhere },
  fleetCounters: { device: 'left', person: 'left' },
  fleetSummaries: { device: 'special', person: anywhere },
  guardianAlerts: { device: 'deleted', person: 'left' },
  incidentAudit: { device: inMembers('why', 'changes'), person: anywhere },
  incidents: { device: inMembers('title', 'message', 'evidence'), person: anywhere },
  jobs: { device: inMembers('work.filter'), person: anywhere },
  // Hashes and commitments, whose key is deleted with the entries.
  ledgerBatches: { device: 'left', person: 'left' },
  ledgerEntries: { device: 'deleted', person: 'left' },
  ledgerHeads: { device: 'deleted', person: 'left' },
  links: { device: 'left', person: anywhere },
  memberActions: { device: 'left', person: 'left' },
  notices: { device: inMembers('text'), person: anywhere },
  now: { device: 'special', person: anywhere },
  outagePlaces: { device: 'left', person: 'left' },
  paces: { device: 'left', person: 'left' },
  places: { device: 'left', person: 'left' },
  platform: { device: 'left', person: 'left' },
  quarantine: { device: 'deleted', person: anywhere },
  quarantineBudgets: { device: 'left', person: 'left' },
  // Deleted with its record in quarantine.
  quarantineBytes: { device: 'left', person: 'left' },
  reportSchedules: { device: inMembers('name'), person: 'special' },
  revisions: { device: 'left', person: 'left' },
  rules: { device: inMembers('name', 'condition.device'), person: inMembers('name') },
  sequenceCheckpoints: { device: 'left', person: 'left' },
  sequences: { device: 'deleted', person: 'left' },
  settings: { device: 'left', person: 'left' },
  targets: { device: inMembers('urgentDevices', 'left'), person: 'deleted' },
  teams: { device: 'left', person: 'special' },
  tombstones: { device: 'left', person: 'left' },
  trendCounters: { device: 'left', person: 'left' },
  trends: { device: 'left', person: 'left' },
  webhooks: { device: inMembers('filter.devices', 'description'), person: inMembers('description') },
  windows: {
    device: inMembers('name', 'reason', 'scope.devices'),
    person: inMembers('name', 'reason', 'createdBy'),
  },
};

/** Kinds that every process caches, by their revision. */
const configurationKinds: readonly Kind[] = ['rules', 'teams', 'webhooks', 'windows'];

/** Whether an address belongs to the person. The case of mail addresses is ignored. */
function isOf({ emails, phones }: ErasurePerson): (address: string | undefined) => boolean {
  const own = new Set([...emails, ...phones].map((address) => address.toLowerCase()));
  return (address) => address !== undefined && own.has(address.toLowerCase());
}

function ownIds({ people = [] }: TeamRecord, person: ErasurePerson): string[] {
  const isOwn = isOf(person);
  return people.flatMap(({ personId, email, phone }) => (isOwn(email) || isOwn(phone) ? [personId] : []));
}

/** Whether a rotation or an escalation step names the person. People must choose a replacement first. */
export function isOnDuty(team: TeamRecord, person: ErasurePerson): boolean {
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
  person: ErasurePerson,
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
  { person, alias }: { person: ErasurePerson; alias: string },
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
function without(team: TeamRecord, person: ErasurePerson): TeamRecord | null {
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

/** The result for the records of one step. `refused`: how many contain the name and had to stay. */
type ErasurePart = { writes: Write[]; refused?: number };

/** One kind of record in order of ids: the query, and what is written for each record found. Or the frames below a prefix. */
type Stage =
  | {
      in: Kind;
      where?: Filter<Kind>[];
      erase(world: World, found: readonly Stored<Kind>[]): ErasurePart | Promise<ErasurePart>;
    }
  | { in: 'frames'; prefix: string };

type About<K extends ErasedSubject['kind']> = Extract<ErasedSubject, { kind: K }>;

const kinds = Object.keys(erasedKinds) as Kind[];

function stagesOfDevice({ deviceId }: About<'device'>): Stage[] {
  const where = [{ field: 'deviceId', is: '==', value: deviceId }] as unknown as Filter<Kind>[];
  // The tombstone contains the device's id, so the alias need not be random. It has the form of an id, because filters contain it.
  const alias = 'erased-device';
  const stages = kinds.flatMap((kind): Stage[] => {
    const fate = erasedKinds[kind].device;
    if (fate === 'deleted') return [{ in: kind, where, erase: (world, found) => deleted(world, kind, found) }];
    return typeof fate === 'string' ? [] : [renaming(kind, [deviceId], alias, fate.renamed)];
  });
  return [
    { in: 'frames', prefix: `${deviceId}/` },
    ...stages,
    {
      in: 'auditStream',
      erase: (_world, found) => ({ writes: found.flatMap((each) => withoutContent(each, deviceId, alias)) }),
    },
    { in: 'attachments', erase: (world, found) => deleted(world, 'attachments', found) },
    {
      in: 'fleetSummaries',
      erase: (_world, found) => ({ writes: found.flatMap((each) => withoutAlerts(each, deviceId)) }),
    },
    {
      in: 'now',
      erase: (_world, found) => ({ writes: found.flatMap((each) => withoutCauses(each, deviceId)) }),
    },
  ];
}

function stagesOfPerson({ person, alias }: About<'person'>): Stage[] {
  const names = namesOf(person);
  const stages = kinds.flatMap((kind): Stage[] => {
    const fate = erasedKinds[kind].person;
    if (fate === 'deleted') {
      const named = (found: readonly Stored<Kind>[]) => found.filter(({ data }) => renamed(data, names, alias));
      return [{ in: kind, erase: (world, found) => deleted(world, kind, named(found)) }];
    }
    return typeof fate === 'string' ? [] : [renaming(kind, names, alias, fate.renamed)];
  });
  return [
    { in: 'teams', erase: (world, found) => withoutContacts(world, person, found) },
    { in: 'reportSchedules', erase: (world, found) => withoutRecipients(world, { person, alias }, found) },
    ...stages,
  ];
}

function renaming(kind: Kind, names: readonly string[], alias: string, members: NameMembers): Stage {
  const write = (stored: Stored<Kind>): Write[] => {
    const data = isErasure(stored) ? null : renamed(stored.data, names, alias, members);
    return data ? [put(kind, stored.id, data as never, stored as never)] : [];
  };
  return { in: kind, erase: (_world, found) => ({ writes: found.flatMap(write) }) };
}

/** Jobs of erasures remove their own names in their last step. */
function isErasure({ data }: Stored<Kind>): boolean {
  return 'work' in data && data.work.kind === 'erase' && data.work.about !== null;
}

/** The bytes of a quarantined message are a record of their own. */
async function deleted({ store }: World, kind: Kind, found: readonly Stored<Kind>[]): Promise<ErasurePart> {
  const gone = found.map(({ id, revision }) => ({ kind: 'delete', in: kind, id, revision }) as Write);
  if (kind !== 'quarantine' || found.length === 0) return { writes: gone };
  const bytes = await store.get(
    'quarantineBytes',
    found.map(({ id }) => id),
  );
  const beside = bytes.flatMap((each): Write[] =>
    each ? [{ kind: 'delete', in: 'quarantineBytes', id: each.id, revision: each.revision }] : [],
  );
  return { writes: [...gone, ...beside] };
}

/** Keeps who did something with a device and when, and removes names and other content. */
function withoutContent(stored: Stored<Kind>, deviceId: string, alias: string): Write[] {
  const entry = stored as Stored<'auditStream'>;
  const { resourceKind, resourceId, before, after } = entry.data;
  const isOwn = resourceKind === 'devices' && resourceId === deviceId;
  if (isOwn && before === null && after === null) return [];
  const data = isOwn
    ? { ...entry.data, before: null, after: null }
    : renamed(entry.data, [deviceId], alias, ['before', 'after']);
  return data ? [put('auditStream', entry.id, data, entry)] : [];
}

/** A summary contains the newest alerts until the next change in its group. */
function withoutAlerts(stored: Stored<Kind>, deviceId: string): Write[] {
  const summary = stored as Stored<'fleetSummaries'>;
  const recentAlerts = summary.data.recentAlerts.filter((alert) => alert.deviceId !== deviceId);
  if (recentAlerts.length === summary.data.recentAlerts.length) return [];
  return [put('fleetSummaries', summary.id, { ...summary.data, recentAlerts }, summary)];
}

/** The causes that name the device, until the record is written anew. */
function withoutCauses(stored: Stored<Kind>, deviceId: string): Write[] {
  const { id, data, revision } = stored as Stored<'now'>;
  const causes = data.causes?.filter(({ worst }) => worst.deviceId !== deviceId);
  if (causes?.length === data.causes?.length) return [];
  return [put('now', id, { ...data, causes: causes ?? [], isStale: true }, { id, data, revision })];
}

/** The result of one step of an erasure, and the writes of its commit. */
type ErasureStep = JobStep & { writes: Write[] };

/** Records per step. A record of a device may require changing a second one. */
const recordsOfStep = 100;

/**
 * Erases the next records or frames. One commit contains the changes and the progress. A repeated step finds the records deleted or renamed.
 * @param after the stage and the last id; null: the beginning
 */
export async function stepOfErasure(
  world: World,
  about: ErasedSubject | null,
  after: readonly string[] | null,
): Promise<ErasureStep> {
  const stages = about === null ? [] : about.kind === 'device' ? stagesOfDevice(about) : stagesOfPerson(about);
  const index = Number(after?.[0] ?? 0);
  const stage = stages[index];
  if (!stage) return { done: 0, refused: 0, after: null, writes: [] };
  const { writes, done, refused = 0, lastId } = await eraseNext(world, stage, after?.[1]);
  const isLast = lastId === null && index === stages.length - 1;
  const next = lastId === null ? [String(index + 1)] : [String(index), lastId];
  return { done, refused, after: isLast ? null : next, writes };
}

/** `lastId` null: the stage is complete. */
async function eraseNext(
  world: World,
  stage: Stage,
  lastId: string | undefined,
): Promise<ErasurePart & { done: number; lastId: string | null }> {
  if (stage.in === 'frames') {
    const { erased, isMore } = await framesOf(world).erase(stage.prefix, recordsOfStep);
    return { writes: [], done: erased, lastId: isMore ? '' : null };
  }
  const found = await world.store.find({
    in: stage.in,
    ...(stage.where ? { where: stage.where } : {}),
    limit: recordsOfStep,
    ...(lastId === undefined ? {} : { after: [lastId] }),
  });
  const { writes, refused = 0 } = await stage.erase(world, found);
  const isConfigured = writes.length > 0 && configurationKinds.includes(stage.in);
  const last = found.at(-1);
  return {
    writes: isConfigured ? [...writes, await revisionWrite(world.store)] : writes,
    done: writes.length,
    refused,
    lastId: found.length < recordsOfStep || !last ? null : last.id,
  };
}

function framesOf({ frames }: World) {
  if (!frames) throw new Error('An erasure needs the bucket of frames.');
  return frames;
}

/**
 * Erases a device or a person in the background.
 * @param ids of the job, and the alias of a person: random, so that it does not lead back to the person
 * @throws AppError `limited-to-groups`, `forbidden`, `not-found`; `invalid-request` where nobody is named; `invalid-transition` for somebody who is
 * on duty
 */
export async function startErasure(
  world: World,
  bearer: Bearer,
  { deviceId, person }: ErasureRequest,
  ids: { jobId: string; alias: string },
): Promise<JobStarted> {
  requireMayErase(world, bearer);
  const { subject = null, emails = [], phones = [], names = [] } = person ?? {};
  const isNobody = subject === null && [...emails, ...phones, ...names].length === 0;
  if ((deviceId === undefined) === (person === undefined) || (person && isNobody)) {
    const detail = 'is required, or a person with a subject, an email, a phone or a name; not both';
    throw new AppError('invalid-request', `/deviceId ${detail}.`, { errors: [{ pointer: '/deviceId', detail }] });
  }
  if (deviceId !== undefined) return { jobId: await eraseDevice(world, bearer, deviceId, ids.jobId), matched: 1 };
  const about = { kind: 'person', person: { subject, emails, phones, names }, alias: `erased:${ids.alias}` } as const;
  const { teams } = await loadConfiguration(world);
  const onDuty = [...teams.values()].filter((team) => isOnDuty(team, about.person)).map(({ name }) => name);
  if (onDuty.length > 0) {
    const detail = `Rotations or steps of ${onDuty.join(', ')} name this person: choose a replacement first.`;
    throw new AppError('invalid-transition', detail, { members: { teams: onDuty } });
  }
  return decideAndCommit(world, async () => ({
    ...jobOf(world, bearer, ids.jobId, about),
    answer: { jobId: ids.jobId, matched: 1 },
  }));
}

/**
 * Decommissions a device, leaves a tombstone that prevents its messages from registering it again, and starts the job that erases its records.
 * @throws AppError `forbidden`, `limited-to-groups`; `not-found` where no such device exists or existed
 */
export async function eraseDevice(world: World, bearer: Bearer, deviceId: string, jobId: string): Promise<string> {
  requireMayErase(world, bearer);
  // Without its usual audit entry, because that would contain the device's name.
  const { trail, ...quiet } = world;
  await decideAndCommit(quiet, async (): Promise<Decided<void>> => {
    const { devices, tombstones } = await world.store.getMany({ devices: [deviceId], tombstones: [deviceId] });
    const [[device = null], [tombstone = null]] = [devices, tombstones];
    const started = jobOf(world, bearer, jobId, { kind: 'device', deviceId });
    if (device) {
      const { writes, wakes } = await removalOf(quiet, bearer, deviceId, true);
      return { writes: [...writes, ...started.writes], wakes: [...wakes, ...started.wakes], answer: undefined };
    }
    if (!tombstone) throw notFound(`device ${deviceId}`);
    return {
      writes: [put('tombstones', deviceId, withoutKept(tombstone.data), tombstone), ...started.writes],
      wakes: started.wakes,
      answer: undefined,
    };
  });
  trail?.committed(false);
  return jobId;
}

/**
 * The job starts after the deliveries of this call (endpoints get the end of the device's alerts), and when all addresses for uploading a frame have
 * expired.
 */
function jobOf(world: World, { subject }: Bearer, jobId: string, about: ErasedSubject): Omit<Decided<void>, 'answer'> {
  const now = world.now();
  const job = {
    ...newJob(jobId, { kind: 'erase', about }, 1, subject, now),
    dueAt: plus(now, world.waits.erasureDelay),
  };
  return { writes: [{ kind: 'create', in: 'jobs', id: jobId, data: job }], wakes: jobWakes(job) };
}

/** Records of a device are in every group that it was in, and records of a person can be in any group. */
function requireMayErase({ now }: World, bearer: Bearer): void {
  requireMayWrite(bearer, 'jobs', null, newJob('', { kind: 'erase', about: null }, 1, bearer.subject, now()));
}
