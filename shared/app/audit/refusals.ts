import { auditRecord } from '../../domain/audit/entry.ts';
import type { Timer, World } from '../ports.ts';

/** Counts refused calls in few records. An attacker can cause refusals at no cost, so each one must cost us almost nothing. */
export type Refusals = {
  /** `who`: an address or a subject. Null: unknown. */
  gather(who: { address: string | null } | { subject: string }, reason: string): Promise<void>;
  /** Writes the collected counts. */
  flush(): Promise<void>;
};

type RefusalOptions = {
  /** Distinguishes the instances of the service. */
  instance: string;
  maxInstances: number;
};

/** Records per minute that all instances together may write. */
const mostOfAll = 1000;
const minuteMs = 60_000;
/** Far below the 500 writes of one commit. */
const batchSize = 400;

type RefusalCount = { address: string | null; subject: string | null; reason: string; count: number };

/**
 * Writes one record for each combination of address or subject, reason, minute and instance, up to a limit. Refusals above the limit are
 * counted in one record.
 */
export function createRefusals(world: World, { instance, maxInstances }: RefusalOptions): Refusals {
  const most = Math.max(1, Math.floor(mostOfAll / maxInstances));
  let minute = '';
  let gathered = new Map<string, RefusalCount>();
  let timer: Timer | null = null;
  const flush = async () => {
    const entries = [...gathered.values()];
    const of = minute;
    timer?.stop();
    timer = null;
    gathered = new Map();
    if (entries.length === 0) return;
    const count = entries.reduce((sum, each) => sum + each.count, 0);
    world.log.warn('requests.refused', { minute: of, count, records: entries.length });
    await keep(world, entries, `${instance}-${of}`, `${of}:00.000Z`);
  };
  const gather: Refusals['gather'] = async (who, reason) => {
    const now = world.now().slice(0, 16);
    const ended = now === minute ? null : flush();
    minute = now;
    const { address, subject } = { address: null, subject: null, ...who };
    const key = JSON.stringify([address, subject, reason]);
    const isMore = !gathered.has(key) && gathered.size >= most - 1;
    const known = gathered.get(isMore ? many : key);
    if (known) known.count += 1;
    else if (isMore) gathered.set(many, { address: null, subject: null, reason: 'several', count: 1 });
    else gathered.set(key, { address, subject, reason, count: 1 });
    timer ??= world.after(minuteMs, () => void flush());
    await ended;
  };
  return { gather, flush };
}

const many = 'many';

/** A failing store must not turn a refusal into an internal error. */
async function keep({ store, log }: World, entries: readonly RefusalCount[], id: string, at: string): Promise<void> {
  try {
    for (let index = 0; index < entries.length; index += batchSize) {
      const writes = entries.slice(index, index + batchSize).map(({ address, subject, reason, count }, offset) => {
        const entryId = `${id}-${index + offset}`;
        const facts = { entryId, address, subject, reason, count, action: 'request', outcome: 'refused' } as const;
        return { kind: 'create', in: 'auditStream', id: entryId, data: auditRecord(facts, at) } as const;
      });
      await store.commit(writes);
    }
  } catch (error) {
    log.error('audit.failed', { records: entries.length, error: String(error) });
  }
}
