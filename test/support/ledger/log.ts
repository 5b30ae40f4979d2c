import { commitmentOf, entryKey, type LedgerHead, nextEntry } from '../../../shared/domain/ledger/entry.ts';
import { leafHash, rootOf, subtreesToProve } from '../../../shared/domain/ledger/merkle.ts';
import { type NoteKey, signedNote, verifierKey } from '../../../shared/domain/ledger/note.ts';
import type { Interval, RecordedSpan } from '../../../shared/domain/sight/intervals.ts';
import type { ProofBundle } from '../../../shared/schema/ledger/ledger.ts';
import { origin, testKey } from './objects.ts';
import { answersOf } from './verifiers.ts';

const dayMs = 24 * 3_600_000;
const begin = Date.parse('2026-10-01T00:00:00.000Z');
export const day = (number: number) => new Date(begin + number * dayMs).toISOString();

export type Line = { deviceId: string; n: number; body: string; key: Buffer; commitment: Buffer; at: string };

/** The five minutes of blindness on a day, of a camera whose broker reports losses. */
export function darkAt(number: number): Interval {
  const at = (seconds: number) => new Date(begin + number * dayMs + 3_600_000 + seconds * 1000).toISOString();
  return { state: 'blind', cause: 'lost', begin: [at(0), at(10)], end: [at(300), at(310)], isOpen: false, planned: [] };
}

/** The entries of several cameras and days, in the order of recording. `change`: a manipulation by the operator; null leaves the entry out. */
export function linesOf(
  cameras: number,
  days: number,
  change: (recorded: RecordedSpan, deviceId: string, number: number) => RecordedSpan | null = (recorded) => recorded,
): Line[] {
  const heads = Array.from({ length: cameras }, (_unused, index): LedgerHead => {
    const deviceId = `cam-${index}`;
    return {
      deviceId,
      groupId: 'north',
      key: Buffer.alloc(32, index + 1).toString('base64url'),
      n: 0,
      last: '',
      to: day(0),
      leafAt: day(0),
    };
  });
  const lines: Line[] = [];
  for (let number = 0; number < days; number += 1) {
    for (const [index, head] of heads.entries()) {
      const recorded = change(
        { from: head.to, to: day(number + 1), intervals: [darkAt(number)] },
        head.deviceId,
        number,
      );
      if (!recorded) continue;
      const at = new Date(Date.parse(day(number + 1)) + 1000 + index).toISOString();
      const made = nextEntry(head, recorded, lines.length, at);
      heads[index] = made.head;
      const key = entryKey(head.key, head.n);
      lines.push({
        deviceId: head.deviceId,
        n: head.n,
        body: made.entry.body,
        key,
        commitment: commitmentOf(key, made.entry.body),
        at,
      });
    }
  }
  return lines;
}

export function checkpointOf(
  lines: readonly Line[],
  keys: readonly NoteKey[] = [testKey],
): { note: string; size: number; root: string; at: string } {
  const root = rootOf(lines.map(({ commitment }) => leafHash(commitment)));
  const at = lines.at(-1)?.at ?? day(0);
  return {
    note: signedNote({ origin, size: lines.length, root, at }, keys),
    size: lines.length,
    root: root.toString('base64'),
    at,
  };
}

/** The proof bundle of a camera for some days (end exclusive). `since`: the size of an earlier log, 0 for none. */
export function bundleOf(
  lines: readonly Line[],
  deviceId: string,
  [first, last]: [number, number],
  since = 0,
  keys?: readonly NoteKey[],
): ProofBundle {
  const [from, to] = [day(first), day(last)];
  const entries = lines.flatMap(({ body, key, ...line }, index) => {
    const said = JSON.parse(body) as { from: string; to: string };
    const isShown = line.deviceId === deviceId && said.to > from && said.from < to;
    return isShown ? [{ index, key: key.toString('base64'), body }] : [];
  });
  const hashes = lines.map(({ commitment }) => leafHash(commitment));
  const ranges = subtreesToProve(
    lines.length,
    entries.map(({ index }) => index),
    since > 0 ? [since] : [],
  );
  const nodes = Object.fromEntries(
    ranges.map(({ lo, count }) => [`${lo}-${count}`, rootOf(hashes.slice(lo, lo + count)).toString('base64')]),
  );
  return {
    version: 1,
    deviceId,
    from,
    to,
    isPending: false,
    recordedTo: to,
    checkpoint: checkpointOf(lines, keys).note,
    entries,
    nodes,
  };
}

/** A bundle, and what somebody who verifies it brings along. `known`: a checkpoint that was seen before. */
export type Case = {
  text: string;
  from: string;
  to: string;
  keys: string[];
  known: { size: number; root: string; at: string } | null;
};
export type Verdict = {
  verdict: 'proven' | 'partly' | 'not' | 'unclear';
  why?: string;
  kinds?: Record<string, number>;
  gaps?: string[];
};

/** The verdict of each case, by both verifiers. */
export async function verdictsOf(cases: readonly Case[]): Promise<Verdict[]> {
  const answers = await answersOf(
    cases.map(({ text, known, ...more }) => {
      const remembered = known && JSON.stringify({ size: known.size, root: known.root, time: Date.parse(known.at) });
      return { ...more, bytes: Buffer.from(text), known: remembered };
    }),
  );
  return answers.map(({ status, text, data }) => {
    const why = text.replace(/^[A-Z ]+: /, '').replace(/\.( Is the download complete\?)?\n$/, '');
    if (data === null) return { verdict: status === 1 ? 'not' : 'unclear', why };
    const { kinds, gaps } = JSON.parse(data) as { kinds: Record<string, number>; gaps: string[] };
    return { verdict: status === 1 ? 'partly' : 'proven', kinds, gaps };
  });
}

export const testVerifierKey = verifierKey(testKey);
