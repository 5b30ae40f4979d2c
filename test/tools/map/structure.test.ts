import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Ceilings, countsOf, isRefused, linesOf } from '../../../tools/map/counts.ts';
import { structureOf } from '../../../tools/map/structure.ts';

const nothingKnown: Ceilings = {
  ...{ crowded: 0, up: 0, filesInCircles: 0, roomsInCircles: 0, clocks: {} },
  ...{ participles: [], repeated: 0, decisions: 0, longCalls: 0 },
};

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

test('a tree without faults is accepted', () => {
  expect(refusals()).toEqual([]);
});

test('an import of a higher room is refused, even of a type', () => {
  plant({ 'shared/domain/device/view.ts': "\nimport type { Message } from '../intake/message.ts';" });
  plant({ 'shared/domain/intake/message.ts': 'export type Message = string;' });
  expect(refusals()).toEqual([
    'arrows that run up: 1, at most 0 known: REFUSED',
    '  shared/domain/device/view.ts:2: device may not import intake, which stands above it',
  ]);
});

test('a room that is not in the list is refused', () => {
  plant({ 'shared/domain/cellar/wine.ts': "import type { Instant } from '../time.ts';" });
  expect(refusals()).toEqual([
    expect.stringContaining('arrows that run up: 1'),
    '  shared/domain/cellar/wine.ts:1: shared/domain/cellar has no place in the tower of tools/map/rooms.ts',
  ]);
});

test('intake may import only the rooms that are listed for it', () => {
  plant({ 'shared/domain/notify/team.ts': 'export const team = 1;' });
  plant({ 'shared/domain/intake/message.ts': "import { team } from '../notify/team.ts';" });
  expect(refusals()).toEqual([
    expect.stringContaining('arrows that run up: 1'),
    expect.stringMatching(
      /^ {2}shared\/domain\/intake\/message\.ts:1: intake may not import notify \(.*alert, undo\)$/,
    ),
  ]);
});

test('a circular import between files of one room is refused', () => {
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

test('a circular import between rooms is refused, even without one between files', () => {
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

test('an allowed clock is accepted, a second one in its file is not', () => {
  const file = 'shared/app/commit/commit.ts';
  plant({ [file]: 'export const a = () => Math.random();' });
  expect(refusals({ clocks: { [file]: 1 } })).toEqual([]);
  plant({ [file]: 'export const a = () => Math.random() + Date.now();' });
  expect(refusals({ clocks: { [file]: 1 } })).toHaveLength(3);
});

test('the twenty-sixth file in a folder is refused, the twenty-fifth is not', () => {
  const fill = (count: number) =>
    plant(Object.fromEntries(Array.from({ length: count }, (_, index) => [`device/guardian/f${index}.ts`, ''])));
  fill(25);
  expect(refusals()).toEqual([]);
  fill(26);
  expect(refusals()).toEqual([
    'folders of more than 25 files: 1, at most 0 known: REFUSED',
    '  device/guardian: 26 files',
  ]);
});

test('a type named by a participle is refused, unless it is allowed, and an allowance that no type needs is refused too', () => {
  plant({
    'shared/domain/device/names.ts':
      'type Asked = string;\nexport type NotNotified = Asked;\nexport type Feed = Asked;',
    'bridge/pack.ts': 'export interface Unread { size: number }\nexport type AskedPage = Unread;',
    'local/cloud/names.ts': 'export type Kept = string;',
  });
  expect(refusals()).toEqual([
    'types named by participles: 3, at most 0 known: REFUSED',
    '  shared/domain/device/names.ts: Asked',
    '  shared/domain/device/names.ts: NotNotified',
    '  bridge/pack.ts: Unread',
  ]);
  expect(refusals({ participles: ['Asked', 'NotNotified', 'Unread', 'Given'] })).toEqual([
    'participles that no type needs: 1, at most 0 known: REFUSED',
    '  Given',
  ]);
});

test('a name that two files of the service declare is refused, the same name in another product is not', () => {
  plant({
    'shared/domain/device/span.ts': 'type Span = { from: number };\nexport type A = Span;',
    'shared/app/span.ts': 'export interface Span { to: number }',
    'tools/a.ts': 'export type A = string;',
  });
  expect(refusals()).toEqual([
    'names of types that are declared more than once: 1, at most 0 known: REFUSED',
    '  Span',
  ]);
  expect(refusals({ repeated: 1 })).toEqual([]);
});

test('a function of a use case that is named as a pure decision is refused, one of the domain is not', () => {
  const source = 'export function decideAll(): void {}\nexport const decided = decideAll;';
  plant({ 'shared/domain/device/decide.ts': source, 'shared/app/decide.ts': `\n${source}` });
  expect(refusals()).toEqual([
    'decisions by name outside the domain: 1, at most 0 known: REFUSED',
    '  shared/app/decide.ts:2 decideAll',
  ]);
});

test('a function of six parameters is refused by file and line, one of five is not', () => {
  plant({
    'local/cloud/six.ts': 'export const five = (a, b, c, d, e) => a;\nexport function six(a, b, c, d, e, f) {}',
  });
  expect(refusals()).toEqual([
    'functions of more than five parameters: 1, at most 0 known: REFUSED',
    '  local/cloud/six.ts:2 six',
  ]);
});

test('an allowed number is accepted, one more is refused, and fewer ask for a lower limit', () => {
  plant({ 'shared/domain/device/up.ts': "import type { Alert } from '../alert/alert.ts';" });
  // The two rooms now import each other as well.
  expect(refusals({ up: 1, roomsInCircles: 2 })).toEqual([]);
  plant({ 'shared/domain/device/up-too.ts': "import type { Alert } from '../alert/alert.ts';" });
  expect(refusals({ up: 1, roomsInCircles: 2 })).toHaveLength(3);
  const [, up] = countsOf(structureOf(root), { ...nothingKnown, up: 3 });
  expect(up && linesOf(up)[0]).toBe('arrows that run up: 2; lower its ceiling of 3');
});

test('a test belongs to the module with the same path', () => {
  plant({ 'test/shared/domain/time.test.ts': '', 'test/shared/domain/alert.test.ts': '', 'tools/map.ts': '' });
  expect(structureOf(root).mirrored).toEqual(
    new Map([
      ['shared', { tested: 1, of: 3 }],
      ['tools', { tested: 0, of: 1 }],
    ]),
  );
});
