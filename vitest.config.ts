import { configDefaults, defineConfig } from 'vitest/config';
import { missingForEmulators } from './local/cloud/emulators.ts';

/** Attacks and faults that write run on the twin and, a smaller number, on the emulator where there is one. */
const onBothStores = [
  'test/attack/{cameras,fuzz,group-writes,groups,guardians,page-tokens,unstorable}.test.ts',
  'test/fault/simulated/{clocks,disorder,interruptions,faults-of-the-store}.test.ts',
];
/** Files that put something in the place of a module or of a global of the process, or that need them untouched: each has a process of its own. */
const apart = [
  'test/console/src/{client/*,components/shell/palette-rows}.test.ts',
  'test/fault/simulated/{handoffs,outages}.test.ts',
  'test/local/cloud/{issuer,storage/server}.test.ts',
  'test/shared/adapters/frames/frames.test.ts',
  'test/shared/adapters/outbound/client.test.ts',
];
const canEmulate = process.env['CI'] === 'true' || missingForEmulators() === null;

export default defineConfig({
  test: {
    // Generous: a noisy machine must not fail a test. What must be quick is bounded by the test itself.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [
            'test/{shared,functions,device,bridge,console,local,terraform,tools,docs,attack,sdk,cli}/**/*.test.ts',
            'test/fault/simulated/**/*.test.ts',
          ],
          exclude: [...configDefaults.exclude, ...apart],
          maxWorkers: '100%',
          // A worker keeps the modules that it has loaded: to load them anew for each file is a third of the work.
          isolate: false,
          unstubGlobals: true,
        },
      },
      { extends: true, test: { name: 'unit-apart', include: apart, maxWorkers: '100%' } },
      {
        extends: true,
        test: {
          name: 'stack',
          include: [
            'test/{contract,e2e,bench}/**/*.test.ts',
            'test/fault/*.test.ts',
            ...(process.env['FAULT_SIZE'] === 'full' ? ['test/{fault/full,e2e-full}/*.test.ts'] : []),
            ...(canEmulate ? onBothStores : []),
          ],
          env: { TEST_STORE: 'emulator' },
          globalSetup: 'test/support/stores/shared-emulator.ts',
          // Each file starts servers and emulators of its own, and waits for them more than it works: three at a time, after the rest.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
          // A browser or emulator starved for seconds by its neighbours is no defect of ours: the gate asks again before it says no,
          // and `tools/test.ts` prints what failed first.
          retry: process.env['CI'] ? 1 : 0,
        },
      },
    ],
  },
});
