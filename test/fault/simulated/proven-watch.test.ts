import { expect, test } from 'vitest';
import { decideReport } from '../../../shared/domain/change/report-decision.ts';
import { type Device, newDevice } from '../../../shared/domain/device/device.ts';
import { waitsAt } from '../../../shared/domain/limits.ts';
import { derive, type RecordedSpan } from '../../../shared/domain/sight/intervals.ts';
import type { Report } from '../../../shared/schema/device/report.ts';
import { type Judged, judge, nothingJudged } from '../../support/ledger/judge.ts';
import { instant, type Life, livedThrough, mostDelay } from '../../support/ledger/truth.ts';
import { ledger, sizeOf } from '../../support/score/score.ts';
import { createRandom } from '../../support/world/random.ts';

const waits = waitsAt(1);
const seeds = sizeOf(10, 200);
/** `FAULT_SEED` runs one life only. */
const first = Number(process.env['FAULT_SEED'] ?? 1);
const last = process.env['FAULT_SEED'] ? first : seeds;
const messages = sizeOf(2500, 10_000);

/** What Watchpost records of a life whose messages it handles in the order of their arrival. */
function recordedOf(life: Life, random: ReturnType<typeof createRandom>): RecordedSpan[] {
  const records: RecordedSpan[] = [];
  let device: Device | null = null;
  let next = 3600;
  for (const { at, handledAt, kind, body, messageId } of life.sent) {
    while (device && handledAt > next) {
      const from: string = records.at(-1)?.to ?? device.registeredAt;
      const watched = device;
      const recorded = derive(watched, from, instant(next - mostDelay), waits);
      if (recorded) records.push(recorded);
      next += random.chance(0.2) ? random.below(600) : random.below(86_400);
    }
    if (!device && kind === 'connection' && 'status' in body && body.status === 'offline') continue;
    const report = { deviceId: 'cam-1', kind, receivedAt: instant(at), messageId, body } as Report;
    const before: Device = device ?? newDevice('cam-1', instant(at));
    const decided = decideReport(before, report, waits);
    if (!device || decided.isWorthWriting) device = decided.device;
  }
  return records;
}

test('the ledger of a camera never claims more than is true, and claims enough', { timeout: 3_600_000 }, () => {
  const total: Judged = nothingJudged();
  for (let seed = first; seed <= last; seed += 1) {
    const life = livedThrough(createRandom(seed), messages);
    judge(life, recordedOf(life, createRandom(seed + 1000)), `seed ${seed}`, total);
  }
  const { tried, unclaimed, wrongBounds, falselySeen, wide, seenClaimed, seenTruly, belowResolution } = total;
  const share = Math.floor((seenClaimed / seenTruly) * 10_000) / 100;
  const what = `${messages} messages × ${seeds} seeds: ${tried} times of blindness, ${share} % of the time seen is claimed, ${Math.round(belowResolution)} s of unreported gaps under 4 min passed`;
  ledger('R16', what, {
    tried,
    lost: unclaimed.length,
    wrong: wrongBounds.length + falselySeen.length + wide.length,
    doubled: 0,
  });
  expect({ unclaimed, wrongBounds, falselySeen, wide }).toEqual({
    unclaimed: [],
    wrongBounds: [],
    falselySeen: [],
    wide: [],
  });
  expect(share).toBeGreaterThanOrEqual(98);
  expect(tried).toBeGreaterThan(last - first);
});
