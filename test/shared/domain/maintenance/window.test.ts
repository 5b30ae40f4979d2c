import { describe, expect, test } from 'vitest';
import { retention } from '../../../../shared/domain/limits.ts';
import {
  endedWindow,
  faultsOfWindow,
  holdOf,
  isAbout,
  isAboutDevice,
  lookedAtWindow,
  toWireWindow,
  type WindowRecord,
  type WindowSubject,
  windowRecord,
} from '../../../../shared/domain/maintenance/window.ts';
import { plus } from '../../../../shared/domain/time.ts';
import type { MaintenanceWindowInput } from '../../../../shared/schema/maintenance/window.ts';
import { at } from '../../../support/world/timeline.ts';

const hour = 3600;
const forever = '9999-12-31T23:59:59.999Z';
const input = (given: Partial<MaintenanceWindowInput> = {}): MaintenanceWindowInput => ({
  ...{ name: 'Works', reason: 'New switch', scope: { groups: ['north'] } },
  ...(given.recurrence ? {} : { startsAt: at(0), endsAt: at(hour) }),
  ...given,
});
const kept = {
  windowId: 'w-1',
  limitedTo: null,
  createdBy: 'user:ana',
  createdAt: at(0),
  changedAt: at(0),
  version: 4,
};
const window = (given: Partial<WindowRecord> = {}): WindowRecord => ({ ...windowRecord(input(), kept), ...given });
const subject = (given: Partial<WindowSubject> = {}): WindowSubject => ({
  ...{
    deviceId: 'cam-1',
    groupId: 'north',
    site: 'gbg',
    parents: [{ kind: 'switch', id: 'sw-1' }],
    tags: { floor: '2' },
  },
  code: 'CONN_001',
  ...given,
});
const scoped = (scope: WindowRecord['scope'], limitedTo: string[] | null = null) => window({ scope, limitedTo });

describe('a window is about a camera', () => {
  test.each<[string, WindowRecord['scope'], boolean]>([
    ['without conditions', {}, true],
    ['of its id', { devices: ['cam-2', 'cam-1'] }, true],
    ['not of another id', { devices: ['cam-2'] }, false],
    ['of its group', { groups: ['north'] }, true],
    ['not of another group', { groups: ['south'] }, false],
    ['of its site', { sites: ['gbg'] }, true],
    ['not of another site', { sites: ['sth'] }, false],
    [
      'of its switch',
      {
        parents: [
          { kind: 'uplink', id: 'up' },
          { kind: 'switch', id: 'sw-1' },
        ],
      },
      true,
    ],
    ['not of another switch', { parents: [{ kind: 'switch', id: 'sw-2' }] }, false],
    ['not of something else with the name of its switch', { parents: [{ kind: 'uplink', id: 'sw-1' }] }, false],
    ['with one of the values of a tag', { tags: { floor: ['1', '2'] } }, true],
    ['not with another value', { tags: { floor: ['1'] } }, false],
    ['where all conditions hold', { devices: ['cam-1'], groups: ['north'], sites: ['gbg'] }, true],
    ['not where one of them does not', { devices: ['cam-1'], groups: ['south'], sites: ['gbg'] }, false],
    ['not where an empty list names nothing', { devices: [] }, false],
  ])('%s', (_, scope, is) => {
    expect(isAboutDevice(scoped(scope), subject())).toBe(is);
  });

  test('without a site only where no site is named', () => {
    expect(isAboutDevice(scoped({ sites: ['gbg'] }), subject({ site: null }))).toBe(false);
    expect(isAboutDevice(scoped({}), subject({ site: null, parents: [] }))).toBe(true);
  });

  test('of a limited bearer only within his groups', () => {
    expect(isAboutDevice(scoped({}, ['south', 'north']), subject())).toBe(true);
    expect(isAboutDevice(scoped({}, ['south']), subject())).toBe(false);
    expect(isAboutDevice(scoped({}, []), subject())).toBe(false);
  });
});

describe('a window is about an alert', () => {
  test.each<[string[] | undefined, WindowSubject['code'], boolean]>([
    [undefined, 'CONN_001', true],
    [['CONN_001'], 'CONN_001', true],
    [['CONN_002'], 'CONN_001', false],
    [['CONN*'], 'CONN_001', true],
    // Security codes are announced in a window too, unless the window names them.
    [undefined, 'SEC_002', false],
    [['SEC_002'], 'SEC_002', true],
    [['SEC*'], 'SEC_002', true],
    [['*'], 'SEC_002', false],
    [['SEC_001'], 'SEC_002', false],
    [['*', 'SEC_001'], 'SEC_002', false],
    [['*', 'SEC_001'], 'SEC_001', true],
    [['*', 'SEC_001'], 'CONN_001', true],
  ])('with the codes %j: %s %s', (codes, code, is) => {
    const scope = codes ? { codes: codes as never } : {};
    expect(isAbout(scoped(scope), subject({ code }))).toBe(is);
    expect(isAbout(scoped({ ...scope, groups: ['south'] }), subject({ code }))).toBe(false);
  });
});

describe('the window that silences an alert', () => {
  const hold = (windows: WindowRecord[], seconds: number) => holdOf(windows, subject(), at(seconds), 'UTC');

  test('holds from its beginning to just before its end', () => {
    expect([-1, 0, hour - 1, hour].map((seconds) => hold([window()], seconds)?.until ?? null)).toEqual([
      null,
      at(hour),
      at(hour),
      null,
    ]);
    expect(hold([], 0)).toBeNull();
    expect(hold([scoped({ groups: ['south'] })], 0)).toBeNull();
  });

  test('holds until just before a person ends it', () => {
    const ended = window({ lastsTo: at(hour / 2) });
    expect([hour / 2 - 1, hour / 2].map((seconds) => hold([ended], seconds)?.until ?? null)).toEqual([at(hour), null]);
  });

  test('is the one that ends last', () => {
    const of = (name: string, hours: number) => ({
      ...windowRecord(input({ name, endsAt: at(hours * hour) }), { ...kept, windowId: name }),
    });
    const expected = { windowId: 'b', name: 'b', until: at(3 * hour) };
    expect(hold([of('a', 1), of('b', 3), of('c', 2)], 0)).toEqual(expected);
    expect(hold([of('b', 3), of('a', 1)], 0)).toEqual(expected);
  });

  test('does not hold after a person ended it', () => {
    const ended = endedWindow(window(), at(60));
    expect(hold([ended], 59)?.until).toBe(at(hour));
    expect(hold([ended], 60)).toBeNull();
  });
});

describe('a window that cannot be', () => {
  const fault = (given: Partial<MaintenanceWindowInput>) =>
    faultsOfWindow({ name: 'x', scope: {}, ...given } as MaintenanceWindowInput).map(({ pointer, detail }) => [
      pointer,
      detail,
    ]);
  const weekly = { weekdays: ['mon'], from: '22:00', to: '02:00' } as const;

  test('names the time that is missing', () => {
    const detail = 'is missing: a window has `startsAt` and `endsAt`, or `recurrence`';
    expect([fault({}), fault({ endsAt: at(0) }), fault({ startsAt: at(0) })]).toEqual([
      [['/startsAt', detail]],
      [['/startsAt', detail]],
      [['/endsAt', detail]],
    ]);
  });

  test('ends no sooner than it begins, and after at most 30 days', () => {
    const lasting = (seconds: number) => fault({ startsAt: at(0), endsAt: at(seconds) });
    const month = 30 * 24 * hour;
    expect([lasting(-1), lasting(0)]).toEqual(Array(2).fill([['/endsAt', 'must be later than `startsAt`']]));
    expect([lasting(0.001), lasting(month)]).toEqual([[], []]);
    expect(lasting(month + 0.001)).toEqual([['/endsAt', 'must be at most 30 days after `startsAt`']]);
  });

  test('has exactly one of its two times', () => {
    const detail = [['/recurrence', 'replaces `startsAt` and `endsAt`']];
    const recurrence = { ...weekly, weekdays: [...weekly.weekdays] };
    expect([fault({ recurrence, startsAt: at(0) }), fault({ recurrence, endsAt: at(0) })]).toEqual([detail, detail]);
    expect(fault({ recurrence })).toEqual([]);
  });

  test('is in a time zone that exists', () => {
    const zone = (timeZone: string) => fault({ recurrence: { ...weekly, weekdays: ['mon'], timeZone } });
    expect(zone('Europe/Stockholm')).toEqual([]);
    expect(zone('Europe/Nowhere').map(([pointer]) => pointer)).toEqual(['/recurrence/timeZone']);
  });
});

describe('the record of a window', () => {
  const recurrence = { weekdays: ['mon'], from: '22:00', to: '02:00' } as MaintenanceWindowInput['recurrence'] & object;

  test('has its instants in the stored form, and is kept for 400 days after its end', () => {
    const record = windowRecord(
      input({ startsAt: '2026-11-20T11:00:00+01:00', endsAt: '2026-11-20T12:00:00+01:00' }),
      kept,
    );
    expect(record).toEqual({
      ...{ ...input(), ...kept, lastsTo: at(hour), endedAt: null, isOver: false, dueAt: at(hour) },
      expireAt: plus(at(hour), retention.window),
    });
  });

  test('that recurs has no end, or the one that is given', () => {
    const endless = windowRecord(input({ recurrence }), kept);
    expect(endless).toEqual({
      ...input({ recurrence }),
      ...kept,
      lastsTo: forever,
      endedAt: null,
      isOver: false,
      dueAt: null,
      expireAt: forever,
    });
    const ending = windowRecord(input({ recurrence: { ...recurrence, until: '2026-11-20T12:00:00+01:00' } }), kept);
    expect([ending.recurrence?.until, ending.lastsTo, ending.dueAt]).toEqual([at(hour), at(hour), at(hour)]);
  });

  test('that a person ended is over now', () => {
    const over = { lastsTo: at(60), endedAt: at(60), isOver: true, dueAt: at(60), changedAt: at(60), version: 5 };
    expect(endedWindow(window(), at(60))).toEqual({ ...window(), ...over, expireAt: plus(at(60), retention.window) });
  });

  test('is over once its end has come', () => {
    expect(lookedAtWindow(window(), at(hour - 1))).toEqual({ isOver: false, dueAt: at(hour) });
    expect(lookedAtWindow(window(), at(hour))).toEqual({ isOver: true, dueAt: null });
    expect(lookedAtWindow(windowRecord(input({ recurrence }), kept), at(hour))).toEqual({ isOver: false, dueAt: null });
  });

  test('shows its state and nothing of the store', () => {
    const { version: _, ...shown } = { ...input(), ...kept };
    const wire = (seconds: number) => toWireWindow(window(), at(seconds), 'UTC');
    expect(wire(-1)).toEqual({ ...shown, state: 'planned', activeUntil: null });
    expect(wire(0)).toEqual({ ...shown, state: 'active', activeUntil: at(hour) });
    expect(wire(hour)).toEqual({ ...shown, state: 'over', activeUntil: null });
  });
});
