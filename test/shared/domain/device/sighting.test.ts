import { expect, test } from 'vitest';
import { isOfUnknownAge } from '../../../../shared/domain/device/sighting.ts';
import { report } from '../../../support/records/reports.ts';
import { at } from '../../../support/world/timeline.ts';

const kept = { isLeftover: true };

test.each([
  ['a status without a time', report('status', { memory: { usedPercent: 1 } }, 0, kept), true],
  ['a status with a time', report('status', { timestamp: at(0), memory: { usedPercent: 1 } }, 0, kept), false],
  ['a birth without its connection', report('connection', { status: 'online' }, 0, kept), true],
  ['a birth with its connection', report('connection', { status: 'online', connectedAt: at(0) }, 0, kept), false],
  ['an event, which counts only once', report('event', { type: 'reboot', timestamp: at(0) } as never, 0, kept), true],
  ['a status that no broker had kept', report('status', { memory: { usedPercent: 1 } }, 0), false],
  ['a birth that no broker had kept', report('connection', { status: 'online' }, 0), false],
])('%s that was retained is of unknown age: %s', (_name, given, isUnknown) => {
  expect(isOfUnknownAge(given)).toBe(isUnknown);
});
