import { expect, test } from 'vitest';
import { createMemoryStore } from '../../../shared/adapters/memory/store.ts';
import { renderReport } from '../../../shared/adapters/reports/render.ts';
import { reportAvailability } from '../../../shared/app/ledger/report.ts';
import { newDevice } from '../../../shared/domain/device/device.ts';
import { type LedgerHead, nextEntry } from '../../../shared/domain/ledger/entry.ts';
import { darkAt, day } from '../../support/ledger/log.ts';
import { ana } from '../../support/records/alerts.ts';
import { ledger } from '../../support/score/score.ts';
import { createTestWorld } from '../../support/world/world.ts';

const cameras = 5000;
const days = 30;

test('the report of 5,000 cameras over a month takes under a minute, with each day of each camera', {
  timeout: 600_000,
}, async () => {
  const world = createTestWorld(createMemoryStore());
  for (let index = 0; index < cameras; index += 1) {
    const deviceId = `cam-${index}`;
    const device = { ...newDevice(deviceId, day(0)), groupId: `group-${index % 40}` };
    await world.store.commit([{ kind: 'create', in: 'devices', id: deviceId, data: device }]);
    let head: LedgerHead = {
      deviceId,
      groupId: `group-${index % 40}`,
      key: Buffer.alloc(32, 1).toString('base64url'),
      n: 0,
      last: '',
      to: day(0),
      leafAt: day(0),
    };
    for (let number = 0; number < days; number += 1) {
      const intervals = (index + number) % 7 === 0 ? [darkAt(number)] : [];
      const made = nextEntry(
        head,
        { from: day(number), to: day(number + 1), intervals },
        number * cameras + index,
        day(number + 1),
      );
      head = made.head;
      await world.store.commit([{ kind: 'create', in: 'ledgerEntries', id: made.entry.entryId, data: made.entry }]);
    }
  }
  const startedAt = performance.now();
  const report = await reportAvailability(world, null, ana, { from: day(0), to: day(days), by: 'device' });
  const { bytes } = await renderReport(report, 'pdf');
  const seconds = (performance.now() - startedAt) / 1000;
  ledger('R16', `report of ${cameras} cameras and a month as PDF in ${seconds.toFixed(1)} s`, {
    tried: cameras,
    lost: cameras - report.parts.length,
    wrong: 0,
    doubled: 0,
  });
  expect(seconds).toBeLessThan(60);
  expect(report.parts).toHaveLength(cameras);
  expect(report.total.minutes.notRecorded).toBe(0);
  expect(Object.values(report.total.minutes).reduce((sum, each) => sum + each, 0)).toBeCloseTo(
    cameras * days * 1440,
    -1,
  );
  expect(bytes.length).toBeGreaterThan(100_000);
});
