import { expect, test } from 'vitest';
import { decideDue } from '../../../../shared/domain/change/report-decision.ts';
import { type Device, newDevice } from '../../../../shared/domain/device/device.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import type { ReportedLoss } from '../../../../shared/domain/sight/sightings.ts';
import { at } from '../../../support/world/timeline.ts';

const waits = waitsAt(1);
const loss = (from: number, to: number | null): ReportedLoss => {
  return {
    at: at(from),
    epoch: null,
    statedAt: null,
    isSharp: true,
    backAt: to === null ? null : at(to),
    isBackSharp: true,
  };
};
const camera = (losses: ReportedLoss[], given: Partial<Device> = {}): Device => ({
  ...newDevice('cam-1', at(0)),
  isOnline: true,
  lastSeenAt: at(990),
  sightings: { since: null, runs: [{ from: at(0), to: at(990) }], losses },
  ...given,
});
const judged = (device: Device, horizon = 1000, clearSince: string | null | undefined = null) =>
  decideDue(device, at(1060), at(horizon), waits, clearSince);
const opened = (...given: Parameters<typeof judged>) =>
  judged(...given).orders.flatMap((order) => (order.kind === 'open' ? [`${order.seed.code} ${order.pastAt}`] : []));

test('a loss that is over is recorded once the horizon has passed its end, and then ends', () => {
  const lost = camera([loss(100, 401)]);
  expect(opened(lost, 400)).toEqual([]);
  const first = judged(lost);
  expect(opened(lost)).toEqual([`CONN_001 ${at(400)}`]);
  expect(first.device).toMatchObject({ absentAt: at(401), open: { CONN_001: { overAt: at(401), spells: [at(100)] } } });
  const second = judged(first.device);
  expect(second.orders).toMatchObject([
    { kind: 'end', pastAt: at(401) },
    { kind: 'open', seed: { code: 'CONN_004' }, pastAt: at(401) },
  ]);
  expect(second.device).toMatchObject({ absentAt: null, open: {} });
  expect(judged(second.device).orders).toEqual([]);
});

test('neither copies of a loss nor what an alert told of are recorded again', () => {
  const copies = judged(camera([loss(100, 401), loss(102, 401)])).device;
  expect(judged(judged(copies).device).orders).toEqual([]);
  expect(opened(camera([loss(100, 401)], { lossesJudgedTo: at(400) }))).toEqual([]);
});

test('no loss is recorded that was short, that lasts, that fell in a gap of the horizon or belongs to an earlier group', () => {
  expect(opened(camera([loss(100, 400)]))).toEqual([]);
  expect(opened(camera([loss(100, null)]))).toEqual([]);
  expect(opened(camera([loss(100, 401)]), 1000, at(100))).toEqual([]);
  expect(opened(camera([loss(100, 401)]), 1000, at(99))).toEqual([`CONN_001 ${at(400)}`]);
  expect(opened(camera([loss(100, 401)], { groupSince: at(101) }))).toEqual([]);
});

test('a loss that was told late, in a time in which the camera was seen, is not taken for one until its last sighting', () => {
  const late = { ...loss(100, 990), isBackSharp: false };
  expect(opened(camera([late]))).toEqual([]);
  const runs = [
    { from: at(0), to: at(100) },
    { from: at(990), to: at(990) },
  ];
  expect(opened(camera([late], { sightings: { since: null, runs, losses: [late] } }))).toEqual([`CONN_001 ${at(400)}`]);
});

test('where the gaps of the horizon are not known, the loss waits for the sweep', () => {
  const waiting = decideDue(camera([loss(100, 401)]), at(1060), at(1000), waits);
  expect([waiting.orders, waiting.device.absentAt]).toEqual([[], at(401)]);
});
