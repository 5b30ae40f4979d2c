import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { metricTable } from '../../bridge/process/metrics.ts';
import { variables } from '../../bridge/settings.ts';

const page = readFileSync('docs/bridge.md', 'utf8');
const code = (text: string) => (text === '' ? '' : `\`${text}\``);

test('docs/bridge.md shows every setting of the bridge with its default', () => {
  const rows = Object.entries(variables).map(
    ([name, variable]) =>
      `| \`${name}\` | ${variable.about} | ${'default' in variable ? code(variable.default) : 'required'} |`,
  );
  expect(page).toContain(`| variable | meaning | default |\n|---|---|---|\n${rows.join('\n')}\n\n`);
});

test('docs/bridge.md shows every metric of the bridge', () => {
  const rows = Object.entries(metricTable).map(([name, { type, help }]) => `| \`${name}\` | ${type} | ${help} |`);
  expect(page).toContain(`| metric | type | meaning |\n|---|---|---|\n${rows.join('\n')}\n\n`);
});
