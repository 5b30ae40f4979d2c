import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fileJournal, perform, planText, type Step } from '../../../tools/installation/journal.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'watchpost-journal-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

type About = { database: string };
const about = { database: 'restored-1' };
const now = () => Date.parse('2026-11-22T12:00:00Z');

function stepsOf(names: string[], done: string[], fatal: string | null, again: Record<string, string> = {}): Step[] {
  return names.map((name) => ({
    ...{ name, what: `${name} is done`, commands: name === 'two' ? ['do two'] : [] },
    ...(again[name] ? { againUntil: again[name] } : {}),
    async act() {
      if (name === fatal) throw new Error(`${name} failed`);
      done.push(name);
      return `found ${name}`;
    },
  }));
}

test('a procedure that is cut off goes on with the step that had no end, and says what was done before', async () => {
  const journal = fileJournal<About>(join(folder, 'restore.json'));
  const [done, lines]: [string[], string[]] = [[], []];
  const how = { say: (line: string) => void lines.push(line), now };
  const names = ['one', 'two', 'three'];
  await expect(perform(journal, about, stepsOf(names, done, 'two'), how)).rejects.toThrow('two failed');
  expect(journal.load()).toEqual({
    about,
    steps: [
      { name: 'one', beganAt: '2026-11-22T12:00:00.000Z', endedAt: '2026-11-22T12:00:00.000Z', found: 'found one' },
      { name: 'two', beganAt: '2026-11-22T12:00:00.000Z', endedAt: null, found: '' },
    ],
  });
  await perform(journal, about, stepsOf(names, done, null), how);
  expect(done).toEqual(['one', 'two', 'three']);
  expect(lines).toContain('1/3 one is done: done at 2026-11-22T12:00:00.000Z');
  expect(lines).toContain('    found three');
});

test('a step that must still be true is done again, until the step that ends it has begun', async () => {
  const journal = fileJournal<About>(join(folder, 'restore.json'));
  const done: string[] = [];
  const how = { say: () => {}, now };
  const names = ['stop', 'copy', 'resume'];
  const again = { stop: 'resume' };
  await expect(perform(journal, about, stepsOf(names, done, 'copy', again), how)).rejects.toThrow();
  await expect(perform(journal, about, stepsOf(names, done, 'resume', again), how)).rejects.toThrow();
  await perform(journal, about, stepsOf(names, done, null, again), how);
  expect(done).toEqual(['stop', 'stop', 'copy', 'resume']);
});

test('a journal about something else is refused', async () => {
  const journal = fileJournal<About>(join(folder, 'restore.json'));
  await perform(journal, about, stepsOf(['one'], [], null), { say: () => {}, now });
  const other = perform(journal, { database: 'restored-2' }, stepsOf(['one'], [], null), { say: () => {}, now });
  await expect(other).rejects.toThrow('restored-1');
});

test('a plan numbers the steps, with the commands of each', () => {
  expect(planText(stepsOf(['one', 'two'], [], null))).toEqual(['1. one is done', '2. two is done', '     do two']);
});
