import { expect, test } from 'vitest';
import { importsOf, readImports, sourceFiles } from '../../tools/imports.ts';
import { wrongImports } from '../../tools/layers.ts';

test('every import of the service points inward', () => {
  const imports = readImports('.', sourceFiles('.', ['shared', 'functions', 'device', 'bridge', 'console', 'local']));
  expect(imports.length).toBeGreaterThan(100);
  expect(wrongImports(imports)).toEqual([]);
});

test.each([
  ['a plain import', "import { createLog } from '../adapters/log.ts';"],
  ['a type-only import', "import type { World } from '../app/ports.ts';"],
  ['a type among values', "import { type World } from '../app/ports.ts';"],
  ['a re-export', "export * from '../adapters/log.ts';"],
  ['a dynamic import', "const log = await import('../adapters/log.ts');"],
  ['an import in a type position', "type W = import('../app/ports.ts').World;"],
  ['a package that the layer may not use', "import { Firestore } from '@google-cloud/firestore';"],
])('%s that points outward is found', (_, source) => {
  const found = wrongImports(importsOf('shared/domain/planted.ts', source));
  expect(found).toEqual([expect.stringMatching(/^shared\/domain\/planted\.ts:1: domain may not/)]);
});

test('a function may not reach into another function', () => {
  const found = importsOf('functions/ingest/planted.ts', "import { createRouter } from '../api/router.ts';");
  expect(wrongImports(found)).toHaveLength(1);
  expect(wrongImports(importsOf('functions/api/planted.ts', "import { createRouter } from './router.ts';"))).toEqual(
    [],
  );
});
