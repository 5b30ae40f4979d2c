import { describe, expect, test } from 'vitest';
import { type AlertRecord, seedAlert } from '../../../../shared/domain/alert/alert.ts';
import {
  alertContent,
  guardianContent,
  incidentContent,
  placeAndName,
} from '../../../../shared/domain/messages/content.ts';
import type { Occasion } from '../../../../shared/schema/vocabulary.ts';
import { incident } from '../../../support/records/incidents.ts';
import { at, hour, minute } from '../../../support/world/timeline.ts';

const link = 'https://console.example.com/alerts/a-1';
const writing = { now: at(hour), timeZone: 'UTC', link };
const alert = (given: Partial<AlertRecord> = {}): AlertRecord => ({
  ...seedAlert(
    { alertId: 'a-1', deviceId: 'cam-1', groupId: 'north', code: 'RES_001', message: 'Memory at 93 %', context: {} },
    at(0),
  ),
  ...given,
});
const written = (occasion: Occasion, given: Partial<AlertRecord> = {}, more: object = {}) =>
  alertContent(alert(given), occasion, { ...writing, ...more });

test('a camera is named by its site, else its group, and by its name, else its id', () => {
  const camera = { groupId: 'north', deviceId: 'cam-1' };
  expect(placeAndName(camera)).toBe('north / cam-1');
  expect(placeAndName({ ...camera, site: 'gbg', deviceName: 'Door' })).toBe('gbg / Door');
  expect(placeAndName({ ...camera, site: null, deviceName: null })).toBe('north / cam-1');
});

const ruled = { team: 'night', ruleId: 'r-1' };

describe('a message about an alert', () => {
  test.each<[Occasion, string]>([
    ['opened', 'north / cam-1 memory critical since 10:00'],
    ['reopened', 'north / cam-1 memory critical again, first at 10:00'],
    ['worsened', 'north / cam-1: worse, memory critical since 10:00'],
    ['updated', 'north / cam-1: wider than reported before, memory critical since 10:00'],
    ['flapping', 'north / cam-1: comes and goes, memory critical since 10:00'],
    ['snooze-ended', 'north / cam-1: snooze ended, memory critical since 10:00'],
    ['maintenance-ended', 'north / cam-1: open after maintenance, memory critical since 10:00'],
    ['escalated', 'north / cam-1: escalated to operations, memory critical since 10:00'],
    ['reminded', 'north / cam-1: reminder 1 to operations, memory critical since 10:00'],
    ['acknowledged', 'north / cam-1: somebody has it, memory critical since 10:00'],
    ['resolved', 'north / cam-1: over, memory critical from 10:00 to 10:00 (0 s)'],
    ['joined', 'north / cam-1: part of a wider outage'],
  ])('on the occasion %s is titled: %s', (occasion, title) => {
    expect(written(occasion).title).toBe(title);
  });

  test('says who has it, or when it is escalated', () => {
    const holding = ['Memory at 93 %', 'Nobody has it yet. It is escalated at 11:30.', 'RES_001 Memory usage critical'];
    expect(written('opened', { respondBy: at(hour + 30 * minute) }).lines).toEqual(holding);
    expect(written('opened').lines).toEqual([holding[0], holding[2]]);
    const taken = { status: 'acknowledged', acknowledgedBy: 'user:ana', acknowledgedAt: at(10 * minute) } as const;
    expect(written('acknowledged', taken).title).toContain(': ana has it,');
    expect(written('worsened', taken).lines[1]).toBe('ana has it since 10:10.');
    expect(written('acknowledged', { ...taken, acknowledgedBy: 'link:o…@example.com' }).title).toContain(
      ': o…@example.com has it,',
    );
  });

  test.each<[string, Partial<AlertRecord>, string | undefined]>([
    ['they were told when it began', { toldAt: at(0), escalatedAt: at(hour) }, 'has answered for 1 h.'],
    [
      'they were told 15 min ago',
      { toldAt: at(45 * minute), escalatedAt: at(50 * minute) },
      'has answered for 15 min.',
    ],
    ['they were told just now', { toldAt: at(hour), reminders: 1, escalatedAt: at(hour - minute) }, undefined],
    ['nobody was told, as it has no contact', { toldAt: null, escalatedAt: at(hour) }, 'was told (no contact).'],
    [
      'the escalation is the first that anybody hears',
      { toldAt: at(hour), quietUntil: at(2 * hour), escalatedAt: at(hour) },
      'was told (quiet hours until 12:00).',
    ],
    ['a rule escalates it at once', { toldAt: at(hour), escalatedAt: at(hour), escalation: ruled }, undefined],
  ])('says how long nobody has answered since people were told: %s', (_, given, words) => {
    const lines = written('reminded', given).lines.filter((line) => line.startsWith('Nobody '));
    expect(lines).toEqual(words === undefined ? [] : [`Nobody ${words}`]);
  });

  test('begins with the missing answer where it urges, and says what comes next', () => {
    const step = { number: 2, of: 3, to: 'the night team', reminders: 9, people: [], channels: [], missing: null };
    const coming = { at: at(hour + 20 * minute), to: 'head' };
    const escalated = written('escalated', { step, team: 'night', toldAt: at(0) }, { coming });
    expect(escalated.title).toBe(
      'north / cam-1: escalated to the night team (step 2 of 3), memory critical since 10:00',
    );
    expect(escalated.lines).toEqual([
      'Nobody has answered for 1 h.',
      'Next: head at 11:20.',
      'Memory at 93 %',
      'RES_001 Memory usage critical',
    ]);
    expect(escalated.short).toEqual([escalated.title, ...escalated.lines.slice(0, 3)]);
    expect(written('escalated', { team: 'night' }).title).toContain('escalated to night, ');
    expect(written('escalated', { step: { ...step, of: 1, number: 1 } }).title).toContain('to the night team, memory');
    const reminded = (reminders: number) => written('reminded', { step, reminders }).title;
    expect(reminded(0)).toContain(': reminder 1 of 9 to the night team,');
    expect(reminded(9)).toContain(': reminder 9 of 9 to');
    expect(reminded(10)).toContain(': reminder 10 to');
  });

  test.each([
    ['automatic', null, 'It ended by itself.'],
    ['superseded', 'user:bo', 'Something else took its place. bo had it.'],
  ] as const)('that is over says how (%s, %s), and shows no value', (resolution, acknowledgedBy, said) => {
    const over = written('resolved', { resolution, acknowledgedBy, resolvedAt: at(90 * minute) });
    expect(over.title).toBe('north / cam-1: over, memory critical from 10:00 to 11:30 (1 h 30 min)');
    expect(over.lines).toEqual([said, 'RES_001 Memory usage critical']);
  });

  test.each([
    ['power company says 2 h', null, ['"power company says 2 h".']],
    ['', 'user:ana', []],
    ['', 'user:bo', ['bo had it.']],
  ] as const)(
    'that a person closed says who did it and what he said (%s, %s), and not that it is over',
    (comment, had, lines) => {
      const closing = { by: 'user:ana', comment: comment || null };
      const closed = { resolution: 'manual', acknowledgedBy: had, resolvedAt: at(90 * minute), closing } as const;
      const said = written('resolved', closed);
      expect(said.title).toBe('north / cam-1: closed by ana, memory critical since 10:00');
      expect(said.lines).toEqual([...lines, 'RES_001 Memory usage critical']);
      const withAll = { by: 'incident:1', comment: null };
      expect(written('resolved', { ...closed, closing: withAll }).title).toContain(
        ': closed with its incident, memory',
      );
      const outage = incidentContent(incident(closed), 'resolved', writing);
      expect(outage.title).toBe('Outage at central: closed by ana, since 10:00');
      expect(outage.lines).toEqual([...lines, incident({}).message]);
    },
  );

  test('of a lost camera counts from its last sign of life, whatever else the context of others says', () => {
    const lastConnected = at(-6 * minute);
    const since = (given: Partial<AlertRecord>) => written('opened', given).title.replace(/.* since /, '');
    expect(since({ code: 'CONN_001', context: { lastConnected } })).toBe('09:54');
    expect(since({ code: 'CONN_001', context: { lastConnected: at(minute) } })).toBe('10:00');
    expect(since({ code: 'CONN_002', context: { lastConnected } })).toBe('10:00');
    expect(since({ code: 'CONN_001' })).toBe('10:00');
  });

  test('of a camera that comes and goes says nothing of the present, and no beginning that nobody knows', () => {
    const lost = {
      code: 'CONN_001',
      lostAt: at(0),
      occurrences: 3,
      context: { lastConnected: at(20 * minute) },
    } as const;
    const title = (occasion: Occasion, given: Partial<AlertRecord> = {}) =>
      written(occasion, { ...lost, ...given }).title;
    expect(title('reopened')).toBe('north / cam-1 offline again since 10:20');
    const over = { resolution: 'automatic', resolvedAt: at(30 * minute) } as const;
    expect(title('resolved', over)).toBe('north / cam-1: over, offline from 10:20 to 10:30 (10 min)');
    const flapping = { flapping: true };
    expect(title('flapping', flapping)).toBe('north / cam-1: comes and goes, offline since 10:20');
    expect(title('reminded', flapping)).toBe('north / cam-1: reminder 1 to operations, comes and goes');
    expect(title('resolved', { ...over, ...flapping })).toBe('north / cam-1: over, came and went');
    expect(written('reminded', { ...lost, ...flapping }).lines.join()).not.toContain('Memory at 93 %');
  });

  test('gives the id of a camera that has a name, its severity, priority and link', () => {
    const named = written('opened', { deviceName: 'Door', priority: 'P1' });
    expect(named.lines.at(-1)).toBe('Camera cam-1, RES_001 Memory usage critical');
    expect(named).toMatchObject({ severity: 'ERROR', priority: 'P1', links: [{ text: 'Open the alert', url: link }] });
  });
});

test('a message about an incident has five lines of evidence, and none when it is over or part of another', () => {
  const evidence = ['a', 'b', 'c', 'd', 'e', 'f'];
  const outage = incident({ evidence });
  expect(incidentContent(outage, 'opened', writing)).toMatchObject({
    title: 'Outage at central since 10:00',
    lines: [outage.message, 'a', 'b', 'c', 'd', 'e'],
    links: [{ text: 'Open the incident', url: link }],
  });
  expect(incidentContent(outage, 'reopened', writing).title).toBe('Outage at central again, first at 10:00');
  expect(incidentContent(outage, 'joined', writing).lines).toEqual([outage.message]);
  const over = incidentContent({ ...outage, resolution: 'automatic', resolvedAt: at(hour) }, 'resolved', writing);
  expect([over.title, over.lines]).toEqual([
    'Outage at central: over, from 10:00 to 11:00 (1 h)',
    [outage.message, 'It ended by itself.'],
  ]);
});

test('a message about an alert of a guardian names at most twenty fields', () => {
  const record = { alertCode: 'CONFIG_DRIFT', deviceId: 'cam-1', groupId: 'north', madeAt: at(0) } as Parameters<
    typeof guardianContent
  >[0];
  const fields = Array.from({ length: 21 }, (_, index) => `f${index}`);
  const plain = guardianContent(record, {}, writing);
  expect(plain).toMatchObject({
    severity: 'WARNING',
    title: 'north / cam-1: Configuration drift at 10:00',
    lines: ['The guardian of camera cam-1 says CONFIG_DRIFT.'],
    links: [{ text: 'Open the camera', url: link }],
    short: ['north / cam-1: Configuration drift at 10:00'],
  });
  const full = guardianContent(record, { fields, remark: 'healed' }, writing);
  expect(full.title).toBe('north / cam-1: Configuration drift (healed) at 10:00');
  expect(full.lines[1]).toBe(`Fields: ${fields.slice(0, 20).join(', ')}`);
});
