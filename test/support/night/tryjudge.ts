import { readFileSync } from 'node:fs';
import { judgeNight, clockAt } from './judge.ts';
import { sizes, writeNight } from './script.ts';
const [size = 'small', seed = '1', answers = '180', n = '2'] = process.argv.slice(2);
const script = writeNight(Number(seed), sizes[size as 'small']);
const lived = JSON.parse(readFileSync(`/tmp/night-${size}-${seed}-${answers}.json`, 'utf8'));
const t = performance.now();
const v = judgeNight(script, lived);
console.log(Math.round(performance.now() - t), 'ms', v.claims, 'claims', v.findings.length, 'findings', v.letters, v.sms);
for (const [kind, own] of Map.groupBy(v.findings, (f) => f.kind)) {
  console.log('=====', kind, own.length);
  for (const f of own.slice(0, Number(n))) console.log(clockAt(f.second), f.to, '\n  CLAIM', f.claim, '\n  TRUTH', f.truth, '\n  TEXT', f.text.replaceAll('\n', '|').slice(0, 400));
}
const show = (l: string[]) => `${l.length} ${JSON.stringify(l.slice(0, 12), null, 1)}`;
console.log('unended', show(v.unended));
console.log('untold', v.faults, show(v.untold));
console.log('late', v.outagesToTell, show(v.late));
console.log('silences', v.silencesToTell, show(v.lateSilences));
console.log('lone', v.loneMinutes.map((m) => m.toFixed(1)).join(' '));
