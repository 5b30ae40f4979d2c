import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sourceFiles } from '../../../tools/imports.ts';
import { textsOf } from '../../../tools/texts/texts.ts';

test('finds texts that people read, and no other strings', () => {
  const source = `
    const a = <p class="quiet lead" aria-label="The list">Nothing   here <b>yet</b>.</p>;
    say(\`Sending \${count} again.\`); go('/v1/alerts'); const kind = 'snooze-end';
    const words = { title: 'Not found' };`;
  expect(textsOf('x.tsx', source)).toEqual(['The list', 'Nothing here', 'yet', 'Sending … again.', 'Not found']);
});

const all = sourceFiles('.', ['console/src']).flatMap((file) =>
  textsOf(file, readFileSync(file, 'utf8')).map((text) => `${file}: ${text}`),
);

test('the texts of the console have no exclamation marks, apologies or blame', () => {
  expect(all.length).toBeGreaterThan(500);
  expect(
    all.filter((text) => /!(?!=)|\b(please|sorry|oops|invalid|illegal|successfully|simply)\b/i.test(text)),
  ).toEqual([]);
});
