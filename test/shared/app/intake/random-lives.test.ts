import fc from 'fast-check';
import { expect, test } from 'vitest';
import { handleDue } from '../../../../shared/app/due/due.ts';
import { sweep } from '../../../../shared/app/due/sweep.ts';
import { handleReport } from '../../../../shared/app/intake/handle-report.ts';
import type { AlertRecord } from '../../../../shared/domain/alert/alert.ts';
import type { Report } from '../../../../shared/schema/device/report.ts';
import { disordered, story } from '../../../support/records/stories.ts';
import { unlessQuick } from '../../../support/score/score.ts';
import { createTestWorld, type TestWorld } from '../../../support/world/world.ts';

const numRuns = Number(process.env['PROPERTY_RUNS'] ?? unlessQuick(20, 60));

/** Handles the reports, some two at a time. Between them, at random: time passes, the device is handled as due, and sweeps run. */
async function live(world: TestWorld, reports: Report[], chance: () => number) {
  for (let index = 0; index < reports.length; index += 1) {
    const pair = chance() < 0.2 ? reports.slice(index, index + 2) : reports.slice(index, index + 1);
    await Promise.all(pair.map((each) => handleReport(world, each, true)));
    index += pair.length - 1;
    if (chance() < 0.5) world.pass(chance() * 400);
    if (chance() < 0.3) await handleDue(world, 'devices', 'cam-1');
    if (chance() < 0.3) await sweep(world);
  }
  world.pass(3600);
  await sweep(world);
}

async function allAlerts({ store }: TestWorld): Promise<AlertRecord[]> {
  return (await store.find({ in: 'alerts', limit: 10_000 })).map(({ data }) => data);
}

const lives = fc.tuple(
  story.chain((reports) => disordered(reports)),
  fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })),
);

test('no sequence of reports, wakes and sweeps opens two alerts for one device and code, and the record knows each that is open', async () => {
  await fc.assert(
    fc.asyncProperty(lives, async ([reports, stream]) => {
      const world = createTestWorld();
      await live(world, reports, () => stream.next().value ?? 0);
      const open = (await allAlerts(world)).filter(({ isOpen }) => isOpen);
      const known = (await world.store.get('devices', ['cam-1']))[0]?.data.open ?? {};
      expect(open.map(({ code, alertId }) => [code, alertId]).toSorted()).toEqual(
        Object.entries(known)
          .map(([code, { alertId }]) => [code, alertId])
          .toSorted(),
      );
      expect(new Set(open.map(({ code }) => code)).size).toBe(open.length);
    }),
    { numRuns },
  );
});

test('replaying the audit trail of an alert gives its present state, all but the count and the words of its last sighting and the name and places of its device', async () => {
  await fc.assert(
    fc.asyncProperty(lives, async ([reports, stream]) => {
      const world = createTestWorld();
      await live(world, reports, () => stream.next().value ?? 0);
      const trail = (await world.store.find({ in: 'audit', limit: 10_000 })).map(({ data }) => data);
      for (const alert of await allAlerts(world)) {
        const entries = trail
          .filter(({ alertId }) => alertId === alert.alertId)
          .toSorted((a, b) => (a.entryId < b.entryId ? -1 : 1));
        expect(entries.map(({ from }) => from)).toEqual([null, ...entries.slice(0, -1).map(({ to }) => to)]);
        const replayed = Object.assign({}, ...entries.map(({ changes }) => changes));
        expect(withoutSightings({ ...alert, ...replayed })).toEqual(withoutSightings(alert));
        expect(Object.keys(replayed).toSorted()).toEqual(Object.keys(alert).toSorted());
      }
    }),
    { numRuns },
  );
});

test('an alert that ended never ended before it began, and an informational one is resolved at birth', async () => {
  await fc.assert(
    fc.asyncProperty(lives, async ([reports, stream]) => {
      const world = createTestWorld();
      await live(world, reports, () => stream.next().value ?? 0);
      for (const { severity, timestamp, resolved, resolvedAt } of await allAlerts(world)) {
        if (resolvedAt !== null) expect(resolvedAt >= timestamp).toBe(true);
        if (severity === 'INFO') expect([resolved, resolvedAt]).toEqual([true, timestamp]);
      }
    }),
    { numRuns },
  );
});

function withoutSightings(alert: AlertRecord) {
  const { occurrences: _1, lastSeenAt: _2, message: _3, context: _4, deviceName: _5, places: _6, ...rest } = alert;
  return rest;
}
