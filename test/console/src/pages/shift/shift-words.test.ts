import { expect, test } from 'vitest';
import { handsOf, headlineOf, textOf, untoldOf } from '../../../../../console/src/pages/shift/shift-words.ts';
import { plainText } from '../../../../../console/src/said.ts';
import type { Shift, ShiftItem } from '../../../../../shared/schema/fleet/shift.ts';

const item: ShiftItem = {
  state: 'unanswered',
  about: 'alert',
  id: '0b7d1c9e-2f43-4a87-9c11-3d5e6f708192',
  severity: 'CRITICAL',
  code: 'CONN_001',
  kind: null,
  title: 'MQTT connection lost',
  groups: ['gbg'],
  site: 'gbg-central',
  deviceId: 'cam-1',
  deviceName: 'Gate 1',
  startedAt: '2020-03-02T20:00:00.000Z',
  status: 'active',
  acknowledgedBy: null,
  acknowledgedAt: null,
  team: null,
  priority: null,
  respondBy: null,
  snoozedUntil: null,
  maintenance: null,
  maintenanceUntil: null,
  heldUntil: null,
};
const sheet: Shift = {
  at: '2020-03-02T22:00:00.000Z',
  generatedAt: '2020-03-02T22:00:00.000Z',
  items: [],
  rest: 0,
  heldBack: null,
  channels: [],
  endpoints: [],
  onCall: null,
};
const hands = (change: Partial<ShiftItem>) => plainText(handsOf({ ...item, ...change }));

test('a row says in whose hands it is, and until when it is silent', () => {
  const at = '2020-03-03T06:30:00.000Z';
  expect(hands({})).toBe('Nobody has it');
  expect(hands({ respondBy: at })).toMatch(/^To be answered by Mar 03, /);
  expect(hands({ status: 'escalated', team: 'night', respondBy: at })).toBe('Escalated to night, nobody has it');
  expect(hands({ state: 'in-hand', acknowledgedBy: 'anna', acknowledgedAt: at })).toMatch(
    /^anna has it since Mar 03, /,
  );
  // A snooze or a window speaks before the hand in which it is.
  expect(hands({ state: 'snoozed', acknowledgedBy: 'anna', snoozedUntil: at })).toMatch(/^Silent until Mar 03, /);
  expect(hands({ state: 'maintenance', maintenanceUntil: null })).toBe('Silent as long as the window lasts');
});

test('the first sentence counts everything, also what is not listed', () => {
  const items = (['unanswered', 'in-hand', 'in-hand', 'snoozed', 'maintenance'] as const).map((state) => ({
    ...item,
    state,
  }));
  expect(plainText(headlineOf(sheet))).toBe('Nothing is open. There is nothing to hand over.');
  expect(plainText(headlineOf({ ...sheet, items, rest: 7 }))).toBe(
    'Nobody has: 1. In hand: 2. Silent for now: 2. Less urgent and not listed: 7.',
  );
});

test('messages that wait and receivers without a budget are said; the text has all of the sheet', () => {
  const items = [{ ...item, heldUntil: '2020-03-03T05:00:00.000Z' }];
  const heldBack = [{ channel: 'sms' as const, target: '+46•••67', until: '2020-03-02T23:00:00.000Z' }];
  expect(untoldOf({ ...sheet, items, heldBack }).map(plainText)).toEqual([
    expect.stringMatching(/^Held back by quiet hours: 1, the last until Mar 03, /),
    expect.stringMatching(/^\+46•••67 hears of no single alert by SMS before Mar 02, /),
  ]);
  const text = textOf({ ...sheet, items, heldBack }, 'https://watch.example.com/#/shift');
  expect(text).toContain('\nNobody has it\n- CRITICAL MQTT connection lost: Gate 1, gbg-central. Nobody has it.\n');
  expect(text).toContain('hears of no single alert by SMS');
  expect(text.endsWith('\nhttps://watch.example.com/#/shift')).toBe(true);
});
