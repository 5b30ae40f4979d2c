import { build } from 'esbuild';
import { expect, test } from 'vitest';

test.each([['console/src/main.tsx'], ['functions/probes/index.ts']])(
  '%s loads no validator, only the vocabulary',
  async (entry) => {
    const { metafile } = await build({
      entryPoints: [entry],
      bundle: true,
      write: false,
      metafile: true,
      outdir: 'test-output',
      platform: 'node',
      format: 'esm',
      packages: 'external',
      logLevel: 'silent',
    });
    const loaded = Object.keys(metafile.inputs).filter((path) => path.startsWith('shared/schema/'));
    // The strict reader of JSON, with which settings are read, is none.
    const reader = ['shared/schema/json.ts', 'shared/schema/text.ts'];
    expect(loaded.filter((path) => !reader.includes(path))).toEqual(['shared/schema/vocabulary.ts']);
    const packages = Object.values(metafile.inputs).flatMap(({ imports }) => imports.map(({ path }) => path));
    expect(packages.filter((path) => /^(typebox|ajv)/.test(path))).toEqual([]);
  },
);
