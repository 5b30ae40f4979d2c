import { auditRecord } from '../../domain/audit/entry.ts';
import type { Timer, World } from '../ports.ts';

/** Counts refusals that cost whoever is refused nothing, so that they cost us nothing either. */
export type Refusals = {
  /** `who`: an address, or a subject; null: not known. */
  gather(who: { address: string | null } | { subject: string }, reason: string): Promise<void>;
  /** Keeps what was gathered. */
  flush(): Promise<void>;
};

type Options = {
  /** Tells the instances of the service apart. */
  instance: string;
  maxInstances: number;
};

/** Records of a minute that all instances may write together. */
const mostOfAll = 1000;
const minuteMs = 60_000;
/** Well under the 500 writes of one commit. */
const batchSize = 400;

type Gathered = { address: string | null; subject: string | null; reason: string; count: number };

/** One record for each (address or subject, reason, minute, instance), so many at most; what is more is counted in one. */
export function createRefusals(world: World, { instance, maxInstances }: Options): Refusals {
  const most = Math.max(1, Math.floor(mostOfAll / maxInstances));
  let minute = '';
  let gathered = new Map<string, Gathered>();
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

/** A store that cannot be written to must not turn a refusal into a failure. */
async function keep({ store, log }: World, entries: readonly Gathered[], id: string, at: string): Promise<void> {
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
