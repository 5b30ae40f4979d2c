import { expect, test } from 'vitest';
import { handleDue } from '../../../shared/app/due/due.ts';
import { takeMessage } from '../../../shared/app/intake/take-message.ts';
import { plus } from '../../../shared/domain/time.ts';
import { message } from '../../support/records/reports.ts';
import { guardianAlert } from '../../support/records/stories.ts';
import { ledger, sizeOf } from '../../support/score/score.ts';
import { onStore, sizeOnStore, storesOfRun } from '../../support/stores/store-of-run.ts';
import { frames } from '../../support/world/frames.ts';
import { createRandom } from '../../support/world/random.ts';
import { createTestWorld, startOfTests } from '../../support/world/world.ts';

const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
const seed = Number(process.env['FAULT_SEED'] ?? 1);
const stores = storesOfRun();
const devices = sizeOnStore(sizeOf(10, 25), 1);
const reportsOfEach = 8;
const hour = 3_600_000;

/** What a device's clock shows at a time of the service. `part`: how much of its story has passed, from 0 to 1. */
const clocks: Record<string, (at: string, part: number) => string> = {
  'a day ahead': (at) => plus(at, 24 * hour),
  'a day behind': (at) => plus(at, -24 * hour),
  'a few seconds off': (at) => plus(at, 2500),
  'local time, and an hour back in autumn': (at, part) => plus(at, part < 0.5 ? 2 * hour : hour),
  'local time, and an hour ahead in spring': (at, part) => plus(at, part < 0.5 ? hour : 2 * hour),
  'set right halfway from 1970': (at, part) => (part < 0.5 ? plus('1970-01-01T00:00:00.000Z', part * hour) : at),
  'the year 2099': (at) => plus(at, 73 * 365 * 24 * hour),
  'a battery that forgets, with each report 1970 again': () => '1970-01-01T00:00:00.000Z',
  'running twice as fast': (at, part) => plus(at, part * hour),
};

type Notified = { at: string; part: number; kind: string; body: Record<string, unknown> };

function messagesOfAll(): Map<string, Notified[]> {
  const random = createRandom(seed);
  return new Map(
    Array.from({ length: devices }, (_, index) => {
      let at = startOfTests;
      const notified = Array.from({ length: reportsOfEach }, (_, seq): Notified => {
        at = plus(at, random.pick([20_000, 60_000, 300_000, 1_200_000]));
        const body = {
          ...{ bootId: 'b', seq },
          memory: { usedPercent: random.pick([40, 78, 83, 88, 95]) },
          storage: { freeMegabytes: random.pick([50, 110, 500]) },
          auth: { failedAttempts: random.pick([0, 0, 3, 6]) },
          certificate: { valid: true, notAfter: plus(startOfTests, random.pick([1, 200, 400]) * hour) },
        };
        return { at, part: seq / reportsOfEach, kind: 'status', body };
      });
      const drift = {
        at: plus(at, 30_000),
        part: 0.9,
        kind: 'guardian',
        body: guardianAlert('drift', ['clientId'], ''),
      };
      return [`cam-${index}`, [...notified, drift]] as const;
    }),
  );
}

/** Plays the reports with this clock. Returns the alerts as an operator sees them. */
async function live(notified: Map<string, Notified[]>, clock: (at: string, part: number) => string): Promise<string[]> {
  const world = createTestWorld(stores.empty());
  for (const [deviceId, reports] of notified) {
    for (const [index, { at, part, kind, body }] of reports.entries()) {
      const given = { deviceId, publishTime: at, messageId: `${deviceId}-${index}` };
      await takeMessage(world, message(kind, { ...body, timestamp: clock(at, part) }, given), intake);
    }
  }
  world.pass(12 * 3600);
  for (const deviceId of notified.keys())
    for (let looks = 0; looks < 5; looks += 1) await handleDue(world, 'devices', deviceId);
  const alerts = await world.store.find({ in: 'alerts', limit: 100_000 });
  return alerts
    .map(({ data: { deviceId, code, status, timestamp, resolvedAt, occurrences } }) =>
      [deviceId, code, status, timestamp, resolvedAt, occurrences].join(' '),
    )
    .toSorted();
}

test('only cloud time and sequence decide, whatever device clocks show', { timeout: 300_000 }, async () => {
  const notified = messagesOfAll();
  const right = await live(notified, (at) => at);
  let tried = 0;
  let lost = 0;
  const wrong: string[] = [];
  for (const [name, clock] of Object.entries(clocks)) {
    const seen = await live(notified, clock);
    tried += devices * (reportsOfEach + 1);
    lost += right.filter((alert) => !seen.includes(alert)).length;
    wrong.push(...seen.filter((alert) => !right.includes(alert)).map((alert) => `${name}: ${alert}`));
  }
  ledger('R9', `reports of ${Object.keys(clocks).length} wrong clocks (seed ${seed})${onStore}`, {
    tried,
    lost,
    wrong: wrong.length,
    doubled: 0,
  });
  expect(wrong).toEqual([]);
  expect(lost).toBe(0);
  expect(right.length).toBeGreaterThan(devices);
});
