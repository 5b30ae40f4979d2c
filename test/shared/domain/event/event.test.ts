import { describe, expect, test } from 'vitest';
import { eventRecord, keptFor, recordIdOf, topicsFor, unlistedEvent } from '../../../../shared/domain/event/event.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { at } from '../../../support/world/timeline.ts';

const day = 86_400_000;
const notified = { type: 'alert', eventId: 'e-1', at: at(0), deviceId: 'cam-1', body: '{"a":1}' };
const record = (groups: string[] | null, isWhole: boolean, type = 'alert') =>
  eventRecord({ ...notified, type, groups, isWhole });

describe('an event is found', () => {
  test.each<[string, string[] | null, boolean, string, string[]]>([
    ['by readers of its group', ['north'], false, 'alert', ['|north', 'alert|north']],
    ['by readers of both its groups', ['north', 'south'], false, 'alert', both()],
    ['by readers of all groups and of its own', ['north'], true, 'alert', ['|', 'alert|', '|north', 'alert|north']],
    ['only by readers of all groups', null, true, 'alert', ['|', 'alert|']],
    ['by nobody', null, false, 'alert', []],
    ['only by those who name its type', ['north'], true, 'audit', ['audit|', 'audit|north']],
  ])('%s', (_, groups, isWhole, type, topics) => {
    expect(record(groups, isWhole, type).topics).toEqual(topics);
  });

  function both() {
    return ['|north', 'alert|north', '|south', 'alert|south'];
  }

  test.each<[string, string[] | null, string[] | null, string[]]>([
    ['all types of all groups', null, null, ['|']],
    ['some types of all groups', null, ['alert', 'audit'], ['alert|', 'audit|']],
    ['all types of a group', ['north'], null, ['|north']],
    ['some types of two groups', ['north', 'south'], ['alert'], ['alert|north', 'alert|south']],
    ['no type', null, [], []],
    ['no group', [], null, []],
    ['a group that means everybody, which is none', ['*', 'north'], null, ['|north']],
  ])('by a reader who asks for %s', (_, groups, types, topics) => {
    expect(topicsFor(groups, types)).toEqual(topics);
  });
});

describe('an event', () => {
  test('keeps what it says for 30 days', () => {
    const { recordId, topics, ...rest } = record(['north'], true);
    expect(rest).toEqual({ ...notified, expireAt: plus(at(0), 30 * day) });
    expect([recordId, topics.length]).toEqual([recordIdOf(notified), 4]);
  });

  test('for other readers is another one, and the same for the same readers', () => {
    const ids = [
      record(['north'], true).recordId,
      record(['north'], false).recordId,
      record(['south'], false).recordId,
      record(null, false).recordId,
      unlistedEvent(notified, []).recordId,
      unlistedEvent(notified, ['v2']).recordId,
      recordIdOf({ ...notified, eventId: 'e-2' }),
      recordIdOf({ ...notified, type: 'detection' }),
      recordIdOf({ ...notified, deviceId: null }),
    ];
    expect(new Set(ids).size).toBe(9);
    // All unlimited readers read the same record, whichever groups read it too.
    expect(record(['south'], true).recordId).toBe(ids[0]);
    expect(record(['north'], false).recordId).toBe(ids[1]);
  });

  test('for endpoints alone is in no feed', () => {
    const event = unlistedEvent(notified, ['v2']);
    expect(event).toEqual({ ...notified, recordId: event.recordId, topics: [], expireAt: plus(at(0), 30 * day) });
  });

  test('to which a delivery refers is kept as long as that, 90 days', () => {
    const event = record(null, true);
    const { recordId } = event;
    const until = (days: number) => ({ expireAt: plus(at(0), days * day) });
    const none = { recordId: null, ...until(400) };
    expect(keptFor(event, [none, { recordId, ...until(90) }])).toEqual({ ...event, ...until(90) });
    expect(keptFor(event, [none, { recordId: 'other', ...until(90) }])).toEqual(event);
    expect(keptFor(event, [{ recordId, ...until(7) }])).toEqual(event);
  });
});
