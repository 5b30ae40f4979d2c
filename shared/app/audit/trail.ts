import { type AuditFacts, auditRecord, type Change, toWireEntry } from '../../domain/audit/entry.ts';
import { publicationOf } from '../../domain/delivery/webhook-events.ts';
import type { Configuration } from '../../domain/notify/configuration.ts';
import { decideAndCommit } from '../commit/commit.ts';
import { deliveryWakes, publicationWrites } from '../deliveries/wakes.ts';
import type { Trail, Wake, World, Write } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';
import { recordBefore } from '../writes/before.ts';
import { type AuditedKind, auditedKind, shownChange } from './shown.ts';

/** One call by an authenticated bearer, as an audit entry describes it. */
export type AuditedCall = {
  subject: string;
  issuer: string;
  address: string | null;
  requestId: string;
  action: string;
  resourceKind: string;
  resourceId: string | null;
  /** The content of the request, where no single record shows what it changed. */
  request?: object;
};

type AuditWrites = { writes: Write[]; wakes: Wake[] };

/**
 * Writes exactly one audit entry for a call that changes something: in the commit that changes the record of the path, or at the end of the
 * call where it changes many records or none of that kind.
 */
export function createTrail(world: World, call: AuditedCall): Trail & { settle(): Promise<void> } {
  // The content of a request about many records must not appear as the change of the first one.
  const isOfMany = call.request !== undefined && call.resourceId === null;
  const kind = isOfMany ? null : auditedKind(call.resourceKind);
  let hasChanged = false;
  let isKept = false;
  let missed = 0;
  return {
    async beside(writes, read) {
      const write = isKept || kind === null ? undefined : writes.find((each) => isOf(each, kind, call.resourceId));
      if (!write || kind === null) return { writes: [], wakes: [], hasEntry: false };
      const change = shownChange(kind, await recordBefore(world, kind, write, read), write);
      const facts = doneFacts({ ...call, resourceId: write.id }, change);
      return { ...(await entryWrites(world, facts, read?.configuration)), hasEntry: true };
    },
    committed(hasEntry) {
      hasChanged = true;
      isKept ||= hasEntry;
    },
    missed() {
      missed += 1;
    },
    async settle() {
      if (hasChanged && !isKept) {
        const change = call.request ? { before: null, after: call.request } : null;
        await keep(world, doneFacts(call, change));
        isKept = true;
      }
      if (missed > 0) await keepRefusal(world, call, 'not-found', missed);
      missed = 0;
    },
  };
}

/** Records that a call of an authenticated bearer was refused. */
export async function keepRefusal(world: World, call: AuditedCall, reason: string, count?: number): Promise<void> {
  const { request: _, ...facts } = call;
  const entryId = `${call.requestId}-refused`;
  await keep(world, { ...facts, entryId, outcome: 'refused', reason, ...(count === undefined ? {} : { count }) });
}

function doneFacts({ request: _, ...facts }: AuditedCall, change: Change | null): AuditFacts {
  return { ...facts, entryId: facts.requestId, outcome: 'done', change };
}

async function keep({ trail: _, ...world }: World, facts: AuditFacts): Promise<void> {
  await decideAndCommit(world, async () => ({ ...(await entryWrites(world, facts)), answer: undefined }));
}

/** The entry, and its deliveries to the endpoints that subscribe to it. */
async function entryWrites(world: World, facts: AuditFacts, known?: Configuration | null): Promise<AuditWrites> {
  const now = world.now();
  const entry = auditRecord(facts, now);
  const configuration = known ?? (await loadConfiguration(world));
  const published = publicationOf({ kind: 'audit', at: now, entry: toWireEntry(entry) }, configuration, now);
  return {
    writes: [{ kind: 'create', in: 'auditStream', id: entry.entryId, data: entry }, ...publicationWrites(published)],
    wakes: deliveryWakes(published.deliveries),
  };
}

/** Whether a write is to the record that the path names, or creates one where the path names none. */
function isOf(write: Write, kind: AuditedKind, id: string | null): boolean {
  return write.in === kind && (id === null ? write.kind === 'create' : write.id === id);
}
