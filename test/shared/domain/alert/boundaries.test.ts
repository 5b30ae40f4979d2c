import { expect, test } from 'vitest';
import type { AlertOrder } from '../../../../shared/domain/alert/orders.ts';
import { decideDue, decideReport, decideSilent } from '../../../../shared/domain/change/report-decision.ts';
import { type Device, newDevice } from '../../../../shared/domain/device/device.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { plus } from '../../../../shared/domain/time.ts';
import type { Report } from '../../../../shared/schema/device/report.ts';
import type { AlertCode } from '../../../../shared/schema/vocabulary.ts';
import { report } from '../../../support/records/reports.ts';
import { guardianAlert } from '../../../support/records/stories.ts';
import { startOfTests } from '../../../support/world/world.ts';

const waits = waitsAt(1);
const minute = 60;
const hour = 3600;
const day = 86_400;
const at = (seconds: number) => plus(startOfTests, seconds * 1000);

type Step = Report | { lookAt: number };
const look = (seconds: number): Step => ({ lookAt: seconds });
const status = (seconds: number, body: Report<'status'>['body']) => report('status', body, seconds);
const online = (seconds: number) => report('connection', { status: 'online', connectedAt: at(seconds) }, seconds);
const lost = (seconds: number, epochSeconds: number, reason?: string) =>
  report('connection', { status: 'offline', connectedAt: at(epochSeconds), ...(reason ? { reason } : {}) }, seconds);
const event = (seconds: number, type: string) => report('event', { type, timestamp: at(seconds) }, seconds);
const drift = (seconds: number, fields = ['broker.port']) =>
  report('guardian', guardianAlert('drift', fields, at(seconds)), seconds);
const healed = (seconds: number, fields = ['broker.port']) =>
  report('guardian', guardianAlert('heal', fields, at(seconds)), seconds);
const conflict = (seconds: number) => report('guardian', guardianAlert('conflict', ['clientId'], at(seconds)), seconds);
const failed = (seconds: number, failedAttempts: number, windowSeconds?: number) =>
  status(seconds, { auth: { failedAttempts, ...(windowSeconds ? { windowSeconds } : {}) } });
const certificate = (seconds: number, notAfterSeconds: number, valid = true) =>
  status(seconds, { certificate: { valid, notAfter: at(notAfterSeconds) } });

function play(steps: Step[]): { device: Device; orders: AlertOrder[] } {
  let device = newDevice('cam-1', startOfTests);
  const orders: AlertOrder[] = [];
  for (const step of steps) {
    const decided =
      'lookAt' in step ? decideDue(device, at(step.lookAt), at(step.lookAt), waits) : decideReport(device, step, waits);
    device = decided.device;
    orders.push(...decided.orders);
  }
  return { device, orders };
}

/** Codes that are open after the steps, and the codes of informational alerts on the way. */
function codesAfter(steps: Step[]): AlertCode[] {
  const { device, orders } = play(steps);
  const moments = orders.flatMap((order) =>
    order.kind === 'open' && ['CONN_004', 'CFG_004', 'RES_004'].includes(order.seed.code) ? [order.seed.code] : [],
  );
  return [...(Object.keys(device.open) as AlertCode[]), ...moments].toSorted();
}

const memory = (seconds: number, usedPercent: number) => status(seconds, { memory: { usedPercent } });
const storage = (seconds: number, freeMegabytes: number) => status(seconds, { storage: { freeMegabytes } });
const latency = (seconds: number, latencyMs: number) => status(seconds, { mqtt: { latencyMs } });

test.each<[string, Step[], AlertCode[]]>([
  ['RES_002 does not begin at 80 %', [memory(0, 80)], []],
  ['RES_002 begins at 80.01 %', [memory(0, 80.01)], ['RES_002']],
  ['RES_002 does not end at 75.01 %', [memory(0, 85), memory(60, 75.01)], ['RES_002']],
  ['RES_002 ends at 75 %', [memory(0, 85), memory(60, 75)], ['RES_004']],
  ['RES_001 does not begin at 90 %', [memory(0, 90)], ['RES_002']],
  ['RES_001 begins at 90.01 % and takes the place of RES_002', [memory(0, 85), memory(60, 90.01)], ['RES_001']],
  ['RES_001 does not end at 85.01 %', [memory(0, 95), memory(60, 85.01)], ['RES_001']],
  ['RES_001 ends at 85 % and leaves RES_002', [memory(0, 95), memory(60, 85)], ['RES_002']],
  ['RES_003 does not begin at 100 MB', [storage(0, 100)], []],
  ['RES_003 begins at 99.9 MB', [storage(0, 99.9)], ['RES_003']],
  ['RES_003 does not end at 119.9 MB', [storage(0, 50), storage(60, 119.9)], ['RES_003']],
  ['RES_003 ends at 120 MB', [storage(0, 50), storage(60, 120)], ['RES_004']],
  ['RES_004 waits for the last resource alert', [memory(0, 95), storage(1, 50), memory(60, 10)], ['RES_003']],
  ['CONN_003 does not begin at 500 ms', [latency(0, 500)], []],
  ['CONN_003 begins at 501 ms', [latency(0, 501)], ['CONN_003']],
  ['CONN_003 does not end at 400 ms', [latency(0, 900), latency(60, 400)], ['CONN_003']],
  ['CONN_003 ends at 399.9 ms', [latency(0, 900), latency(60, 399.9)], []],

  ['CONN_001 does not begin 1 ms before 5 minutes', [online(0), lost(10, 0), look(10 + 5 * minute - 0.001)], []],
  ['CONN_001 begins at 5 minutes to the second', [online(0), lost(10, 0), look(10 + 5 * minute)], ['CONN_001']],
  [
    'CONN_001 ends by a newer connection, CONN_004 tells it',
    [online(0), lost(10, 0), look(311), online(400)],
    ['CONN_004'],
  ],
  [
    'CONN_001 ends by any fresh report without a birth message',
    [online(0), lost(10, 0), look(311), latency(400, 1)],
    ['CONN_004'],
  ],
  [
    'a report that was on its way at the loss does not show that the device is back',
    [online(0), lost(10, 0), latency(15, 1), look(311)],
    ['CONN_001'],
  ],
  ['a report later than the settle time does', [online(0), lost(10, 0), latency(15.001, 1), look(311)], []],
  ['the loss of an older connection changes nothing', [online(0), online(20), lost(30, 0), look(600)], []],
  ['inside one epoch "lost" wins, whichever comes first', [lost(10, 0), online(0), look(311)], ['CONN_001']],
  [
    'a connection with the epoch of the lost one changes nothing',
    [online(0), lost(10, 0), report('connection', { status: 'online', connectedAt: at(0) }, 20), look(311)],
    ['CONN_001'],
  ],
  ['a session that was taken over is no loss', [online(0), lost(10, 0, 'takenover'), look(600)], []],
  ['a session that was discarded is no loss', [online(0), lost(10, 0, 'discarded'), look(600)], []],
  [
    'the last will of a replaced session just before the new "online" is no loss',
    [online(0), report('connection', { status: 'offline' }, 20), online(20.01), look(600)],
    [],
  ],
  [
    'a will that names no connection is the loss of the present one',
    [online(0), report('connection', { status: 'offline' }, 20), look(20 + 5 * minute)],
    ['CONN_001'],
  ],

  ['CONN_002 does not begin at 3 reconnects', [online(0), online(60), online(120), online(180)], []],
  ['CONN_002 begins at 4 reconnects', [online(0), online(60), online(120), online(180), online(240)], ['CONN_002']],
  ['CONN_002 counts a connection once', [online(0), online(60), online(120), online(180), online(180)], []],
  [
    'CONN_002 counts a sliding hour: the 1st of 4 is an hour old',
    [online(0), online(60), online(120), online(180), online(60 + hour)],
    [],
  ],
  [
    'CONN_002 counts a sliding hour: the 1st of 4 is not quite an hour old',
    [online(0), online(60), online(120), online(180), online(60 + hour - 0.001)],
    ['CONN_002'],
  ],
  [
    'CONN_002 ends by time alone when 3 are left',
    [online(0), online(60), online(120), online(180), online(240), look(60 + hour)],
    [],
  ],
  [
    'CONN_002 does not end 1 ms before',
    [online(0), online(60), online(120), online(180), online(240), look(60 + hour - 0.001)],
    ['CONN_002'],
  ],

  ['SEC_001 begins with a failed validation', [event(0, 'certificate_validation_failed')], ['SEC_001']],
  ['SEC_001 begins with a certificate that is not valid', [certificate(0, 90 * day, false)], ['SEC_001']],
  ['SEC_001 ends with a valid one', [event(0, 'certificate_validation_failed'), certificate(60, 90 * day)], []],
  [
    'SEC_001 does not end by an older report',
    [
      event(60, 'certificate_validation_failed'),
      report('status', { timestamp: at(0), certificate: { valid: true } }, 61),
    ],
    ['SEC_001'],
  ],
  ['SEC_001 does not begin at the end of the certificate', [certificate(0, 60), look(60)], ['SEC_003']],
  ['SEC_001 begins 1 ms after the end and takes the place of SEC_003', [certificate(0, 60), look(60.001)], ['SEC_001']],
  ['SEC_003 does not begin at 7 days to the second', [certificate(0, 7 * day)], []],
  ['SEC_003 begins 1 ms later, by time alone', [certificate(0, 7 * day), look(0.001)], ['SEC_003']],
  ['SEC_003 ends with a certificate of 7 days', [certificate(0, 6 * day), certificate(60, 60 + 7 * day)], []],
  ['SEC_002 begins with an attempt', [event(0, 'unauthorized_broker_attempt')], ['SEC_002']],
  [
    'SEC_002 begins with a drift of broker.host',
    [drift(0, ['broker.host']), healed(5, ['broker.host'])],
    ['CFG_002', 'SEC_002'],
  ],
  ['SEC_002 does not end by time', [event(0, 'unauthorized_broker_attempt'), look(400 * day)], ['SEC_002']],
  ['SEC_004 does not begin at 4 failures', [failed(0, 4)], []],
  ['SEC_004 begins at 5 failures', [failed(0, 5)], ['SEC_004']],
  [
    'SEC_004 adds the failures of reports within 10 minutes',
    [failed(0, 2), failed(10 * minute - 0.001, 3)],
    ['SEC_004'],
  ],
  ['SEC_004 does not add what is 10 minutes apart', [failed(0, 2), failed(10 * minute, 3)], []],
  [
    'SEC_004 does not count twice what two reports counted over the same time',
    [failed(0, 3, 600), failed(60, 3, 600)],
    [],
  ],
  ['SEC_004 takes of a longer count its share only', [failed(0, 5, 3600)], []],
  ['SEC_004 does not end before a quiet hour', [failed(0, 5), look(hour - 0.001)], ['SEC_004']],
  ['SEC_004 ends after a quiet hour', [failed(0, 5), look(hour)], []],
  ['one more failure prolongs SEC_004', [failed(0, 5), failed(50 * minute, 1), look(hour)], ['SEC_004']],

  ['CFG_001 begins with a critical drift', [drift(0)], ['CFG_001']],
  [
    'CFG_001 ends when every drifted field is restored',
    [drift(0, ['broker.port', 'clientId']), healed(5, ['broker.port', 'clientId'])],
    ['CFG_002'],
  ],
  [
    'CFG_001 does not end while a field is left',
    [drift(0, ['broker.port', 'clientId']), healed(5, ['clientId'])],
    ['CFG_001', 'CFG_002'],
  ],
  ['CFG_001 does not begin when the heal is handled before its drift', [healed(5), drift(0)], ['CFG_002']],
  ['CFG_002 does not end before 24 hours without drift', [healed(0), look(day - 0.001)], ['CFG_002']],
  ['CFG_002 ends after 24 hours without drift', [healed(0), look(day)], []],
  ['a further drift prolongs CFG_002', [healed(0), drift(hour), healed(hour + 5), look(day)], ['CFG_002']],
  ['CFG_003 begins with a conflict', [conflict(0)], ['CFG_003']],
  ['CFG_003 does not end before an hour without drift', [conflict(0), look(hour - 0.001)], ['CFG_003']],
  ['CFG_003 ends after an hour without drift', [conflict(0), look(hour)], []],
  ['CFG_004 tells that the configuration was updated', [event(0, 'config_updated')], ['CFG_004']],
  ['an event of another type raises nothing', [event(0, 'door_opened')], []],
])('%s', (_name, steps, codes) => {
  expect(codesAfter(steps)).toEqual(codes);
});

test('a device that a sweep finds silent opens CONN_001 with its cause; any report ends it and CONN_004 tells', () => {
  const { device } = play([online(0), latency(60, 1)]);
  const silent = decideSilent(device, device.silentAt ?? '', device.silentAt ?? '', waits);
  expect(silent.orders).toMatchObject([{ kind: 'open', seed: { code: 'CONN_001', context: { cause: 'silent' } } }]);
  expect(silent.device).toMatchObject({ isOnline: false, silentAt: null });
  const back = decideReport(silent.device, latency(2000, 1), waits);
  expect(back.device.isOnline).toBe(true);
  expect(back.orders.map((order) => (order.kind === 'open' ? order.seed.code : order.kind))).toEqual([
    'end',
    'CONN_004',
  ]);
});

test('a device counts as silent 5 minutes and two report periods after its last report, and by as much later as sightings are coarse', () => {
  const { device } = play([latency(0, 1)]);
  expect(device.silentAt).toBe(at(9 * minute));
});

test('messages name the value and the limit', () => {
  const messages = (steps: Step[]) =>
    play(steps).orders.flatMap((order) => (order.kind === 'open' ? [`${order.seed.code} ${order.seed.message}`] : []));
  expect(messages([memory(0, 93), storage(1, 61), latency(2, 742), failed(3, 6), certificate(4, 3 * day)])).toEqual([
    'RES_001 Memory at 93 %, limit 90 %',
    'RES_003 Free storage at 61 MB, limit 100 MB',
    'CONN_003 Network latency at 742 ms, limit 500 ms',
    'SEC_004 6 failed authentications within 10 minutes, limit 5',
    `SEC_003 Certificate ends in 2.9 days, limit 7 days`,
  ]);
});

test('a critical drift holds its notification for the grace, an attempt on the broker does not', () => {
  const { orders } = play([drift(0, ['broker.host'])]);
  const held = orders.map((order) => (order.kind === 'open' ? [order.seed.code, order.seed.notifyAfter] : []));
  expect(held).toEqual([
    ['SEC_002', null],
    ['CFG_001', at(60)],
  ]);
});

test('a condition that returns within 10 minutes reopens its alert, the third time within an hour as flapping', () => {
  const { orders } = play([0, 2, 4, 6].flatMap((n) => [latency(n * minute, 900), latency((n + 1) * minute, 1)]));
  expect(orders.map((order) => (order.kind === 'return' ? `return ${order.flapping}` : order.kind))).toEqual([
    'open',
    'end',
    'return false',
    'end',
    'return false',
    'end',
    'return true',
  ]);
});

test('a condition that returns 10 minutes and 1 ms after its end opens another alert', () => {
  const kinds = (gap: number) =>
    play([latency(0, 900), latency(60, 1), latency(60 + gap, 900)]).orders.map(({ kind }) => kind);
  expect(kinds(10 * minute)).toEqual(['open', 'end', 'return']);
  expect(kinds(10 * minute + 0.001)).toEqual(['open', 'end', 'open']);
});

/** The device after a person has resolved its alert. */
function resolvedByHand(device: Device, code: AlertCode, seconds: number): Device {
  const { [code]: open, ...others } = device.open;
  const alertId = open?.alertId ?? '';
  return { ...device, open: others, ended: { [code]: { alertId, endedAt: at(seconds), by: 'hand', reopenedAt: [] } } };
}

test('resolved by hand while it holds, a condition is raised again by a sighting after an hour, not before and not by time alone', () => {
  const device = resolvedByHand(play([latency(0, 900)]).device, 'CONN_003', 60);
  expect(decideReport(device, latency(60 + hour - 0.001, 900), waits).orders).toEqual([]);
  expect(decideReport(device, latency(60 + hour, 900), waits).orders).toMatchObject([{ kind: 'open' }]);
  const muted = decideReport(device, latency(120, 900), waits).device;
  expect(muted.dueAt).toBeNull();
  expect(decideDue(muted, at(2 * hour), null, waits).orders).toEqual([]);
  expect(decideReport(muted, memory(2 * hour, 20), waits).orders).toEqual([]);
});

test('clock differences above 60 s are shown, 60 s are not', () => {
  const skew = (seconds: number) => play([report('status', { timestamp: at(seconds) }, 0)]).device.clockSkewSeconds;
  expect([60, -60, 60.5, -61].map(skew)).toEqual([null, null, 61, -61]);
});
