import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Device, newDevice } from '../../../../shared/domain/device/device.ts';
import { leftAt, recordedIn } from '../../../../shared/domain/ledger/of-group.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { membershipsOf, movedFrom } from '../../../../shared/domain/registry/memberships.ts';
import { derive, type Interval } from '../../../../shared/domain/sight/intervals.ts';
import { at, minute } from '../../../support/world/timeline.ts';

const waits = waitsAt(1);
const groups = ['north', 'south', 'west'];
/** Seen each minute but for two silences, and lost once. */
const runs = [
  { from: at(0), to: at(30 * minute) },
  { from: at(50 * minute), to: at(100 * minute) },
  { from: at(120 * minute), to: at(200 * minute) },
];
const horizon = at(200 * minute);

function movedAt(moves: readonly { minutes: number; to: string }[]): Device {
  const sightings = { since: null, runs, losses: [] };
  let device: Device = { ...newDevice('cam-1', at(0)), groupId: 'north', sightings };
  for (const { minutes, to } of moves)
    if (device.groupId !== to) device = { ...device, ...movedFrom(device, at(minutes * minute)), groupId: to };
  return device;
}

const recorded = (device: Device, group: string) =>
  recordedIn(device, group, { from: at(0), horizon }, waits, (intervals) => intervals);

/** The cause of the interval at each half minute, or `seen`. */
function tellsOf(intervals: readonly Interval[]): string[] {
  return Array.from({ length: 400 }, (_, half) => {
    const now = at((half / 2) * minute + 15);
    const found = intervals.filter(({ begin, end }) => begin[0] <= now && now < end[1]);
    expect(found.length, `${now} is in several intervals`).toBeLessThan(2);
    return found[0]?.cause ?? 'seen';
  });
}

test('each moment is told to exactly the group of that moment, as it would be without moves, and to no other', () => {
  const whole = tellsOf(derive(movedAt([]), at(0), horizon, waits)?.intervals ?? []);
  expect(new Set(whole)).toEqual(new Set(['seen', 'silent']));
  const move = fc.record({ minutes: fc.integer({ min: 1, max: 199 }), to: fc.constantFrom(...groups) });
  fc.assert(
    fc.property(fc.array(move, { maxLength: 12 }), (moves) => {
      const device = movedAt(moves.toSorted((a, b) => a.minutes - b.minutes));
      const told = new Map(groups.map((group) => [group, tellsOf(recorded(device, group)?.intervals ?? [])]));
      for (const [half, truth] of whole.entries()) {
        const now = at((half / 2) * minute + 15);
        const own = membershipsOf(device).find(({ from, to }) => from <= now && (to === null || now < to));
        for (const [group, tells] of told)
          expect([group, now, tells[half]]).toEqual([group, now, group === own?.groupId ? truth : 'not-registered']);
      }
    }),
    { numRuns: 50 },
  );
});

test('a bound never reaches into the time of another group', () => {
  const device = movedAt([{ minutes: 40, to: 'south' }]);
  const [silent, away] = recorded(device, 'north')?.intervals ?? [];
  expect(silent).toMatchObject({ cause: 'silent', end: [at(40 * minute), at(40 * minute)], isOpen: false });
  expect(away).toMatchObject({ cause: 'not-registered', begin: [at(40 * minute), at(40 * minute)] });
  const [before, rest] = recorded(device, 'south')?.intervals ?? [];
  expect(before).toMatchObject({ cause: 'not-registered', end: [at(40 * minute), at(40 * minute)] });
  expect(rest).toMatchObject({ cause: 'silent', begin: [at(40 * minute), at(40 * minute)] });
});

test('of more moves than a device remembers, the oldest time is unknown to everybody, and belongs to nobody', () => {
  const moves = Array.from({ length: 30 }, (_, index) => ({ minutes: index + 1, to: groups[(index + 1) % 2] ?? '' }));
  const device = movedAt(moves);
  expect(device.formerGroups).toHaveLength(20);
  for (const group of ['north', 'south']) expect(tellsOf(recorded(device, group)?.intervals ?? [])[4]).toBe('unknown');
});

test('a group has lost a camera since its last time there, or from the beginning where that is not remembered', () => {
  const device = movedAt([{ minutes: 40, to: 'south' }]);
  expect([leftAt(device, 'north'), leftAt(device, 'south')]).toEqual([at(40 * minute), null]);
  expect(leftAt(device, 'west')).toBe('0000');
});
