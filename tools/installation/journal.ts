import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/**
 * One step of a procedure. It is safe to repeat, because a procedure can be killed at any instant: a step that began and did not end is done again.
 */
export type Step = {
  name: string;
  /** What shall be true afterwards. */
  what: string;
  /** What a person would run for the same, or nothing where no command exists. */
  commands: string[];
  /** The name of a later step. Until that one has begun, a procedure that is continued does this step again. */
  againUntil?: string;
  /** @returns what was found, for whoever reads the record */
  act(): Promise<string>;
};

/** When a step began and ended, and what it found. `endedAt` null: it began, and it is not known how far it came. */
export type StepRecord = { name: string; beganAt: string; endedAt: string | null; found: string };

/** The record of one procedure. `about`: what it is done to; a procedure about something else needs a record of its own. */
export type ProcedureRecord<About extends object> = { about: About; steps: StepRecord[] };

/** Where the record of a procedure is kept. */
export type Journal<About extends object> = {
  /** Null: the procedure did not begin. */
  load(): ProcedureRecord<About> | null;
  save(record: ProcedureRecord<About>): void;
};

/** A journal in a file, which is replaced whole: a kill while it is written leaves the one before. */
export function fileJournal<About extends object>(file: string): Journal<About> {
  return {
    load: () => (existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as ProcedureRecord<About>) : null),
    save(record) {
      writeFileSync(`${file}.next`, `${JSON.stringify(record, null, 2)}\n`);
      renameSync(`${file}.next`, file);
    },
  };
}

/**
 * Performs the steps in their order, each recorded before and after, and goes on where an earlier call was cut off.
 * @param say tells what is done
 * @throws what a step throws: the procedure stands still there
 */
export async function perform<About extends object>(
  journal: Journal<About>,
  about: About,
  steps: readonly Step[],
  { say, now }: { say(line: string): void; now(): number },
): Promise<ProcedureRecord<About>> {
  const record = journal.load() ?? { about, steps: [] };
  if (JSON.stringify(record.about) !== JSON.stringify(about))
    throw new Error(`the record is about ${JSON.stringify(record.about)}: finish that first, or move its file away`);
  const began = (name: string) => record.steps.some((each) => each.name === name);
  for (const [index, { name, what, againUntil, act }] of steps.entries()) {
    const at = `${index + 1}/${steps.length} ${what}`;
    const before = record.steps.find((each) => each.name === name);
    const isAgain = againUntil !== undefined && !began(againUntil);
    if (before?.endedAt && !isAgain) {
      say(`${at}: done at ${before.endedAt}`);
      continue;
    }
    const own = before ?? { name, beganAt: new Date(now()).toISOString(), endedAt: null, found: '' };
    if (!before) record.steps.push(own);
    own.endedAt = null;
    journal.save(record);
    say(at);
    own.found = await act();
    own.endedAt = new Date(now()).toISOString();
    journal.save(record);
    if (own.found !== '') say(`    ${own.found}`);
  }
  return record;
}

/** The plan of a procedure as a person reads it. */
export function planText(steps: readonly Step[]): string[] {
  return steps.flatMap(({ what, commands }, index) => [
    `${index + 1}. ${what}`,
    ...commands.map((command) => `     ${command}`),
  ]);
}
