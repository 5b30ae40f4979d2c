import { describe, expect, test } from 'vitest';
import type { Interval } from '../../../../shared/domain/sight/intervals.ts';
import type { AvailabilityQuery } from '../../../../shared/schema/ledger/report.ts';
import { ask, blind, type Entry, worldOf } from '../../../support/ledger/availability.ts';
import { ana } from '../../../support/records/alerts.ts';
import { at } from '../../../support/world/timeline.ts';
import { createTestWorld } from '../../../support/world/world.ts';

const hour = 3600;
const day = 24 * hour;

const outagesOf = async (...given: Parameters<typeof ask>) =>
  (await ask(...given)).outages.map(({ deviceId, cause, began, ended, isPlanned, index }) => [
    ...[
      deviceId,
      cause,
      Date.parse(began.earliest) - Date.parse(at(0)),
      ended && Date.parse(ended.latest) - Date.parse(at(0)),
    ],
    ...[isPlanned, index],
  ]);

describe('entries', () => {
  test('of many cameras are read in pages, and no further than a week after the end', async () => {
    const cameras = Object.fromEntries(Array.from({ length: 31 }, (_, index) => [`cam-${index}`, {}]));
    const entries = Array.from({ length: 1001 }, (_, index): Entry => ['cam-0', index * 60, (index + 1) * 60]);
    const later = Array.from({ length: 1000 }, (_, index): Entry => ['cam-0', 9 * day + index, 9 * day + index + 1]);
    const world = await worldOf(cameras, ...entries, ...later, ['cam-1', 20 * day, 21 * day]);
    let pages = 0;
    const { find } = world.store;
    world.store = {
      ...world.store,
      find: (query) => {
        pages += query.in === 'ledgerEntries' ? 1 : 0;
        return find(query);
      },
    };
    expect((await ask(world)).total.minutes.seen).toBe(1001);
    expect(pages).toBe(2);
  });

  test('are asked for by the groups that the bearer may see and asks for, without groups not at all', async () => {
    const asked = async (groups: string[] | null, given: Partial<AvailabilityQuery> = {}) => {
      const world = await worldOf(Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`c-${index}`, {}])));
      const fields: string[][] = [];
      const { find } = world.store;
      world.store = {
        ...world.store,
        find: (query) => {
          if (query.in === 'ledgerEntries') fields.push((query.where ?? []).map(({ field }) => String(field)));
          return find(query);
        },
      };
      await ask(world, given, { ...ana, groups });
      return fields;
    };
    expect([
      await asked([]),
      await asked(['north'], { groupId: ['south'] }),
      await asked(['north']),
      await asked(null, { groupId: ['north'] }),
      await asked(['north'], { deviceId: 'c-1' }),
      await asked(null),
    ]).toEqual([[], [], [['groupId', 'to']], [['groupId', 'to']], [['deviceId', 'groupId', 'to']], [['to']]]);
  });
});

describe('outages', () => {
  test('keep the bounds of what is known, and belong to a time that reaches into them', async () => {
    const bounds = { begin: [at(600), at(700)], end: [at(900), at(1000)] } as const;
    const wide: Interval = { ...blind(0, 0), begin: [...bounds.begin], end: [...bounds.end] };
    const world = await worldOf({ a: {} }, ['a', 0, hour, wide]);
    const [earliest, latest] = [0, 1];
    expect((await ask(world)).outages).toEqual([
      {
        ...{ deviceId: 'a', deviceName: 'Camera a', state: 'blind', cause: 'lost', isPlanned: false, index: 0 },
        began: { earliest: bounds.begin[earliest], latest: bounds.begin[latest] },
        ended: { earliest: bounds.end[earliest], latest: bounds.end[latest] },
      },
    ]);
    const count = async (from: number, to: number) => (await ask(world, { from: at(from), to: at(to) })).outagesInAll;
    expect([await count(0, 601), await count(0, 600), await count(950, hour), await count(1000, hour)]).toEqual([
      1, 0, 1, 0,
    ]);
  });

  test('are in the order of their length, the open ones first, and the later of two as long', async () => {
    const open = blind(day - 60, day, { isOpen: true });
    const world = await worldOf({ a: {}, b: {} }, [
      'a',
      0,
      day,
      blind(700, 800),
      blind(300, 500),
      blind(100, 200),
      open,
    ]);
    const minute = 1000;
    expect(await outagesOf(world)).toEqual([
      ['a', 'lost', (day - 60) * minute, null, false, 0],
      ['a', 'lost', 300 * minute, 500 * minute, false, 0],
      ['a', 'lost', 700 * minute, 800 * minute, false, 0],
      ['a', 'lost', 100 * minute, 200 * minute, false, 0],
    ]);
    expect((await ask(world)).outages[0]?.deviceName).toBe('Camera a');
    expect((await ask(world)).outagesInAll).toBe(4);
  });

  test('that go on in the next entry count once, and by their whole length, however many there are', async () => {
    const cameras = Array.from({ length: 41 }, (_, index) => `cam-${index}`);
    const begins = Array.from({ length: 100 }, (_, index) => index);
    const entries = cameras.flatMap((camera): Entry[] => [
      [camera, 0, hour, ...begins.map((begin) => blind(begin, hour, { isOpen: true }))],
      [camera, hour, 3 * hour, ...begins.map((begin) => blind(begin, hour + 60))],
    ]);
    const world = await worldOf(Object.fromEntries(cameras.map((camera) => [camera, {}])), ...entries);
    const { outages, outagesInAll } = await ask(world);
    expect([outages.length, outagesInAll]).toEqual([1000, 4100]);
    expect(outages.every(({ ended }) => ended !== null)).toBe(true);
  });

  test('that go on in the next entry are one', async () => {
    const world = await worldOf(
      { a: {} },
      ['a', 0, hour, blind(600, hour, { isOpen: true })],
      ['a', hour, 2 * hour, blind(600, 5000)],
    );
    expect(await outagesOf(world)).toEqual([['a', 'lost', 600_000, 5_000_000, false, 1]]);
    expect((await ask(world)).outagesInAll).toBe(1);
    const two = await worldOf(
      { a: {}, b: {} },
      ['a', 0, hour, blind(600, hour, { isOpen: true })],
      ['b', hour, 2 * hour, blind(600, 5000)],
    );
    expect((await ask(two)).outagesInAll).toBe(2);
    const another = await worldOf(
      { a: {} },
      ['a', 0, hour, blind(600, hour, { isOpen: true })],
      ['a', hour, 2 * hour, blind(4000, 5000)],
    );
    expect((await ask(another)).outagesInAll).toBe(2);
  });

  test('are those in which the time lies, each in the entry of its end', async () => {
    const world = await worldOf(
      { a: {} },
      ['a', -hour, 0, blind(-600, 0)],
      ['a', 0, hour, blind(-600, 0), blind(0, 60), blind(3000, 3600)],
      ['a', hour, 2 * hour, blind(3000, 3600), blind(hour, hour + 60)],
      ['a', day - hour, day + hour, blind(day - 60, day + 60), blind(day, day + 60)],
    );
    expect((await outagesOf(world)).map(([, , began]) => Number(began) / 1000).toSorted((a, b) => a - b)).toEqual([
      0,
      3000,
      3600,
      day - 60,
    ]);
  });

  test('say whether they were planned, and are none before a camera was registered', async () => {
    const planned = blind(600, 1200, { planned: [[at(600), at(700)]] });
    const world = await worldOf({ a: {} }, ['a', 0, hour, blind(0, 300, { cause: 'not-registered' }), planned]);
    expect(await outagesOf(world)).toEqual([['a', 'lost', 600_000, 1_200_000, true, 0]]);
  });

  test('are the thousand longest, all of them counted', async () => {
    const many = Array.from({ length: 4200 }, (_, index) => blind(index * 20, index * 20 + 1 + (index % 7)));
    const world = await worldOf({ a: {} }, ['a', 0, day, ...many.slice(0, 2100)], ['a', 0, day, ...many.slice(2100)]);
    const { outages, outagesInAll } = await ask(world);
    expect([outages.length, outagesInAll]).toEqual([1000, 4200]);
    expect(
      new Set(outages.map(({ began, ended }) => Date.parse(ended?.latest ?? '') - Date.parse(began.latest))),
    ).toEqual(new Set([7000, 6000]));
  });
});

describe('a question', () => {
  const world = createTestWorld();
  test.each([
    [{ from: at(60), to: at(60) }, '?to', 'must be later than `from`'],
    [{ from: at(61), to: at(60) }, '?to', 'must be later than `from`'],
    [{ from: at(0), to: at(400 * day + 0.001) }, '?to', 'must be at most 400 days after `from`'],
  ])('of the time %j is refused', async (given, pointer, detail) => {
    await expect(ask(world, given)).rejects.toMatchObject({ code: 'invalid-request', errors: [{ pointer, detail }] });
  });

  test('of 400 days is answered, and one of an unknown time zone is refused', async () => {
    expect((await ask(world, { to: at(400 * day) })).total.devices).toBe(0);
    expect((await ask(world, { to: at(0.001) })).total.devices).toBe(0);
    await expect(ask(world, { timeZone: 'Europe/Nowhere' })).rejects.toMatchObject({ code: 'invalid-request' });
  });
});
