import { describe, expect, test } from 'vitest';
import { ask, blind, type Entry, worldOf } from '../../../support/ledger/availability.ts';
import { ana } from '../../../support/records/alerts.ts';
import { at } from '../../../support/world/timeline.ts';
import { createTestWorld } from '../../../support/world/world.ts';

const hour = 3600;
const day = 24 * hour;

describe('a report', () => {
  test('accounts for each minute of each camera, and says what was not recorded', async () => {
    const world = await worldOf(
      { a: {}, b: {}, c: {} },
      ['a', 0, day, blind(hour, 2 * hour)],
      ['b', 0, 12 * hour, blind(0, 6 * hour, { cause: 'silent' })],
    );
    const { total, parts, checkpoint, generatedAt, timeZone, by } = await ask(world);
    expect({ checkpoint, generatedAt, timeZone, by }).toEqual({
      checkpoint: 'the note',
      generatedAt: at(0),
      timeZone: 'UTC',
      by: 'device',
    });
    const none = {
      seen: 0,
      lost: 0,
      silent: 0,
      uncertain: 0,
      planned: 0,
      platform: 0,
      notRegistered: 0,
      notRecorded: 0,
    };
    expect(total).toMatchObject({ id: 'total', name: null, devices: 3 });
    expect(total.minutes).toEqual({ ...none, seen: 29 * 60, lost: 60, silent: 360, notRecorded: 36 * 60 });
    expect(
      parts.map(({ id, name, devices, minutes, availability }) => [
        id,
        name,
        devices,
        minutes,
        availability.uncertainIsUp,
      ]),
    ).toEqual([
      ['a', 'Camera a', 1, { ...none, seen: 23 * 60, lost: 60 }, 95.833],
      ['b', 'Camera b', 1, { ...none, seen: 360, silent: 360, notRecorded: 720 }, 50],
      ['c', 'Camera c', 1, { ...none, notRecorded: 24 * 60 }, null],
    ]);
  });

  test('counts only what lies in its time', async () => {
    const world = await worldOf(
      { a: {} },
      ['a', -hour, hour, blind(-hour, 600)],
      ['a', day - 600, day + hour],
      ['a', day, 2 * day],
    );
    const { total } = await ask(world);
    expect(total.minutes).toMatchObject({ seen: 60, lost: 10, notRecorded: 24 * 60 - 70 });
  });

  test('rounds minutes to hundredths', async () => {
    const world = await worldOf({ a: {} }, ['a', 0, day, blind(0, 100)]);
    expect((await ask(world)).total.minutes.lost).toBe(1.67);
  });

  test('is by camera, by site (of the group where there is none), or by group', async () => {
    const world = await worldOf({ a: { site: 's1' }, b: { site: 's1', groupId: 'south' }, c: {} }, ['a', 0, day]);
    const parts = async (by: 'device' | 'site' | 'group') =>
      (await ask(world, { by })).parts.map(({ id, name, devices }) => [id, name, devices]);
    expect(await parts('device')).toEqual([
      ['a', 'Camera a', 1],
      ['b', 'Camera b', 1],
      ['c', 'Camera c', 1],
    ]);
    expect(await parts('site')).toEqual([
      ['north', null, 1],
      ['s1', null, 2],
    ]);
    expect(await parts('group')).toEqual([
      ['north', null, 2],
      ['south', null, 1],
    ]);
  });

  test('shows a limited bearer his cameras alone', async () => {
    const world = await worldOf({ a: {}, b: { groupId: 'south' } }, ['a', 0, day], ['b', 0, day, blind(0, hour)]);
    const { parts, outages } = await ask(world, {}, { ...ana, groups: ['north'] });
    expect([parts.map(({ id }) => id), outages]).toEqual([['a'], []]);
  });

  test('has months, and days where it is about one camera', async () => {
    const world = await worldOf({ a: {}, b: {} }, ['a', 0, 20 * day, blind(0, hour)]);
    const whole = await ask(world, { to: at(20 * day) });
    expect([whole.months.map(({ month }) => month), whole.days]).toEqual([['2026-11', '2026-12'], []]);
    expect(whole.months.map(({ minutes }) => minutes.lost)).toEqual([60, 0]);
    const one = await ask(world, { deviceId: 'a', to: at(2 * day) });
    expect(one.days.map((each) => [each.day, each.minutes.lost, each.minutes.seen, each.minutes.notRecorded])).toEqual([
      ['2026-11-20', 60, 13 * 60, 0],
      ['2026-11-21', 0, 24 * 60, 0],
      ['2026-11-22', 0, 10 * 60, 0],
    ]);
    const none = await ask(world, { deviceId: 'b', to: at(10 * hour) });
    expect(none.days.map((each) => each.minutes.notRecorded)).toEqual([600]);
  });

  test('lists the worst cameras first, at most twenty, and none that was always seen', async () => {
    const names = Array.from({ length: 23 }, (_, index) => `cam-${String(index).padStart(2, '0')}`);
    const entries = names.map((name, index): Entry => [name, 0, day, ...(index === 0 ? [] : [blind(0, index * 60)])]);
    const { worst } = await ask(await worldOf(Object.fromEntries(names.map((name) => [name, {}])), ...entries));
    expect(worst.map(({ id }) => id)).toEqual(names.toReversed().slice(0, 20));
    const few = await ask(await worldOf({ a: {}, b: {}, c: {} }, ['a', 0, day], ['b', 0, day, blind(0, 60)]));
    expect(few.worst.map(({ id }) => id)).toEqual(['b']);
  });
});

test('a report states its accounting and how to check it', async () => {
  const { accounting, verification } = await ask(createTestWorld());
  expect(accounting).toMatch(/^Counted: .* Excused: .* Uncertain: .* availability is given twice, .*\.$/);
  expect(verification).toMatch(/^Ask GET \/v1\/ledger\/proof .* verify\/watchpost_verify\.py .* docs\/proof\.md /);
});
