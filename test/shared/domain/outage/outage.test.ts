import { expect, test } from 'vitest';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { type Extent, graceOf, outageAgain, outageOf, wentOn } from '../../../../shared/domain/outage/outage.ts';
import { counted, outage, place } from '../../../support/records/outages.ts';
import { at, minute } from '../../../support/world/timeline.ts';

const waits = waitsAt(1);
const [a, uplink] = [place('site', 'a'), place('uplink', 'u')];
const extent = (given: Partial<Extent> = {}): Extent => ({
  scope: { counted: counted(a, 12, 12, { near: 2 }), baseline: 'near' },
  first: { since: at(0), lastReportBy: null },
  seenAt: at(60),
  darkness: { firstAt: at(0), lastAt: at(28) },
  maintainedUntil: null,
  byGroup: { north: 10 },
  around: [],
  ...given,
});

test.each([
  ['a minute after it was found', 350, 410],
  ['ten seconds before the eighth minute ends, if a broker told of it late', 425, 470],
  ['a minute after it was found where only silence told of it', 560, 620],
  ['a minute after it was found where hardly any time is left', 465, 525],
])('an outage is notified %s', (_, foundAt, notifiedAt) => {
  expect(graceOf(at(0), at(foundAt), waits)).toBe(at(notifiedAt));
});

test('what was dark before stands beside each count, and all cameras elsewhere are counted', () => {
  const around = [counted(uplink, 15, 40, { near: 2 }), counted(place('provider', 'p'), 15, 90)];
  const { message, evidence } = outageOf(extent({ around }), null, null);
  expect(message).toBe('10 of 10 cameras at a are dark. 2 more were dark before.');
  expect(evidence).toEqual([
    '10 of 10 cameras at a dark within 28 s. 2 more were dark before.',
    '25 of 28 elsewhere behind uplink u report',
  ]);
});

test('an outage that returns says nothing of the counts of an earlier spell', () => {
  const before = outage(a, {
    endedAt: at(500),
    evidence: ['10 of 10 cameras at a dark', '10 of 10 back after 8 min.'],
  });
  const again = outageAgain(before, extent({ first: { since: at(900), lastReportBy: null } }), at(20 * minute), waits);
  expect(again.evidence).toEqual(['10 of 10 cameras at a dark within 28 s. 2 more were dark before.']);
});

test('an outage goes on with one that became part of a wider one only if its cameras have been dark ever since', () => {
  const joined = outage(a, { endedAt: at(500), joinedTo: 'wider' });
  expect(wentOn(joined, at(0))).toBe(true);
  expect(wentOn(joined, at(700))).toBe(false);
  expect(wentOn(outage(a, { endedAt: at(500) }), at(0))).toBe(false);
});
