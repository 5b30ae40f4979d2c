import { expect, test } from 'vitest';
import { explained } from '../../../../shared/domain/ledger/planned.ts';
import { windowRecord } from '../../../../shared/domain/maintenance/window.ts';
import type { Interval } from '../../../../shared/domain/sight/intervals.ts';
import { at } from '../../../support/world/timeline.ts';

const silent: Interval = {
  state: 'blind',
  cause: 'silent',
  begin: [at(600), at(700)],
  end: [at(3000), at(3100)],
  isOpen: false,
  planned: [],
};
const subject = { deviceId: 'cam-1', groupId: 'north', site: null, parents: [], tags: {} };
const window = (scope: object, from: number, to: number) =>
  windowRecord(
    { name: 'works', scope, startsAt: at(from), endsAt: at(to) },
    { windowId: 'w', limitedTo: null, createdBy: 'user:ana', createdAt: at(0), changedAt: at(0), version: 1 },
  );
const of = (given: Partial<Parameters<typeof explained>[2]>) =>
  explained([silent], subject, { windows: [], timeZone: 'UTC', blind: [], ...given }, at(9000))[0];

test('a silence while the platform was blind is the platform’s, what a broker reported is not', () => {
  const blind = [{ from: at(2000), noticedAt: at(2300), to: at(2500), isOpen: false }];
  expect(of({ blind })?.cause).toBe('platform');
  expect(
    explained([{ ...silent, cause: 'lost' }], subject, { windows: [], timeZone: 'UTC', blind }, at(9000))[0]?.cause,
  ).toBe('lost');
  expect(of({ blind: [{ from: at(4000), noticedAt: at(4300), to: at(5000), isOpen: false }] })?.cause).toBe('silent');
});

test('the parts of it in maintenance windows are planned, those of other cameras and codes are not', () => {
  expect(of({ windows: [window({ groups: ['north'] }, 0, 1200)] })?.planned).toEqual([[at(600), at(1200)]]);
  expect(of({ windows: [window({ groups: ['north'] }, 1200, 8000)] })?.planned).toEqual([[at(1200), at(3100)]]);
  expect(
    of({ windows: [window({ groups: ['south'] }, 0, 8000), window({ groups: ['north'], codes: ['RES_*'] }, 0, 8000)] })
      ?.planned,
  ).toEqual([]);
});
