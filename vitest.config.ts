import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { missingForEmulators } from './local/cloud/emulators.ts';

/** `test`: what finds faults at a low price. `rest`: files named `.rest.test.ts` and every second store, width and variant. `all`: both. */
const set = process.env['TEST_SET'] ?? 'all';
/** Attacks and faults that write: `test` runs them on the twin, `rest` on the emulator where there is one. */
const onBothStores = [
  'test/attack/{cameras,fuzz,group-writes,groups,guardians,page-tokens,unstorable}.test.ts',
  'test/fault/simulated/{clocks,disorder,faults-of-the-store}.test.ts',
  'test/fault/simulated/interruptions.rest.test.ts',
];
/** Files with tests of both sets (`test/support/sets.ts`). */
const inBothSets = [
  'test/contract/{bridge,twin}.test.ts',
  'test/e2e/{console-cursor,console-frame,console-now,console-pages,console-tasks,guardian-stack,main-job,webhooks}.test.ts',
  'test/fault/guardian-mosquitto.test.ts',
];
/** Files that put something in the place of a module or of a global of the process, or that need them untouched: each has a process of its own. */
const apart = [
  'test/console/src/{client/*,components/shell/palette-rows}.test.ts',
  'test/fault/simulated/{handoffs,outages}.test.ts',
  'test/local/cloud/{issuer,storage/server}.test.ts',
  'test/shared/adapters/frames/frames.test.ts',
  'test/shared/adapters/outbound/client.test.ts',
];
/** Files that take longest, the longest first: each would be waited for if it began last. */
const longest = [
  'outage',
  'storm',
  'sight',
  'killed-processes',
  'local-stack',
  'console-',
  'guardian-stack',
  'bench',
  'build',
  'checker',
  'every-write',
];
const unitFolders = '{shared,functions,device,bridge,console,local,terraform,tools,docs,attack,sdk,cli}';
const canEmulate = process.env['CI'] === 'true' || missingForEmulators() === null;

/** What a project runs of a set. */
function chosen(folders: readonly string[], onlyInRest: readonly string[] = []) {
  const ending = set === 'rest' ? '.rest.test.ts' : '.test.ts';
  return {
    include: [...folders.map((folder) => `test/${folder}/*${ending}`), ...(set === 'test' ? [] : onlyInRest)],
    exclude: [...configDefaults.exclude, ...(set === 'test' ? ['**/*.rest.test.ts'] : [])],
  };
}

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex((part) => moduleId.includes(part));
      return at < 0 ? longest.length : at;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

const unit = chosen([`${unitFolders}/**`, 'fault/simulated/**']);

export default defineConfig({
  test: {
    // Generous: a noisy machine must not fail a test. What must be quick is bounded by the test itself.
    testTimeout: 180_000,
    hookTimeout: 120_000,
    sequence: { sequencer: LongestFirst },
    // Two runs print side by side: without a window that is drawn again and again.
    ...(process.env['TEST_REPORT'] ? { reporters: [['default', { summary: false }], './tools/test/reporter.ts'] } : {}),
    projects: [
      {
        extends: true,
        test: {
          ...unit,
          name: 'unit',
          exclude: [...unit.exclude, ...apart],
          maxWorkers: '100%',
          // A worker keeps the modules that it has loaded: to load them anew for each file is a third of the work.
          isolate: false,
          unstubGlobals: true,
        },
      },
      { extends: true, test: { name: 'unit-apart', include: set === 'rest' ? [] : apart, maxWorkers: '100%' } },
      {
        extends: true,
        test: {
          ...chosen(
            [
              '{contract,e2e,bench}/**',
              'fault',
              ...(process.env['FAULT_SIZE'] === 'full' ? ['{fault/full,e2e-full}'] : []),
            ],
            [...inBothSets, ...(canEmulate ? onBothStores : [])],
          ),
          name: 'stack',
          env: { TEST_STORE: 'emulator' },
          globalSetup: ['test/support/stores/shared-emulator.ts', 'test/support/stack/shared-browser.ts'],
          // Each file starts servers and emulators of its own, and waits for them more than it works.
          maxWorkers: 3,
          // Where one vitest runs all projects: it demands that projects with another number of workers run after each other.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
