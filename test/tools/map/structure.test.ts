import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Ceilings, countsOf, isRefused, linesOf } from '../../../tools/map/counts.ts';
import { structureOf } from '../../../tools/map/structure.ts';

const nothingKnown: Ceilings = { crowded: 0, up: 0, filesInCircles: 0, roomsInCircles: 0, clocks: {} };

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'watchpost-map-'));
  plant({
    'shared/domain/time.ts': 'export type Instant = string;',
    'shared/domain/device/device.ts':
      "import type { Instant } from '../time.ts';\nexport type Device = { at: Instant };",
    'shared/domain/alert/alert.ts': "import type { Device } from '../device/device.ts';\nexport type Alert = Device;",
  });
});
afterEach(() => rmSync(root, { recursive: true }));

function plant(files: Record<string, string>): void {
  for (const [file, source] of Object.entries(files)) {
    mkdirSync(join(root, dirname(file)), { recursive: true });
    writeFileSync(join(root, file), source);
  }
}

function refusals(ceilings: Partial<Ceilings> = {}): string[] {
  const counts = countsOf(structureOf(root), { ...nothingKnown, ...ceilings });
  return counts.filter(isRefused).flatMap(linesOf);
}

test('a tree without fault is refused nothing', () => {
  expect(refusals()).toEqual([]);
});

test('an arrow that runs up is refused, though it is only a type', () => {
  plant({ 'shared/domain/device/view.ts': "\nimport type { Message } from '../intake/message.ts';" });
  plant({ 'shared/domain/intake/message.ts': 'export type Message = string;' });
  expect(refusals()).toEqual([
    'arrows that run up: 1, at most 0 known: REFUSED',
    '  shared/domain/device/view.ts:2: device may not import intake, which stands above it',
  ]);
});

test('a room that nobody gave a place is refused', () => {
  plant({ 'shared/domain/cellar/wine.ts': "import type { Instant } from '../time.ts';" });
  expect(refusals()).toEqual([
    expect.stringContaining('arrows that run up: 1'),
    '  shared/domain/cellar/wine.ts:1: shared/domain/cellar has no place in the tower of tools/map/rooms.ts',
  ]);
});

test('intake stands beside change: of what stands below it, it imports only what it names', () => {
  plant({ 'shared/domain/notify/team.ts': 'export const team = 1;' });
  plant({ 'shared/domain/intake/message.ts': "import { team } from '../notify/team.ts';" });
  expect(refusals()).toEqual([
    expect.stringContaining('arrows that run up: 1'),
    expect.stringMatching(
      /^ {2}shared\/domain\/intake\/message\.ts:1: intake may not import notify \(.*alert, undo\)$/,
    ),
  ]);
});

test('a circle among the files of one room is refused', () => {
  plant({
    'shared/domain/device/a.ts': "import { b } from './b.ts';\nexport const a = b;",
    'shared/domain/device/b.ts': "import type { C } from './c.ts';\nexport const b: C = 1;",
    'shared/domain/device/c.ts': "export type C = number;\nexport type A = typeof import('./a.ts').a;",
  });
  expect(refusals()).toEqual([
    'files in circles: 3, at most 0 known: REFUSED',
    '  shared/domain/device/a.ts, shared/domain/device/b.ts, shared/domain/device/c.ts',
  ]);
});

test('a circle among rooms is refused, though no file is in a circle', () => {
  plant({
    'local/cloud/a.ts': "import { b } from '../stack/b.ts';\nexport const a = b;",
    'local/cloud/c.ts': 'export const c = 1;',
    'local/stack/b.ts': "import { c } from '../cloud/c.ts';\nexport const b = c;",
  });
  expect(refusals()).toEqual(['rooms in circles: 2, at most 0 known: REFUSED', '  local/cloud, local/stack']);
});

test('a clock in the domain is refused by file and line; an adapter may read one', () => {
  const source = '\n\nexport const at = () => new Date().toISOString();';
  plant({ 'shared/domain/device/seen.ts': source, 'shared/adapters/world.ts': source });
  expect(refusals()).toEqual([
    'clocks that are not known: 1, at most 0 known: REFUSED',
    '  shared/domain/device/seen.ts:3: new Date(): time and chance come from World or an argument',
  ]);
});

test('a known clock is let pass, a second one in its file is not', () => {
  const file = 'shared/app/commit/commit.ts';
  plant({ [file]: 'export const a = () => Math.random();' });
  expect(refusals({ clocks: { [file]: 1 } })).toEqual([]);
  plant({ [file]: 'export const a = () => Math.random() + Date.now();' });
  expect(refusals({ clocks: { [file]: 1 } })).toHaveLength(3);
});

test('a fifteenth file in a folder is refused, the fourteenth is not', () => {
  const fill = (count: number) =>
    plant(Object.fromEntries(Array.from({ length: count }, (_, index) => [`device/guardian/f${index}.ts`, ''])));
  fill(14);
  expect(refusals()).toEqual([]);
  fill(15);
  expect(refusals()).toEqual([
    'folders of 15 files or more: 1, at most 0 known: REFUSED',
    '  device/guardian: 15 files',
  ]);
});

test('what is known of is let pass, one more is refused, and less asks for a lower ceiling', () => {
  plant({ 'shared/domain/device/up.ts': "import type { Alert } from '../alert/alert.ts';" });
  // The two rooms now import each other as well.
  expect(refusals({ up: 1, roomsInCircles: 2 })).toEqual([]);
  plant({ 'shared/domain/device/up-too.ts': "import type { Alert } from '../alert/alert.ts';" });
  expect(refusals({ up: 1, roomsInCircles: 2 })).toHaveLength(3);
  const [, up] = countsOf(structureOf(root), { ...nothingKnown, up: 3 });
  expect(up && linesOf(up)[0]).toBe('arrows that run up: 2; lower its ceiling of 3');
});

test('a test counts for its module where it stands at the same place', () => {
  plant({ 'test/shared/domain/time.test.ts': '', 'test/shared/domain/alert.test.ts': '', 'tools/map.ts': '' });
  expect(structureOf(root).mirrored).toEqual(
    new Map([
      ['shared', { tested: 1, of: 3 }],
      ['tools', { tested: 0, of: 1 }],
    ]),
  );
});
