import { expect, test } from 'vitest';
import {
  addEntry,
  availabilityOf,
  emptyAccount,
  kindsOfTime,
  sumOf,
} from '../../../../shared/domain/ledger/account.ts';
import type { Interval } from '../../../../shared/domain/sight/intervals.ts';
import { at } from '../../../support/world/timeline.ts';

const dark = (given: Partial<Interval> = {}): Interval => ({
  ...{ state: 'blind', cause: 'lost', isOpen: false, planned: [] },
  ...{ begin: [at(100), at(110)], end: [at(190), at(200)] },
  ...given,
});
const of = (intervals: Interval[], from = 0, to = 1000) => {
  const account = emptyAccount();
  addEntry(account, { from: at(0), to: at(1000), intervals }, at(from), at(to));
  return Object.fromEntries(kindsOfTime.flatMap((kind) => (account[kind] ? [[kind, account[kind] / 1000]] : [])));
};

test('each moment is counted once, edges as uncertain', () => {
  expect(of([dark()])).toEqual({ seen: 900, lost: 80, uncertain: 20 });
  expect(of([dark({ state: 'uncertain', cause: 'silent' })])).toEqual({ seen: 900, uncertain: 100 });
  expect(of([dark({ cause: 'platform' })])).toEqual({ seen: 900, platform: 80, uncertain: 20 });
});

test('only what lies in the time that is asked for counts', () => {
  expect(of([dark()], 105, 150)).toEqual({ lost: 40, uncertain: 5 });
  expect(of([dark()], 500, 600)).toEqual({ seen: 100 });
  expect(of([dark()], 2000, 3000)).toEqual({});
});

test('what was planned is no downtime', () => {
  expect(of([dark({ planned: [[at(0), at(150)]] })])).toEqual({ seen: 900, planned: 40, lost: 40, uncertain: 20 });
});

test('availability is given both ways and rounded down; what is excused counts neither as up nor as down', () => {
  const account = {
    ...emptyAccount(),
    seen: 9_999,
    lost: 1,
    uncertain: 0,
    platform: 500,
    planned: 500,
    notRecorded: 9,
  };
  expect(availabilityOf(account)).toEqual({ uncertainIsDown: 99.99, uncertainIsUp: 99.99 });
  expect(availabilityOf({ ...emptyAccount(), seen: 50, uncertain: 50 })).toEqual({
    uncertainIsDown: 50,
    uncertainIsUp: 100,
  });
  expect(availabilityOf(emptyAccount())).toEqual({ uncertainIsDown: null, uncertainIsUp: null });
  expect(sumOf([account, account]).seen).toBe(19_998);
});
