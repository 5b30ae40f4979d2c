import { createHash, createHmac } from 'node:crypto';
import { retention } from '../limits.ts';
import type { LostTime } from '../restored/restored.ts';
import type { RecordedSpan } from '../sight/intervals.ts';
import { type Instant, plus } from '../time.ts';
import { blindIn } from './lost-time.ts';
import { hashBytes, leafHash } from './merkle.ts';
import type { LedgerTrail, TrailPosition } from './trail.ts';

/**
 * The end of the chain of entries of one device in one group: its former groups keep theirs, and a new one begins its own. `key` is random: without it, commitments can neither be guessed nor opened. Deleting this record
 * therefore erases the device from the log without changing the log.
 */
export type LedgerHead = {
  deviceId: string;
  /** Null: the chain of the service itself. */
  groupId: string | null;
  key: string;
  /** Number of the next entry, and commitment of the last one. */
  n: number;
  last: string;
  /** The time up to which it is recorded. */
  to: Instant;
  /** When the next entry is due. */
  leafAt: Instant;
  /** The last restore of the database that its entries say. Absent: none. */
  restoredAt?: Instant;
  /** How far the trail is recorded. Absent: no entry has a trail yet, and the first one begins at `to`. */
  entered?: TrailPosition;
};

/** A committed entry. */
type LedgerEntry = {
  entryId: string;
  deviceId: string;
  groupId: string | null;
  n: number;
  /** Its place in the log. */
  index: number;
  from: Instant;
  to: Instant;
  /** The exact bytes of the commitment. */
  body: string;
  recordedAt: Instant;
  expireAt: Instant;
};

/** The next leaves of a log of `start` leaves. There is one batch per size, so that a log cannot be continued in two ways. */
type LedgerBatch = { batchId: string; start: number; hashes: string; recordedAt: Instant; expireAt: Instant };

/** The planned size of the log, and the size in its checkpoint. */
export type LedgerState = {
  platformId: string;
  kind: 'ledger';
  planned: number;
  published: number;
  /** When the last entry was planned. Later entries never get an earlier time, whatever the clock says. */
  recordedAt: Instant | null;
  /**
   * `lookedAt`: when the last search for new devices was complete; `lookedTo`: registration and id of the last device that it found; `lookedBackOn`:
   * the day on which a search last went back one day.
   */
  lookedAt: Instant | null;
  lookedTo: [Instant, string] | null;
  lookedBackOn: string | null;
};

/** The collections of the ledger. */
export type LedgerRecords = { ledgerBatches: LedgerBatch; ledgerEntries: LedgerEntry; ledgerHeads: LedgerHead };

export const ledgerStateId = 'ledger';

/** No entry covers more time than this, which limits how far a search by time must look. */
export const longestEntryMs = 7 * 24 * 60 * 60_000;

export function batchIdOf(start: number): string {
  return String(start).padStart(16, '0');
}

/** The id of a chain. Neither ids nor groups contain the sign between them. */
export function headIdOf(deviceId: string, groupId: string | null): string {
  return groupId === null ? deviceId : `${deviceId}@${groupId}`;
}

export function entryIdOf({ deviceId, groupId }: Pick<LedgerHead, 'deviceId' | 'groupId'>, n: number): string {
  return `${headIdOf(deviceId, groupId)}-${String(n).padStart(6, '0')}`;
}

/** The key of one entry. It reveals nothing about other entries. */
export function entryKey(key: string, n: number): Buffer {
  return createHmac('sha256', Buffer.from(key, 'base64url')).update(`watchpost ledger entry ${n}`).digest();
}

/** The commitment that the log holds for an entry. */
export function commitmentOf(key: Uint8Array, body: string): Buffer {
  return createHmac('sha256', key).update(body).digest();
}

/** The next entry of a chain at an index of the log, with its leaf and the chain after it. */
export function nextEntry(
  head: LedgerHead,
  {
    from,
    to,
    intervals: seen,
    trail,
    lost,
  }: RecordedSpan & { trail?: LedgerTrail | undefined; lost?: LostTime | undefined },
  index: number,
  at: Instant,
): { entry: LedgerEntry; hash: Buffer; head: LedgerHead } {
  const { deviceId, groupId, n, key, last } = head;
  const about = groupId === null ? { deviceId } : { deviceId, groupId };
  const intervals = lost ? blindIn(seen, { from, to }, lost) : seen;
  // The log may hold entries that the database has lost: the first one after a restore says so, and what it covers may be covered twice.
  const isFirst = lost !== undefined && head.to <= lost.asOf && head.restoredAt !== lost.at;
  const restored = isFirst ? { asOf: lost.asOf, at: lost.at } : undefined;
  const said = { v: 1, ...about, n, from, to, recordedAt: at, previous: last, restored, intervals, trail };
  const body = JSON.stringify(said);
  const commitment = commitmentOf(entryKey(key, n), body);
  const expireAt = plus(at, retention.ledger);
  return {
    entry: { entryId: entryIdOf(head, n), deviceId, groupId, n, index, from, to, body, recordedAt: at, expireAt },
    hash: leafHash(commitment),
    head: {
      ...head,
      n: n + 1,
      last: commitment.toString('base64'),
      to,
      ...(isFirst ? { restoredAt: lost.at } : {}),
    },
  };
}

/** When the next entry of a device is due: each at its own hour of the day, so that the log grows each hour. */
export function nextLeafAt(deviceId: string, now: Instant, everyMs: number, hourMs: number): Instant {
  const share = createHash('sha256').update(deviceId).digest().readUInt32BE() / 2 ** 32;
  const offset = Math.floor((share * everyMs) / hourMs) * hourMs;
  const ms = Date.parse(now);
  const next = Math.floor(ms / everyMs) * everyMs + offset;
  return new Date(next > ms ? next : next + everyMs).toISOString();
}

export function packed(hashes: readonly Buffer[]): string {
  return Buffer.concat(hashes, hashes.length * hashBytes).toString('base64');
}
