import { expect, test } from 'vitest';
import { decideForged, decideReport } from '../../../../shared/domain/change/report-decision.ts';
import { newDevice } from '../../../../shared/domain/device/device.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { report } from '../../../support/records/reports.ts';
import { at } from '../../../support/world/timeline.ts';

const waits = waitsAt(1);

test.each([
  // Within ten seconds the order of reports may not be final, so each is written.
  [9.999, true],
  [10, false],
  [119.999, false],
  [120, true],
])('an unchanged report %d s after the last one that was written is written: %s', (seconds, isWritten) => {
  const status = (after: number) => report('status', { memory: { usedPercent: 20 } }, after);
  const { device } = decideReport(newDevice('cam-1', at(0)), status(0), waits);
  expect(decideReport(device, status(seconds), waits).isWorthWriting).toBe(isWritten);
});

test('a forged message that comes again is no further attempt, also after a person has dealt with the first', () => {
  const forged = report('guardian', { forged: true } as never, 10, { messageId: 'm-1' });
  const first = decideForged(newDevice('cam-1', at(0)), forged, waits);
  expect(first.orders.map(({ kind }) => kind)).toEqual(['open']);
  expect(first.isWorthWriting).toBe(true);
  const again = decideForged(first.device, forged, waits);
  expect([again.orders, again.isWorthWriting]).toEqual([[], false]);
  const settled = { ...first.device, attempts: [], open: {}, settledAttempts: ['forged m-1'] };
  const later = decideForged(settled, forged, waits);
  expect([later.orders, later.isWorthWriting]).toEqual([[], false]);
});
