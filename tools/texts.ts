// Prints every text that the console shows, by file, so that they can be read as a list: npm run texts
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { sourceFiles } from './imports.ts';
import { textsOf } from './texts/texts.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
for (const file of sourceFiles(root, ['console/src']).toSorted()) {
  const texts = textsOf(file, readFileSync(`${root}/${file}`, 'utf8'));
  if (texts.length > 0) console.log(`${file}\n${texts.map((text) => `  ${text}`).join('\n')}`);
}
