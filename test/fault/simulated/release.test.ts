import { expect, test } from 'vitest';
import { perform } from '../../../tools/installation/journal.ts';
import { type About, backSteps, halfText, releaseSteps } from '../../../tools/release/steps.ts';
import { deathAt, Killed, keptJournal } from '../../support/installation/installation.ts';
import { after, before, startRelease } from '../../support/installation/release.ts';
import { ledger } from '../../support/score/score.ts';

const about: About = { commit: 'c'.repeat(40), last: 'v1', before, next: after };
const how = { say: () => {}, now: () => Date.parse('2026-11-22T12:00:00Z') };

test('a release killed at each of its calls is gone on with or returned from: each function changes alone, in order, and indexes first', async () => {
  const count = deathAt(0, 'before');
  const whole = startRelease();
  await perform(keptJournal<About>(), about, releaseSteps(whole.mortal(count), about), how);
  const wrong: string[] = [];
  let tried = 0;
  for (let at = 1; at <= count.calls(); at += 1) {
    for (const when of ['before', 'after'] as const) {
      for (const isBack of [false, true]) {
        tried += 1;
        const { ground, mortal, running, wrongs } = startRelease();
        const journal = keptJournal<About>();
        await perform(journal, about, releaseSteps(mortal(deathAt(at, when)), about), how).catch((error) => {
          if (!(error instanceof Killed)) throw error;
        });
        const names = Object.keys(before).filter((name) => before[name] !== after[name]);
        const moved = names.filter((name) => running()[name] === after[name]).length;
        const isHalf = moved > 0 && moved < names.length;
        if ((halfText(about, running()) !== null) !== isHalf)
          wrong.push(`${when} ${at}: ${moved} moved, and it is not said`);
        const steps = isBack ? backSteps(ground, about) : releaseSteps(ground, about);
        await perform(isBack ? keptJournal<About>() : journal, about, steps, how);
        const wanted = isBack ? before : after;
        if (JSON.stringify(running()) !== JSON.stringify(wanted))
          wrong.push(`${when} ${at}: ${JSON.stringify(running())}`);
        wrong.push(...wrongs.map((each) => `${when} ${at}: ${each}`));
      }
    }
  }
  ledger(
    'R21',
    `a release killed ${tried / 2} times, before or after one of its ${count.calls()} calls, and continued or returned from`,
    {
      ...{ tried, lost: 0, wrong: wrong.length, doubled: 0 },
    },
  );
  expect(wrong).toEqual([]);
  expect(tried).toBeGreaterThan(60);
});
