import { readFileSync } from 'node:fs';
import { createReader } from './reader.ts';
import { sizes, writeNight } from './script.ts';
const [size = 'small', seed = '1', answers = '180'] = process.argv.slice(2);
const script = writeNight(Number(seed), sizes[size as 'small']);
const lived = JSON.parse(readFileSync(`/tmp/night-${size}-${seed}-${answers}.json`, 'utf8'));
const reader = createReader(script);
const seen = new Set();
for (const { channel, text } of lived.letters) {
  const read = reader.read(channel, text);
  const shape = text.replaceAll(/\d+/g, '#').replaceAll(/\S*night\.test\S*/g, '').slice(0, 300);
  if (seen.has(shape)) continue;
  seen.add(shape);
  console.log('-----', channel, text, '\n>>', read.kind, read.subject?.name, '\n' + read.claims.map(({ about, sentence, ...rest }) => `   ${about?.name}: ${JSON.stringify(rest)}`).join('\n'), '\nUNREAD', read.unread);
}
