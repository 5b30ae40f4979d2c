import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { metricTable } from '../../bridge/process/metrics.ts';
import { variables } from '../../bridge/settings.ts';

const lines = readFileSync('docs/bridge.md', 'utf8').split('\n');
/** The rows of the table with this head. */
const rowsUnder = (head: string) => {
  const from = lines.indexOf(head) + 2;
  return lines.slice(from, lines.indexOf('', from));
};
const code = (text: string) => (text === '' ? '' : `\`${text}\``);

test('docs/bridge.md shows every setting of the bridge with its default', () => {
  const rows = Object.entries(variables).map(
    ([name, variable]) =>
      `| \`${name}\` | ${variable.about} | ${'default' in variable ? code(variable.default) : 'required'} |`,
  );
  expect(rowsUnder('| variable | meaning | default |')).toEqual(rows);
});

test('docs/bridge.md shows every metric of the bridge', () => {
  const rows = Object.entries(metricTable).map(([name, { type, help }]) => `| \`${name}\` | ${type} | ${help} |`);
  expect(rowsUnder('| metric | type | meaning |')).toEqual(rows);
});
