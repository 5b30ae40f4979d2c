import { liveThrough } from './live.ts';
import { sizes, writeNight } from './script.ts';
import { writeFileSync } from 'node:fs';
const [size = 'small', seed = '1', answers = '180'] = process.argv.slice(2);
const script = writeNight(Number(seed), sizes[size as 'small']);
const t = performance.now();
const lived = await liveThrough(script, { answersAfter: answers === 'none' ? null : Number(answers), onHour: (h) => console.error(h, Math.round(performance.now() - t), 'ms', JSON.stringify(process.memoryUsage().heapUsed / 1e6 | 0)) });
console.error(Math.round(performance.now() - t), 'ms', lived.stats, lived.letters.length, 'letters', lived.calls.length, 'calls', lived.acts.length, 'acts');
writeFileSync(`/tmp/night-${size}-${seed}-${answers}.json`, JSON.stringify(lived));
