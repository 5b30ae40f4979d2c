import { describe, expect, test } from 'vitest';
import {
  leafHash,
  placeOf,
  rootOf,
  subtreesToProve,
  tilePath,
  tilePathPattern,
} from '../../../../shared/domain/ledger/merkle.ts';

/** The leaves and roots of the reference tests of Certificate Transparency (RFC 6962). */
const leaves = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
const roots = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

test('the roots are those of RFC 6962', () => {
  const hashes = leaves.map((leaf) => leafHash(Buffer.from(leaf, 'hex')));
  expect(leaves.map((_leaf, index) => rootOf(hashes.slice(0, index + 1)).toString('hex'))).toEqual(roots);
  expect(rootOf([]).toString('hex')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
});

describe('a tile', () => {
  test.each([
    [{ level: 0, index: 0, width: 256 }, 'tile/0/000'],
    [{ level: 0, index: 1, width: 17 }, 'tile/0/001.p/17'],
    [{ level: 2, index: 1234067, width: 256 }, 'tile/2/x001/x234/067'],
    [{ level: 1, index: 1000, width: 3 }, 'tile/1/x001/000.p/3'],
  ])('%j has the path that C2SP gives it', (tile, path) => {
    expect(tilePath(tile)).toBe(path);
    expect(tilePathPattern.test(path.slice('tile/'.length))).toBe(true);
  });
  test.each([
    '',
    '64/000',
    '0/00',
    '0/x001',
    '0/000.p/0',
    '0/000.p/256',
    '0/../checkpoint',
    '0/000.p/01',
    '0//000',
    '0/000/',
  ])('has never the path %j', (path) => {
    expect(tilePathPattern.test(path)).toBe(false);
  });
  test('holds the hashes of its level', () => {
    expect(placeOf({ lo: 512, count: 256 }, 1000)).toEqual({ tile: { level: 1, index: 0, width: 3 }, from: 2, to: 3 });
    expect(placeOf({ lo: 768, count: 8 }, 1000)).toEqual({ tile: { level: 0, index: 3, width: 232 }, from: 0, to: 8 });
  });
});

test('what is given to prove leaves and older trees covers each other leaf exactly once', () => {
  for (const [size, indexes, older] of [
    [1, [0], []],
    [7, [2], [4]],
    [1000, [3, 999], [17, 512]],
    [6, [], [6]],
    [300, [], []],
  ] as [number, number[], number[]][]) {
    const ranges = subtreesToProve(size, indexes, older);
    const covered = ranges.flatMap(({ lo, count }) => Array.from({ length: count }, (_unused, index) => lo + index));
    expect([...covered, ...indexes].toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: size }, (_unused, index) => index),
    );
    for (const { lo, count } of ranges) expect(older.some((end) => end > lo && end < lo + count)).toBe(false);
  }
});
