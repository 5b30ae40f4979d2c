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
      loader: { '.woff2': 'file' },
      logLevel: 'silent',
    });
    const loaded = Object.keys(metafile.inputs).filter((path) => path.startsWith('shared/schema/'));
    // The strict JSON parser, which reads settings, is no validator.
    const reader = ['shared/schema/json.ts', 'shared/schema/text.ts'];
    const words = ['vocabulary', 'scopes', 'channels', 'settings/handoff-kinds', 'alert/urgency'];
    const wordFiles = words.map((name) => `shared/schema/${name}.ts`);
    expect(loaded.filter((path) => !reader.includes(path) && !wordFiles.includes(path))).toEqual([]);
    const packages = Object.values(metafile.inputs).flatMap(({ imports }) => imports.map(({ path }) => path));
    expect(packages.filter((path) => /^(typebox|ajv)/.test(path))).toEqual([]);
  },
);
