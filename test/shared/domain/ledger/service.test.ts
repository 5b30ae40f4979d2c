import { expect, test } from 'vitest';
import { serviceRecorded } from '../../../../shared/domain/ledger/service.ts';
import { at } from '../../../support/world/timeline.ts';

const blind = (from: number, noticedAt: number, to: number, isOpen = false) => ({
  ...{ from: at(from), noticedAt: at(noticedAt), to: at(to), isOpen },
});
const recorded = (from: number, horizon: number, ...spans: ReturnType<typeof blind>[]) =>
  serviceRecorded(at(from), at(horizon), spans, 180_000)?.intervals.map(({ begin, end }) => [...begin, ...end]);

test('nothing new is known while the horizon stands', () => {
  expect(serviceRecorded(at(0), at(0), [], 180_000)).toBeNull();
  expect(serviceRecorded(at(0), at(60), [], 180_000)).toEqual({ from: at(0), to: at(60), intervals: [] });
});

test('a blindness begins before it was noticed, and ends up to three minutes before that was', () => {
  expect(recorded(0, 9999, blind(100, 300, 1000))).toEqual([[at(100), at(300), at(820), at(1000)]]);
  expect(recorded(0, 9999, blind(100, 300, 400))).toEqual([[at(100), at(300), at(300), at(400)]]);
  expect(recorded(0, 9999, blind(100, 300, 1000, true))).toEqual([[at(100), at(300), at(1000), at(1000)]]);
});

test('the times of blindness are in order, and those that end before or begin after the record are left out', () => {
  const [one, two] = [blind(100, 200, 500), blind(600, 700, 1000)];
  const begins = (...spans: ReturnType<typeof blind>[]) => recorded(0, 9999, ...spans)?.map(([begin]) => begin);
  expect([begins(one, two), begins(two, one)]).toEqual([
    [at(100), at(600)],
    [at(100), at(600)],
  ]);
  expect(recorded(500, 600, one, two)).toEqual([]);
  expect(recorded(499, 601, one, two)).toHaveLength(2);
});

test('a blindness that was noticed soon after another one begins where that one ended', () => {
  const [one, two] = [blind(100, 280, 500), blind(400, 580, 1000)];
  expect(recorded(0, 9999, two, one)).toEqual([
    [at(100), at(280), at(320), at(500)],
    [at(500), at(580), at(820), at(1000)],
  ]);
  expect(recorded(0, 9999, blind(100, 280, 500), blind(120, 300, 500))).toEqual([[at(100), at(280), at(320), at(500)]]);
});
