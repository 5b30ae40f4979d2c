import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  completeParts,
  consistencyProof,
  hashBytes,
  hashesIn,
  joinedHash,
  leafHash,
  placeOf,
  type Range,
  rootOf,
  subtreesToProve,
  tileWidth,
} from '../../../../shared/domain/ledger/merkle.ts';

const leaves = Array.from({ length: 70 }, (_, index) => leafHash(Buffer.of(index)));
const hashOf = ({ lo, count }: Range) => rootOf(leaves.slice(lo, lo + count));
const hex = (hash: Buffer) => hash.toString('hex');
const node = (left: Buffer, right: Buffer) =>
  createHash('sha256').update(Buffer.of(1)).update(left).update(right).digest();

/**
 * The verifier of RFC 9162, section 2.1.4.2: the roots of the old and the new tree that follow from a proof. It shares no code with the
 * code that creates proofs.
 */
function verified(older: number, size: number, given: readonly Buffer[]): [Buffer, Buffer] {
  const isPower = (older & (older - 1)) === 0;
  const path = isPower ? [rootOf(leaves.slice(0, older)), ...given] : [...given];
  let [last, end] = [older - 1, size - 1];
  while (last % 2 === 1) [last, end] = [last >> 1, end >> 1];
  const [first = Buffer.alloc(0), ...rest] = path;
  let [old, young] = [first, first];
  for (const hash of rest) {
    if (end === 0) throw new Error('the proof is too long');
    if (last % 2 === 1 || last === end) {
      [old, young] = [node(hash, old), node(hash, young)];
      while (last % 2 === 0 && last !== 0) [last, end] = [last >> 1, end >> 1];
    } else young = node(young, hash);
    [last, end] = [last >> 1, end >> 1];
  }
  if (end !== 0) throw new Error('the proof is too short');
  return [old, young];
}

describe('a consistency proof', () => {
  test('convinces the verifier of RFC 9162, for every older tree of every tree', () => {
    for (let size = 2; size <= leaves.length; size++)
      for (let older = 1; older < size; older++) {
        const proof = consistencyProof(older, size).map(hashOf);
        const [old, young] = verified(older, size, proof);
        expect([hex(old), hex(young)], `${older} of ${size}`).toEqual([
          hex(rootOf(leaves.slice(0, older))),
          hex(rootOf(leaves.slice(0, size))),
        ]);
      }
  });

  test('is empty where nothing is to be proven: of the empty tree, and of the tree itself', () => {
    expect([consistencyProof(0, 7), consistencyProof(7, 7), consistencyProof(1, 1), consistencyProof(0, 0)]).toEqual([
      [],
      [],
      [],
      [],
    ]);
  });

  test('is that of the example of RFC 6962, section 2.1.3', () => {
    // The tree of seven leaves: PROOF(3, D[7]) = [c, d, g, l], PROOF(4, D[7]) = [l], PROOF(6, D[7]) = [i, j, k].
    expect(consistencyProof(3, 7)).toEqual([
      { lo: 2, count: 1 },
      { lo: 3, count: 1 },
      { lo: 0, count: 2 },
      { lo: 4, count: 3 },
    ]);
    expect(consistencyProof(4, 7)).toEqual([{ lo: 4, count: 3 }]);
    expect(consistencyProof(6, 7)).toEqual([
      { lo: 4, count: 2 },
      { lo: 6, count: 1 },
      { lo: 0, count: 4 },
    ]);
  });
});

describe('the complete parts of a subtree', () => {
  test.each<[Range, Range[]]>([
    [{ lo: 5, count: 0 }, []],
    [{ lo: 5, count: 1 }, [{ lo: 5, count: 1 }]],
    [{ lo: 8, count: 8 }, [{ lo: 8, count: 8 }]],
    [
      { lo: 0, count: 7 },
      [
        { lo: 0, count: 4 },
        { lo: 4, count: 2 },
        { lo: 6, count: 1 },
      ],
    ],
    [
      { lo: 16, count: 3 },
      [
        { lo: 16, count: 2 },
        { lo: 18, count: 1 },
      ],
    ],
  ])('of %j are %j', (range, parts) => {
    expect(completeParts(range)).toEqual(parts);
  });

  test('have together its hash', () => {
    for (let count = 1; count <= leaves.length; count++) {
      const parts = completeParts({ lo: 0, count }).map(hashOf);
      expect(hex(joinedHash(parts))).toBe(hex(rootOf(leaves.slice(0, count))));
    }
  });
});

describe('what is given to prove leaves', () => {
  test('is nothing of an empty tree, and the whole tree as one hash where nothing is asked', () => {
    expect(subtreesToProve(0, [], [])).toEqual([]);
    expect(subtreesToProve(1, [], [])).toEqual([{ lo: 0, count: 1 }]);
    expect(subtreesToProve(1, [0], [])).toEqual([]);
  });

  test('is as few hashes as possible', () => {
    expect(subtreesToProve(8, [3], [])).toEqual([
      { lo: 0, count: 2 },
      { lo: 2, count: 1 },
      { lo: 4, count: 4 },
    ]);
    expect(subtreesToProve(8, [], [4])).toEqual([
      { lo: 0, count: 4 },
      { lo: 4, count: 4 },
    ]);
  });
});

describe('tiles', () => {
  test('hold 256 hashes of 32 bytes (C2SP tlog-tiles)', () => {
    expect([tileWidth, hashBytes]).toEqual([256, 32]);
    const hashes = leaves.slice(0, 3);
    expect(hashesIn(Buffer.concat(hashes))).toEqual(hashes);
    expect(hashesIn(Buffer.concat([...hashes, Buffer.alloc(31)]))).toEqual(hashes);
    expect(hashesIn(Buffer.alloc(0))).toEqual([]);
  });

  test('of the second level begin with trees of 65,536 leaves', () => {
    const size = 70_000;
    const second = placeOf({ lo: 0, count: 65_536 }, size);
    expect(second).toEqual({ tile: { level: 2, index: 0, width: 1 }, from: 0, to: 1 });
    const first = placeOf({ lo: 65_536, count: 4096 }, size);
    expect(first).toEqual({ tile: { level: 1, index: 1, width: 17 }, from: 0, to: 16 });
    const leaf = placeOf({ lo: 69_999, count: 1 }, size);
    expect(leaf).toEqual({ tile: { level: 0, index: 273, width: 112 }, from: 111, to: 112 });
  });
});
