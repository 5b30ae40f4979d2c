import { expect, test } from 'vitest';
import { page, patternOf, steps } from './first-hour.ts';

test('the first hour has at most twelve commands, in order, and each says whether it is run here', () => {
  expect(steps.map(({ title }) => Number.parseInt(title, 10))).toEqual(steps.map((_, index) => index + 1));
  expect(steps.length).toBeGreaterThan(9);
  expect(steps.length).toBeLessThanOrEqual(12);
  for (const { title, mark, commands } of steps) {
    expect([title, commands.length]).toEqual([title, 1]);
    expect([title, mark]).not.toEqual([title, null]);
  }
});

test('whatever needs Google Cloud is a stand-in, and nothing else is', () => {
  const isOfGoogle = (command = '') => /\b(gcloud|terraform -chdir)\b/.test(command);
  for (const { title, mark, commands } of steps)
    expect([title, mark]).toEqual([title, isOfGoogle(commands[0]) ? 'stand-in' : 'gate']);
});

test('the page has no command outside of its steps', () => {
  expect(page.match(/^```sh$/gm)).toHaveLength(steps.length);
});

test('a line stands for what a command prints, with anything in place of its dots', () => {
  expect('{"teamId":"operations","phones":[]}').toMatch(patternOf('{"teamId":"operations"…'));
  expect('cam-1   updated').not.toMatch(patternOf('cam-1 … created…'));
});
