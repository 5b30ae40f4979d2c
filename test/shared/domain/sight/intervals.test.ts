import { describe, expect, test } from 'vitest';
import { decideReport, decideSeen } from '../../../../shared/domain/change/report-decision.ts';
import { type Device, newDevice } from '../../../../shared/domain/device/device.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { derive } from '../../../../shared/domain/sight/intervals.ts';
import { report } from '../../../support/records/reports.ts';
import { at } from '../../../support/world/timeline.ts';

const waits = waitsAt(1);
const minute = 60;

/** A camera after these messages, in this order: status reports, unless `kind` names a connection report. */
function notified(...lines: [seconds: number, kind?: 'online' | 'offline', more?: object][]): Device {
  let device = newDevice('cam-1', at(lines[0]?.[0] ?? 0));
  for (const [seconds, kind, more = {}] of lines) {
    const one = kind ? report('connection', { status: kind, ...more }, seconds) : report('status', {}, seconds);
    const decided = decideReport(device, one, waits);
    if (decided.isWorthWriting) device = decided.device;
  }
  return device;
}
const each = (from: number, to: number): [number][] =>
  Array.from({ length: Math.floor((to - from) / minute) + 1 }, (_unused, index): [number] => [from + index * minute]);
const of = (device: Device, horizon: number, from = 0) => derive(device, at(from), at(horizon), waits);
const short = (device: Device, horizon: number, from = 0) =>
  of(device, horizon, from)?.intervals.map(({ state, cause, begin, end, isOpen }) => [
    `${state} ${cause}${isOpen ? ' open' : ''}`,
    ...[...begin, ...end].map((instant) => (Date.parse(instant) - Date.parse(at(0))) / 1000),
  ]);

describe('what is recorded', () => {
  test('ends with a sighting, and is seen between sightings', () => {
    const device = notified(...each(0, 30 * minute));
    expect(of(device, 28 * minute)).toEqual({ from: at(0), to: at(28 * minute), intervals: [] });
    expect(of(device, 32 * minute)).toEqual({ from: at(0), to: at(30 * minute), intervals: [] });
    expect(of(device, 30 * minute, 30 * minute)).toBeNull();
  });

  test('is blind where a broker saw the connection closed and made, within ten seconds', () => {
    const cut: [number, 'offline' | 'online', object?][] = [
      [605, 'offline', { reason: 'tcp_closed' }],
      [700, 'online'],
    ];
    const device = notified(...each(0, 600), ...cut, ...each(720, 1800));
    expect(short(device, 1800)).toEqual([['blind lost', 595, 605, 690, 700]]);
  });

  test('is blind since the last sighting at the earliest where a broker only waited in vain', () => {
    const device = notified(
      ...each(0, 600),
      [690, 'offline', { reason: 'keepalive_timeout' }],
      [900, 'online'],
      ...each(960, 1800),
    );
    expect(short(device, 1800)).toEqual([['blind lost', 600, 690, 890, 900]]);
  });

  test('is blind in a long silence, but not in the time in which reports may only be unwritten', () => {
    const device = notified(...each(0, 600), ...each(3600, 4800));
    expect(short(device, 4800)).toEqual([['blind silent', 600, 810, 3510, 3600]]);
  });

  test('is uncertain in a silence that its edges may explain', () => {
    expect(short(notified(...each(0, 600), ...each(880, 1800)), 1800)).toEqual([
      ['uncertain silent', 600, 810, 790, 880],
    ]);
  });

  test('is blind up to the horizon while nothing came since, and only then', () => {
    const device = notified(...each(0, 600));
    expect(of(device, 830)).toEqual({ from: at(0), to: at(600), intervals: [] });
    expect(short(device, 3600)).toEqual([['blind silent open', 600, 810, 3510, 3600]]);
    expect(of(device, 3600)?.to).toBe(at(3600));
  });

  test('is the same for reports in another order and twice', () => {
    const lines: [number, ('online' | 'offline')?, object?][] = [
      ...each(0, 600),
      [605, 'offline', { reason: 'tcp_closed' }],
      [900, 'online'],
      ...each(960, 1800),
    ];
    const straight = notified(...lines);
    expect(short(notified(...lines, ...lines), 1800)).toEqual(short(straight, 1800));
    const late = [...each(0, 600), ...each(960, 1800)] as typeof lines;
    const [interval] =
      short(notified(...late, [605, 'offline', { reason: 'tcp_closed' }], [900, 'online']), 1800) ?? [];
    expect(interval?.[0]).toBe('blind lost');
  });

  test('knows nothing of a session that another took over', () => {
    const device = notified(
      ...each(0, 600),
      [601, 'online'],
      [602, 'offline', { reason: 'takenover' }],
      ...each(660, 1800),
    );
    expect(short(device, 1800)).toEqual([]);
  });

  test('is not registered before it was heard of; one whose guardian alone was heard is silent', () => {
    const unheard = [['blind not-registered', 0, 0, 3600, 3600]];
    const heard = notified(...each(3600, 7200));
    expect(short(heard, 7200)).toEqual(unheard);
    expect(short({ ...heard, registeredAt: at(60) }, 7200)).toEqual(unheard);
    expect(short(newDevice('cam-1', at(0)), 7200)).toEqual([['blind not-registered', 0, 0, 7200, 7200]]);
    expect(short({ ...newDevice('cam-1', at(0)), wasHeard: true }, 7200)?.[0]?.[0]).toBe('blind silent open');
  });

  test('is uncertain where a camera reports only on change, unless its broker tells', () => {
    const device = {
      ...notified(...each(0, 600), ...each(3600, 4800)),
      patience: { silenceSeconds: null, lossSeconds: 300, periodSeconds: 0 },
    };
    expect(short(device, 4800)?.[0]?.[0]).toBe('uncertain silent');
  });

  test('takes what could not be read as a sign of life', () => {
    let device = notified(...each(0, 600));
    device = decideSeen(device, { at: at(780), id: 'x' }, waits).device;
    expect(of(device, 800)?.to).toBe(at(780));
  });

  test('says that nothing is remembered of what was dropped', () => {
    const flaps = Array.from({ length: 120 }, (_unused, index): [number, 'offline' | 'online', object?][] => [
      [600 + index * 60, 'offline', { reason: 'tcp_closed' }],
      [630 + index * 60, 'online'],
    ]).flat();
    const [first] = short(notified(...each(0, 540), ...flaps, ...each(7860, 9000)), 9000) ?? [];
    expect(first?.[0]).toBe('uncertain unknown');
  });
});
