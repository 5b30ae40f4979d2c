import { type OrderedKind, orderedKinds, type Position, positionAt } from '../../app/commit-order.ts';
import type { Kind, Tail } from '../../app/ports.ts';
import { compare } from '../order.ts';

/** The order of the commits of an in-process store. */
export type CommitLog = {
  /** Notes the records that one commit has created. */
  note(created: readonly { in: Kind; id: string }[]): void;
  /** Up to `limit` ids after a position, in the order of their commits, and the position up to which the search went. */
  after<K extends OrderedKind>(
    tail: Pick<Tail<K>, 'in' | 'after' | 'limit'>,
    isWanted: (id: string) => boolean,
  ): { ids: { id: string; position: Position }[]; end: Position };
  /** All positions by kind, as plain data. */
  positions(): [string, Position[]][];
  restore(positions: [string, Position[]][]): void;
};

/** @param nowMs the clock of the store. Positions increase even if it stands still. */
export function createCommitLog(nowMs: () => number): CommitLog {
  const logs = new Map<string, Position[]>(orderedKinds.map((kind) => [kind, []]));
  let lastMicros = 0;
  const next = () => {
    lastMicros = Math.max(lastMicros + 1, nowMs() * 1000);
    return lastMicros;
  };
  return {
    note(created) {
      const at = textOf(next());
      const inOrder = created.toSorted((a, b) => compare(a.id, b.id));
      for (const { in: kind, id } of inOrder) logs.get(kind)?.push(`${at}~${id}`);
    },
    after({ in: kind, after, limit }, isWanted) {
      // Later commits get positions after this one.
      const now: Position = `${textOf(next())}~`;
      const ids: { id: string; position: Position }[] = [];
      if (after === null) return { ids, end: now };
      const log = logs.get(kind) ?? [];
      for (let index = firstAfter(log, after); index < log.length && ids.length < limit; index += 1) {
        const position = log[index] as Position;
        const id = position.slice(28);
        if (isWanted(id)) ids.push({ id, position });
      }
      const last = ids.at(-1)?.position ?? after;
      return { ids, end: ids.length === limit || last > now ? last : now };
    },
    positions: () => [...logs],
    restore(positions) {
      for (const [kind, log] of positions) {
        logs.set(kind, log);
        const last = log.at(-1);
        if (last) lastMicros = Math.max(lastMicros, microsOf(last));
      }
    },
  };
}

/** The index of the first position after a given one (binary search). */
function firstAfter(log: readonly Position[], after: Position): number {
  let [low, high] = [0, log.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(log[middle], after) > 0) high = middle;
    else low = middle + 1;
  }
  return low;
}

function textOf(micros: number): string {
  const ms = Math.floor(micros / 1000);
  const text = positionAt(new Date(ms).toISOString());
  return `${text.slice(0, 23)}${String(micros - ms * 1000).padStart(3, '0')}Z`;
}

function microsOf(position: Position): number {
  return Date.parse(`${position.slice(0, 23)}Z`) * 1000 + Number(position.slice(23, 26));
}
