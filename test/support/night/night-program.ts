// Lives through one night, judges it, and sends the verdict with the transcript to the process that started it: a night replaces the clock and randomness of its process.
// Arguments: the size, the seed, and the seconds after which an operator answers, or `none`.
import { judgeNight } from './judge.ts';
import { liveThrough } from './live.ts';
import { sizes, writeNight } from './script.ts';

const [size, seed, answers] = process.argv.slice(2);
const script = writeNight(Number(seed), sizes[size === 'full' ? 'full' : 'small']);
const startedAt = performance.now();
const lived = await liveThrough(script, { answersAfter: answers === 'none' ? null : Number(answers) });
const tookSeconds = Math.round((performance.now() - startedAt) / 1000);
const { letters: transcript, calls, acts, stats } = lived;
const verdict = judgeNight(script, lived);
process.send?.({ ...verdict, stats, tookSeconds, transcript, calls, acts }, () => process.disconnect?.());
