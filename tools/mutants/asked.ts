// Answers questions of its parent process by running tests in the present folder. It stays alive, so that unchanged modules stay loaded.
import { resolve } from 'node:path';
import { createVitest } from 'vitest/node';

/** Asks whether some test notices the change of a file. */
export type Question = { changed: string; tests: readonly string[] };

const vitest = await createVitest('test', {
  project: ['unit', 'unit-apart'],
  watch: false,
  bail: 1,
  maxWorkers: 1,
  reporters: [{}],
});

/** The file of the previous change. It is read again, because it may have been restored. */
let last: string | undefined;

process.on('message', async ({ changed, tests }: Question) => {
  for (const file of [changed, last]) if (file) vitest.invalidateFile(resolve(file));
  last = changed;
  const asked = tests.map((test) => resolve(test));
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(
    vitest.projects.flatMap((project) =>
      asked.filter((test) => project.matchesTestGlob(test)).map((test) => project.createSpecification(test)),
    ),
  );
  const fails = testModules.some((module) => asked.includes(module.moduleId) && module.state() === 'failed');
  process.send?.({ isNoticed: fails || unhandledErrors.length > 0 });
});
// Ends when the parent process has ended.
process.on('disconnect', () => process.exit());
process.send?.('ready');
