import { expect, test } from 'vitest';
import { perform, planText } from '../../../tools/installation/journal.ts';
import { type About, backSteps, halfText, releaseSteps } from '../../../tools/release/steps.ts';
import { keptJournal } from '../../support/installation/installation.ts';
import { after, before, startRelease } from '../../support/installation/release.ts';

const about: About = { commit: 'c'.repeat(40), last: 'v1', before, next: after };
const how = { say: () => {}, now: () => Date.parse('2026-11-22T12:00:00Z') };

test('what is new comes first, then each function, those that read before those that write, and the smoke test last', async () => {
  const { ground, seen, running } = startRelease();
  await perform(keptJournal<About>(), about, releaseSteps(ground, about), how);
  expect(seen).toEqual([
    'nothing changes; all is there that is new',
    'indexes are ready',
    'deliver changes',
    'deadline changes',
    'ingest changes',
    'api changes',
    'smoke',
  ]);
  expect(running()).toEqual(after);
});

test('the plan says which function changes and which does not', () => {
  const lines = planText(releaseSteps(startRelease().ground, about));
  expect(lines).toContain('4. deliver runs the build of cccccccccccc, and /ready calls nothing unhealthy');
  expect(lines).toContain('8. probes is in this release what it was');
});

test.each([
  ['indexes that the other release lacks', { faults: ['the last release asks for x'] }, 'asks for x'],
  [
    'something that is taken away',
    { gone: ['google_firestore_index.this["x"]'] },
    /take away google_firestore_index.*--contract/,
  ],
  ['a restore that is under way', { refusesWrites: true }, 'a restore is under way'],
  ['an index that is not ready', { lacks: 'lacks index x' }, 'lacks index x'],
])('%s ends a release before any function changes', async (_what, change, why) => {
  const { ground, running } = startRelease(change);
  await expect(perform(keptJournal<About>(), about, releaseSteps(ground, about), how)).rejects.toThrow(why);
  expect(running()).toEqual(before);
});

test('a function that makes /ready unhealthy ends the release there, which is said, and is gone on with or returned from', async () => {
  const state = { unhealthyWith: 'ingest' as string | null };
  const { ground, running } = startRelease(state);
  const journal = keptJournal<About>();
  await expect(perform(journal, about, releaseSteps(ground, about), how)).rejects.toThrow('ten minutes after ingest');
  expect(halfText(about, running())).toBe(
    'HALF A RELEASE: deliver, deadline, ingest run cccccccccccc, api what they ran before. Both serve from one database. Call --apply to go on, or --back to return.',
  );
  state.unhealthyWith = null;
  await perform(keptJournal<About>(), about, backSteps(ground, about), how);
  expect(running()).toEqual(before);
  expect(halfText(about, running())).toBeNull();
  await perform(keptJournal<About>(), about, releaseSteps(ground, about), how);
  expect(running()).toEqual(after);
});
