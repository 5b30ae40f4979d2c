import { expect, test } from 'vitest';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { newSight, viewOfSight } from '../../../../shared/domain/sight/sight.ts';

import { at } from '../../../support/world/timeline.ts';

const waits = waitsAt(1);
const drill = { state: 'passed', hop: null, since: at(-9), lastPassedAt: at(-5) } as const;
const record = { ...newSight(at(0)), state: 'lags' as const, since: at(-30), drill };

test('before the first sweep nothing is seen', () => {
  expect(viewOfSight(null, at(0), waits)).toEqual({
    ...{ state: 'blind', since: null, isSwept: false, record: null, drill: null },
  });
});

test('what the last sweep saw holds for 180 s', () => {
  expect(viewOfSight(record, at(180), waits)).toEqual({ state: 'lags', since: at(-30), isSwept: true, record, drill });
  expect(viewOfSight({ ...record, drill: null }, at(180), waits).drill).toBeNull();
  expect(viewOfSight(newSight(at(0)), at(180), waits).drill).toBeNull();
});

test('after that the platform is blind since that sweep, and no drill begins', () => {
  const broken = { state: 'broken', hop: 'sweep', since: at(0), lastPassedAt: at(-5) };
  expect(viewOfSight(record, at(181), waits)).toEqual({
    ...{ state: 'blind', since: at(0), isSwept: false, record, drill: broken },
  });
  expect(viewOfSight({ ...record, drill: null }, at(181), waits).drill).toBeNull();
  expect(viewOfSight(newSight(at(0)), at(181), waits).drill).toBeNull();
});
