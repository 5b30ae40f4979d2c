import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readImports, sourceFiles } from '../imports.ts';
import { circlesOf } from './circles.ts';
import { type Clock, readClocks } from './clocks.ts';
import { arrowsUp, crowdedFolders, filesByFolder, roomOf } from './rooms.ts';
import { readWords, type Words } from './words.ts';

const folders = [
  'shared',
  'functions',
  'device',
  'bridge',
  'local',
  'console/src',
  'sdk/typescript/src',
  'cli/src',
  'tools',
];

/** The measured structure that `npm run check` prints and compares with the limits. */
export type Structure = {
  byFolder: Map<string, number>;
  crowded: string[];
  up: string[];
  fileCircles: string[][];
  roomCircles: string[][];
  clocks: Clock[];
  words: Words;
  /**
   * Number of modules with a test at the same path under `test/`, and of all modules, by top folder. The console is
   * left out.
   */
  mirrored: Map<string, { tested: number; of: number }>;
};

export function structureOf(root: string): Structure {
  const present = folders.filter((folder) => existsSync(join(root, folder)));
  const files = sourceFiles(root, present).filter((file) => !file.includes('/generated/'));
  const imports = readImports(root, files);
  const known = new Set(files);
  const arrows = imports.filter(({ to }) => known.has(to));
  const between = arrows.map(({ from, to }) => [roomOf(from), roomOf(to)] as const).filter(([a, b]) => a !== b);
  const ruled = files.filter((file) => !/^tools\//.test(file));
  return {
    byFolder: filesByFolder(ruled),
    crowded: crowdedFolders(ruled),
    up: arrowsUp(arrows),
    fileCircles: circlesOf(arrows.map(({ from, to }) => [from, to] as const)),
    roomCircles: circlesOf(between),
    clocks: readClocks(root, files),
    words: readWords(root, files),
    mirrored: mirroredTests(root, files),
  };
}

function mirroredTests(root: string, files: readonly string[]): Structure['mirrored'] {
  const tests = new Set(
    existsSync(join(root, 'test')) ? readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }) : [],
  );
  const modules = files.filter((file) => !file.startsWith('console/'));
  return new Map(
    [...Map.groupBy(modules, (file) => file.split('/', 1)[0] ?? '')].map(([folder, of]) => {
      const tested = of.filter((file) => tests.has(file.replace(/\.tsx?$/, '.test.ts')));
      return [folder, { tested: tested.length, of: of.length }];
    }),
  );
}
