import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { countExecuted } from '../../../tools/map/executed.ts';

const load = createRequire(import.meta.url);

test('a file counts for an input only if one of its functions ran during the input', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'watchpost-executed-')));
  const plant = (folder: string) => {
    mkdirSync(join(root, folder), { recursive: true });
    const file = join(root, folder, 'module.cjs');
    writeFileSync(file, 'exports.act = function act() {};');
    return file;
  };
  const [called, readied, elsewhere] = ['shared/called', 'shared/readied', 'tools'].map(plant);
  const loaded = ['shared/loaded-first', 'shared/loaded-second'].map(plant);
  const counted = await countExecuted(
    {
      first: async () => {
        load(readied ?? '').act();
        return async () => {
          load(called ?? '').act();
          load(elsewhere ?? '').act();
          load(loaded.shift() ?? '');
        };
      },
      second: async () => async () => {},
    },
    root,
  );
  rmSync(root, { recursive: true });
  expect(counted).toEqual(
    new Map([
      ['first', ['shared/called/module.cjs']],
      ['second', []],
    ]),
  );
});
