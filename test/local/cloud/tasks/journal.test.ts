import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openJournal } from '../../../../local/cloud/tasks/journal.ts';

const program = join(import.meta.dirname, '../../../support/faults/journal-program.ts');

test.skipIf(process.platform !== 'linux')(
  'a full disk refuses a task, and spoils none that was or will be accepted',
  () => {
    const file = join(mkdtempSync(join(tmpdir(), 'journal-')), 'tasks.journal');
    const output = execFileSync(process.execPath, [program, file], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const accepted = JSON.parse(output) as string[];
    expect(accepted.length).toBeGreaterThan(3);
    const kept = openJournal(file, Date.now()).kept.tasks.map(({ name }) => name);
    // The end of the first one may have found room or not.
    const others = (names: string[]) => names.filter((name) => name !== accepted[0]);
    expect(others(kept)).toEqual(others(accepted));
  },
);
