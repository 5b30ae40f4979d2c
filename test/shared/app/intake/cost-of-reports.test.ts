import { expect, test } from 'vitest';
import { createMemoryStore } from '../../../../shared/adapters/memory/store.ts';
import { takeMessage } from '../../../../shared/app/intake/take-message.ts';
import { unchangedReports } from '../../../support/records/unchanged-reports.ts';
import { unlessQuick } from '../../../support/score/score.ts';
import { countingStore } from '../../../support/stores/counting-store.ts';
import { frames } from '../../../support/world/frames.ts';
import { createTestWorld } from '../../../support/world/world.ts';

const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
const devices = unlessQuick(100, 500);
const minutes = 20;
const reports = devices * minutes;

test(`${reports} reports of ${devices} devices that change nothing cost at most 1 read and on average 0.5 write each`, async () => {
  const { store, spent, reset } = countingStore(createMemoryStore());
  const world = createTestWorld(store);
  const all = [...unchangedReports(devices, minutes + 1)];
  // The first report of each device registers it. In addition, a process checks once a minute whether the settings have changed.
  for (const report of all.slice(0, devices)) await takeMessage(world, report, intake);
  reset();
  for (const report of all.slice(devices)) await takeMessage(world, report, intake);
  expect(spent.reads / reports).toBeLessThanOrEqual(1);
  expect(spent.writes / reports).toBeLessThanOrEqual(0.5);
  expect(spent.writes).toBeGreaterThan(devices);
  expect([spent.deletes, spent.queries]).toEqual([0, 0]);
  expect(await store.count({ in: 'activity' })).toBe(0);
  // One wake for each device: the warning that its certificate expires soon.
  expect(world.wakes).toHaveLength(devices);
});
