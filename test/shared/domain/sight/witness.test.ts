import { expect, test } from 'vitest';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import {
  type GroupSilence,
  isMassSilence,
  shownByReports,
  type Witness,
} from '../../../../shared/domain/sight/witness.ts';
import { at } from '../../../support/world/timeline.ts';

const waits = waitsAt(1);
const now = at(600);
/** `north 590` reported 10 s ago. */
const heard = (...said: string[]): Witness[] =>
  said
    .map((each, index) => {
      const [groupId = '', seconds] = each.split(' ');
      return { deviceId: `cam-${index}`, groupId, lastSeenAt: at(Number(seconds)) };
    })
    .toSorted((a, b) => (a.lastSeenAt < b.lastSeenAt ? 1 : -1));

test.each<[string, Witness[], number, boolean, number | null]>([
  ['two groups: the newest of the second', heard('north 590', 'north 580', 'south 500'), 50, false, 500],
  ['two groups, the one of which was heard more than 2 minutes ago', heard('north 590', 'south 479'), 50, false, null],
  ['one group of a fleet of several', heard('north 590', 'north 580', 'north 570', 'north 560'), 50, false, null],
  ['three devices of a fleet of one group', heard('north 590', 'north 580', 'north 570', 'north 560'), 50, true, 570],
  ['two devices of a fleet of one group', heard('north 590', 'north 580'), 50, true, null],
  ['all of a fleet of two, whose reports are written coarsely', heard('north 590', 'north 370'), 2, true, 370],
  ['one of a fleet of two', heard('north 590', 'north 300'), 2, true, null],
  ['the only device of a fleet', heard('north 370'), 1, true, 370],
  ['two groups, the one of which was heard 2 minutes ago', heard('north 590', 'south 480'), 50, false, 480],
  [
    'all of a fleet of three, the last of which is written coarsely',
    heard('north 590', 'north 580', 'north 400'),
    3,
    true,
    null,
  ],
  ['nobody', [], 0, true, null],
])('reports outweigh a missing canary where they are of %s', (_, recent, online, isOneGroup, seconds) => {
  expect(shownByReports({ recent, online, isOneGroup }, now, waits)).toBe(seconds === null ? null : at(seconds));
});

test.each<[GroupSilence['online'][], GroupSilence['silent'][], boolean]>([
  // Two groups of five or more: 30 % in every one of them.
  [[10, 10], [3, 3], true],
  [[10, 10], [10, 2], false],
  [[10, 10, 4], [3, 3, 0], true],
  // Fewer such groups: 90 % of at least five.
  [[10, 4], [10, 3], true],
  [[10, 4], [8, 4], false],
  [[10], [8], false],
  [[10], [9], true],
  [[5], [5], true],
  [[4], [4], false],
  [[10, 5], [3, 2], true],
  [[10, 4], [3, 4], false],
])('groups of %j of which %j fell silent together: rather us, %s', (online, silent, isUs) => {
  const groups = online.map((count, index) => ({ groupId: `g${index}`, online: count, silent: silent[index] ?? 0 }));
  expect(isMassSilence(groups)).toBe(isUs);
});
