import { expect, test } from 'vitest';
import { darkSpans, presenceSpans } from '../../../../../console/src/components/alert/presence-spans.ts';
import type { ActivityItem } from '../../../../../shared/schema/device/activity.ts';

const said = (minute: number, status: string, kind: ActivityItem['kind'] = 'presence') =>
  ({ kind, at: new Date(minute * 60_000).toISOString(), detail: { status } }) as unknown as ActivityItem;
const spans = (...entries: ActivityItem[]) =>
  presenceSpans(entries, 100 * 60_000, 200 * 60_000).map(({ isOnline, fromPart, part }) => [
    isOnline === null ? '?' : isOnline ? 'on' : 'off',
    Math.round(fromPart * 100),
    Math.round(part * 100),
  ]);

test('the state at the beginning is the last one before it; without one it is the opposite of the first change', () => {
  expect(spans(said(50, 'online'), said(120, 'offline'), said(150, 'online'))).toEqual([
    ['on', 0, 20],
    ['off', 20, 30],
    ['on', 50, 50],
  ]);
  expect(spans(said(160, 'online'))).toEqual([
    ['off', 0, 60],
    ['on', 60, 40],
  ]);
});

test('only connection lines up to the end count, newest first; without any the state is unknown', () => {
  expect(spans(said(300, 'offline'), said(120, 'offline'), said(110, 'offline', 'event'), said(50, 'online'))).toEqual([
    ['on', 0, 20],
    ['off', 20, 80],
  ]);
  expect(spans()).toEqual([['?', 0, 100]]);
});

test('before a camera was registered nothing is known, whatever came first', () => {
  const registered = 140 * 60_000;
  const shown = (...entries: ActivityItem[]) =>
    presenceSpans(entries, 100 * 60_000, 200 * 60_000, registered).map(({ isOnline, part }) => [
      isOnline,
      Math.round(part * 100),
    ]);
  expect(shown(said(160, 'online'))).toEqual([
    [null, 40],
    [false, 20],
    [true, 40],
  ]);
  expect(shown(said(140, 'online')).map(([isOnline]) => isOnline)).not.toContain(false);
});

const instant = (ms: number) => new Date(ms).toISOString();

test('a strip shows the dark times of its period alone, and one that lasts up to its end', () => {
  const spells = [
    { darkAt: instant(0), litAt: instant(500) },
    { darkAt: instant(900), litAt: instant(1100) },
    { darkAt: instant(1750), litAt: null },
  ];
  expect(darkSpans(spells, 1000, 2000)).toEqual([
    { isOnline: false, fromPart: 0, part: 0.1 },
    { isOnline: false, fromPart: 0.75, part: 0.25 },
  ]);
});
