import { type ErasedSubject, namesOf, type Person, withoutPerson } from '../../domain/job/erasure.ts';
import type { Step } from '../../domain/job/job.ts';
import { targetIdOf } from '../../domain/notify/target.ts';
import { contactsOf, emptyTeam } from '../../domain/notify/team.ts';
import { put } from '../commit/put.ts';
import type { Filter, Kind, Stored, World, Write } from '../ports.ts';
import { revisionWrite } from '../settings/configuration.ts';

/** What one step of an erasure came to, and the writes that are committed with it. */
type ErasureStep = Step & { writes: Write[] };

/** Records that one step looks at. A record of a device may lead to a second one. */
const recordsOfStep = 100;

/** One kind of record: which of them are looked at, in order of their ids, and what is written of those that are found. */
type Stage = {
  in: Kind;
  where?: Filter<Kind>[];
  erase(world: World, found: readonly Stored<Kind>[]): Write[] | Promise<Write[]>;
};

/**
 * Erases the next records. A step that is repeated finds them gone or without the name, so it does no harm, and what it wrote is in one
 * commit with how far the job is.
 * @param after the stage and the last id that it looked at; null: the beginning
 */
export async function stepOfErasure(
  world: World,
  about: ErasedSubject | null,
  after: readonly string[] | null,
): Promise<ErasureStep> {
  const stages = about === null ? [] : about.kind === 'device' ? stagesOfDevice(about.deviceId) : stagesOfPerson(about);
  const index = Number(after?.[0] ?? 0);
  const stage = stages[index];
  if (!stage) return { done: 0, refused: 0, after: null, writes: [] };
  const lastId = after?.[1];
  const found = await world.store.find({
    in: stage.in,
    ...(stage.where ? { where: stage.where } : {}),
    limit: recordsOfStep,
    ...(lastId === undefined ? {} : { after: [lastId] }),
  });
  const writes = await stage.erase(world, found);
  const last = found.at(-1);
  const isOver = found.length < recordsOfStep || !last;
  const isLast = isOver && index === stages.length - 1;
  const next = isOver ? [String(index + 1)] : [String(index), last.id];
  return { done: writes.length, refused: 0, after: isLast ? null : next, writes };
}

/**
 * Kinds that hold what a device said and what came of it. With its entries of the ledger and the key of their commitments
 * goes the proof of the content; the commitments stay.
 */
const ofDevice = [
  ...(['alerts', 'audit', 'activity', 'guardianAlerts', 'detections', 'deliveries', 'quarantine'] as const),
  ...(['ledgerEntries', 'ledgerHeads'] as const),
] as const;

function stagesOfDevice(deviceId: string): Stage[] {
  const where = [{ field: 'deviceId', is: '==', value: deviceId }] as unknown as Filter<Kind>[];
  const named = [{ field: 'resourceId', is: '==', value: deviceId }] as unknown as Filter<Kind>[];
  return [
    ...ofDevice.map((kind): Stage => ({ in: kind, where, erase: (world, found) => deletions(world, kind, found) })),
    { in: 'auditStream', where: named, erase: (_world, found) => found.flatMap(withoutContent) },
  ];
}

/** The bytes of a quarantined message lie beside it. */
async function deletions({ store }: World, kind: Kind, found: readonly Stored<Kind>[]): Promise<Write[]> {
  const gone = found.map(({ id, revision }) => ({ kind: 'delete', in: kind, id, revision }) as Write);
  if (kind !== 'quarantine' || found.length === 0) return gone;
  const bytes = await store.get(
    'quarantineBytes',
    found.map(({ id }) => id),
  );
  const beside = bytes.flatMap((each): Write[] =>
    each ? [{ kind: 'delete', in: 'quarantineBytes', id: each.id, revision: each.revision }] : [],
  );
  return [...gone, ...beside];
}

/** That something was done with a device stays, and who did it; what the device was called then does not. */
function withoutContent(stored: Stored<Kind>): Write[] {
  const entry = stored as Stored<'auditStream'>;
  if (entry.data.resourceKind !== 'devices' || (entry.data.before === null && entry.data.after === null)) return [];
  return [put('auditStream', entry.id, { ...entry.data, before: null, after: null }, entry)];
}

/** Kinds that name people. A name may stand anywhere in them, so that each record is looked at. */
const namingPeople = [
  'audit',
  'activity',
  'incidentAudit',
  'auditStream',
  'alerts',
  'incidents',
  'jobs',
  'quarantine',
] as const;

function stagesOfPerson({ person, alias }: { person: Person; alias: string }): Stage[] {
  const names = namesOf(person);
  const isNamed = (record: object) => withoutPerson(record, names, alias) !== null;
  const gone = (kind: 'deliveries' | 'targets'): Stage => ({
    in: kind,
    erase: (world, found) =>
      deletions(
        world,
        kind,
        found.filter(({ data }) => isNamed(data)),
      ),
  });
  return [
    { in: 'teams', erase: (world, found) => withoutContacts(world, person, found) },
    gone('targets'),
    gone('deliveries'),
    ...namingPeople.map(
      (kind): Stage => ({
        in: kind,
        erase: (_world, found) =>
          found.flatMap((stored) => {
            const data = isOwnJob(stored) ? null : withoutPerson(stored.data, names, alias);
            return data ? [put(kind, stored.id, data as never, stored as never)] : [];
          }),
      }),
    ),
  ];
}

/** The record of this job, or of another about a person, is rewritten by its own last step. */
function isOwnJob({ data }: Stored<Kind>): boolean {
  return 'work' in data && data.work.kind === 'erase' && data.work.about?.kind === 'person';
}

async function withoutContacts(
  { store, now }: World,
  person: Person,
  found: readonly Stored<Kind>[],
): Promise<Write[]> {
  const own = new Set(contactsOf({ ...emptyTeam(''), emails: person.emails, phones: person.phones }).map(targetIdOf));
  const isKept = (contact: string, kind: 'emails' | 'phones') =>
    !contactsOf({ ...emptyTeam(''), [kind]: [contact] }).some((each) => own.has(targetIdOf(each)));
  const writes = (found as readonly Stored<'teams'>[]).flatMap((stored): Write[] => {
    const { emails: hadEmails = [], phones: hadPhones = [] } = stored.data;
    const emails = hadEmails.filter((email) => isKept(email, 'emails'));
    const phones = hadPhones.filter((phone) => isKept(phone, 'phones'));
    const isSame = emails.length === hadEmails.length && phones.length === hadPhones.length;
    const next = { ...stored.data, emails, phones, changedAt: now(), version: stored.data.version + 1 };
    return isSame ? [] : [put('teams', stored.id, next, stored)];
  });
  return writes.length === 0 ? [] : [...writes, await revisionWrite(store)];
}
