import { type ErasedSubject, type Members, namesOf, renamed } from '../../domain/job/erasure.ts';
import { put } from '../commit/put.ts';
import type { Filter, Kind, Stored, World, Write } from '../ports.ts';
import { withoutContacts, withoutRecipients } from './erased-contacts.ts';
import { erasedKinds } from './erased-kinds.ts';

/** The result for the records of one step. `refused`: how many contain the name and had to stay. */
export type Erased = { writes: Write[]; refused?: number };

/** One kind of record in order of ids: the query, and what is written for each record found. Or the frames below a prefix. */
export type Stage =
  | {
      in: Kind;
      where?: Filter<Kind>[];
      erase(world: World, found: readonly Stored<Kind>[]): Erased | Promise<Erased>;
    }
  | { in: 'frames'; prefix: string };

type About<K extends ErasedSubject['kind']> = Extract<ErasedSubject, { kind: K }>;

const kinds = Object.keys(erasedKinds) as Kind[];

export function stagesOfDevice({ deviceId }: About<'device'>): Stage[] {
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
  ];
}

export function stagesOfPerson({ person, alias }: About<'person'>): Stage[] {
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

function renaming(kind: Kind, names: readonly string[], alias: string, members: Members): Stage {
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
async function deleted({ store }: World, kind: Kind, found: readonly Stored<Kind>[]): Promise<Erased> {
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
