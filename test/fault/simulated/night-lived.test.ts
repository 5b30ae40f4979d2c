import { expect, test } from 'vitest';
import { judgeNight } from '../../support/night/judge.ts';
import { liveThrough } from '../../support/night/live.ts';
import { kindsIn } from '../../support/night/nights.ts';
import { sizes, writeNight } from '../../support/night/script.ts';

/**
 * The night of `npm run fault -- night` in a small town. Here stands what must hold in every commit; the goals of a whole night, which need thousands
 * of cameras, are in `test/fault/full/night.test.ts`.
 */
test('in a night of a small town, everything that left the house is true and ends, and every lasting fault is told in time', {
  timeout: 600_000,
}, async () => {
  const script = writeNight(1, sizes.small);
  const lived = await liveThrough(script, { answersAfter: 180 });
  const { findings, unended, untold, late, faults, lateSilences, silencesToTell, letters } = judgeNight(script, lived);

  expect(lived.stats['faults']).toBe(0);
  const reports = script.cameras.flatMap(({ deviceId, isSilent }) =>
    isSilent ? [] : (script.dark.get(deviceId) ?? []),
  );
  expect(lived.stats['messages']).toBeGreaterThan(
    script.cameras.length + 2 * reports.filter(({ to }) => to < script.seconds).length,
  );
  expect(Object.keys(letters)).toEqual(
    expect.arrayContaining(['operations sms', 'operations email', 'operations chat']),
  );
  expect(lived.acts.length).toBeGreaterThan(0);

  expect({ faults, untold }).toEqual({ faults: expect.any(Number), untold: [] });
  expect(faults).toBeGreaterThan(100);
  expect({ silencesToTell, lateSilences }).toEqual({ silencesToTell: 6, lateSilences: [] });
  expect(kindsIn(findings)).toBe('none');
  expect({ unended, late }).toEqual({ unended: [], late: [] });
});
