import { createHash, createHmac } from 'node:crypto';
import { retention } from '../limits.ts';
import { type Instant, plus } from '../time.ts';
import type { Recorded } from './intervals.ts';
import { hashBytes, leafHash } from './merkle.ts';

/**
 * The chain of entries of one device: where it continues. `key` is random, and what it commits to can neither be guessed nor shown without
 * it: deleting the record erases the device from the log without changing the log.
 */
export type LedgerHead = {
  deviceId: string;
  key: string;
  /** Number and commitment of the next and of the last entry. */
  n: number;
  last: string;
  /** Up to when its time is recorded. */
  to: Instant;
  /** When the next entry is due. */
  leafAt: Instant;
};

/** One entry as it was committed to. */
type LedgerEntry = {
  entryId: string;
  deviceId: string;
  n: number;
  /** Its place in the log. */
  index: number;
  from: Instant;
  to: Instant;
  /** The bytes that are committed to. */
  body: string;
  recordedAt: Instant;
  expireAt: Instant;
};

/** The leaves that follow in a log of `start` leaves: one batch for each size, so that no log can be continued in two ways. */
type LedgerBatch = { batchId: string; start: number; hashes: string; recordedAt: Instant; expireAt: Instant };

/** How much of the log is planned, and how much its checkpoint shows. */
export type LedgerState = {
  platformId: string;
  kind: 'ledger';
  planned: number;
  published: number;
  /** When the last entry was planned: no later one is recorded as earlier, whatever the clock says. */
  recordedAt: Instant | null;
  /** When it looked for new devices, up to which one, by registration and id, and on which day it last looked a day back. */
  lookedAt: Instant | null;
  lookedTo: [Instant, string] | null;
  lookedBackOn: string | null;
};

/** The collections of the ledger. */
export type LedgerRecords = { ledgerBatches: LedgerBatch; ledgerEntries: LedgerEntry; ledgerHeads: LedgerHead };

export const ledgerStateId = 'ledger';

/** No entry is of a longer time, so that whoever looks for those of some time need not look far beyond it. */
export const longestEntryMs = 7 * 24 * 60 * 60_000;

export function batchIdOf(start: number): string {
  return String(start).padStart(16, '0');
}

export function entryIdOf(deviceId: string, n: number): string {
  return `${deviceId}-${String(n).padStart(6, '0')}`;
}

/** The key of one entry: who is shown it learns nothing of the others. */
export function entryKey(key: string, n: number): Buffer {
  return createHmac('sha256', Buffer.from(key, 'base64url')).update(`watchpost ledger entry ${n}`).digest();
}

/** What stands in the log of an entry. */
export function commitmentOf(key: Uint8Array, body: string): Buffer {
  return createHmac('sha256', key).update(body).digest();
}

/** The next entry of a chain at a place of the log, with its leaf and the chain after it. */
export function nextEntry(
  head: LedgerHead,
  { from, to, intervals }: Recorded,
  index: number,
  at: Instant,
  leafAt: Instant,
): { entry: LedgerEntry; hash: Buffer; head: LedgerHead } {
  const { deviceId, n, key, last } = head;
  const body = JSON.stringify({ v: 1, deviceId, n, from, to, recordedAt: at, previous: last, intervals });
  const commitment = commitmentOf(entryKey(key, n), body);
  const expireAt = plus(at, retention.ledger);
  return {
    entry: { entryId: entryIdOf(deviceId, n), deviceId, n, index, from, to, body, recordedAt: at, expireAt },
    hash: leafHash(commitment),
    head: { ...head, n: n + 1, last: commitment.toString('base64'), to, leafAt },
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
