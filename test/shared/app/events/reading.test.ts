import { describe, expect, test } from 'vitest';
import { type Position, positionAt } from '../../../../shared/app/commit-order.ts';
import { bodyOf } from '../../../../shared/app/events/body.ts';
import { readEvents } from '../../../../shared/app/events/feed.ts';
import type { Stored, TailPage } from '../../../../shared/app/ports.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { ana } from '../../../support/records/alerts.ts';
import { afterPause, createTestWorld, startOfTests } from '../../../support/world/world.ts';

const end = positionAt(startOfTests);
const cursorOf = (position: Position) => Buffer.from(position).toString('base64url');
type Found = TailPage<'events'>['found'][number];

function event(number: number, body = '{}'): Found {
  const at = plus(startOfTests, -1000 + number);
  const data = { recordId: `r-${number}`, eventId: `e-${number}`, type: 'alert', at, deviceId: 'cam-1', body };
  return { id: data.recordId, data, position: `${positionAt(at)}r-${number}` } as unknown as Found;
}

/** A feed that answers each query with the next of these pages, and then with empty pages. */
function feedOf(...pages: Found[][]) {
  const plain = createTestWorld();
  const pauses: number[] = [];
  const asked: unknown[] = [];
  const tail = async ({ after, limit }: { after: Position | null; limit: number }) => {
    asked.push([after, limit]);
    return { found: pages.shift() ?? [], end };
  };
  const after = afterPause(async (ms) => void pauses.push(ms));
  const world = { ...plain, after, store: { ...plain.store, tail: tail as unknown as typeof plain.store.tail } };
  return { world, pauses, asked };
}

describe('whoever waits for an event', () => {
  test.each([
    [0, []],
    [1, [400, 400, 200]],
    [2, [400, 400, 400, 400, 400]],
  ])('for %i s looks every 400 ms until the time is over', async (wait, expected) => {
    const { world, pauses, asked } = feedOf();
    expect(await readEvents(world, ana, { wait }, 400)).toEqual({ events: [], cursor: cursorOf(end) });
    expect(pauses).toEqual(expected);
    expect(asked).toHaveLength(expected.length + 1);
  });

  test('looks again after the last millisecond', async () => {
    const { world, pauses } = feedOf();
    await readEvents(world, ana, { wait: 1 }, 999);
    expect(pauses).toEqual([999, 1]);
  });

  test('looks once where nothing says how long', async () => {
    const { world, pauses } = feedOf([], [event(1)]);
    expect((await readEvents(world, ana, {}, 400)).events).toEqual([]);
    expect(pauses).toEqual([]);
  });

  test('goes on from where the last look ended, and ends with the first event', async () => {
    const { world, pauses, asked } = feedOf([], [event(1)], [event(2)]);
    const { events } = await readEvents(world, ana, { wait: 25 }, 400);
    expect(events.map(({ eventId }) => eventId)).toEqual(['e-1']);
    expect(pauses).toEqual([400]);
    expect(asked).toEqual([
      [positionAt('2026-10-21T10:00:00.000Z'), 200],
      [end, 200],
    ]);
  });
});

describe('a page', () => {
  const half = 1024 * 1024;

  test.each([
    ['exactly two megabytes', [half, half], 2],
    ['a byte more', [half, half + 1], 1],
    ['one event that is larger', [3 * half, 1], 1],
    ['characters of two bytes', [half, half / 2, 1], 2],
  ])('has %s: %#', async (text, sizes, count) => {
    const letter = (index: number) => (text.startsWith('characters') && index === 1 ? 'å' : 'x');
    const found = sizes.map((size, index) => event(index, letter(index).repeat(size)));
    const { events, cursor } = await readEvents(feedOf(found).world, ana, {}, 400);
    expect(events).toHaveLength(count);
    const last = found[count - 1]?.position ?? end;
    expect(cursor).toBe(cursorOf(count === sizes.length ? end : last));
  });

  test('shows of an event what its receivers get', async () => {
    const { events } = await readEvents(feedOf([event(7)]).world, ana, {}, 400);
    const at = '2026-11-20T09:59:59.007Z';
    expect(events).toEqual([{ recordId: 'r-7', eventId: 'e-7', at, deviceId: 'cam-1', body: '{}', type: 'alert' }]);
  });
});

describe('a cursor', () => {
  test.each([
    ['ten minutes ahead', 600_000, null],
    ['a millisecond more', 600_001, 'invalid-request'],
    ['thirty days old', -30 * 86_400_000, null],
    ['a millisecond older', -30 * 86_400_000 - 1, 'cursor-expired'],
  ])('that is %s: %#', async (_, ms, code) => {
    const after = cursorOf(positionAt(plus(startOfTests, ms)));
    const read = readEvents(feedOf().world, ana, { after }, 400);
    if (code === null) expect((await read).cursor).toBe(cursorOf(end));
    else await expect(read).rejects.toMatchObject({ code });
  });

  test.each(['x', ''])('that is none, "%s", is refused by name', async (after) => {
    const read = readEvents(feedOf().world, ana, { after }, 400);
    await expect(read).rejects.toThrow('`after` is not a cursor of this feed.');
    await expect(readEvents(feedOf().world, ana, { after }, 400)).rejects.toMatchObject({
      code: 'invalid-request',
      errors: [{ pointer: '?after', detail: 'is not a cursor of this feed' }],
    });
  });

  test('of now begins at the end of the feed', async () => {
    const { world, asked } = feedOf();
    await readEvents(world, ana, { after: 'now' }, 400);
    expect(asked).toEqual([
      [null, 1],
      [end, 200],
    ]);
  });
});

describe('events of the audit stream', () => {
  const scoped = { ...ana, scopes: new Set(['audit:read'] as const) };
  test.each([
    ['a token of all groups with the scope', scoped, true],
    ['one without the scope', ana, false],
    ['one that is limited', { ...scoped, groups: ['north'] }, false],
    ['one that is limited and without the scope', { ...ana, groups: ['north'] }, false],
  ])('are for %s: %#', async (_, bearer, isAllowed) => {
    const read = readEvents(feedOf().world, bearer, { types: ['alert', 'audit'] }, 400);
    if (isAllowed) expect((await read).events).toEqual([]);
    else await expect(read).rejects.toMatchObject({ code: 'forbidden' });
    expect((await readEvents(feedOf().world, bearer, { types: ['alert'] }, 400)).events).toEqual([]);
  });
});

test('the body of a delivery is its own or that of its event, and null once the event is gone', async () => {
  const { store } = createTestWorld();
  const data = { recordId: 'r-1', body: '{"a":1}' } as Stored<'events'>['data'];
  await store.commit([{ kind: 'create', in: 'events', id: 'r-1', data }]);
  expect(await bodyOf({ store }, { recordId: null, body: 'own' })).toBe('own');
  expect(await bodyOf({ store }, { recordId: 'r-1', body: '' })).toBe('{"a":1}');
  expect(await bodyOf({ store }, { recordId: 'r-2', body: '' })).toBeNull();
});
