import { expect, test } from 'vitest';
import { startTimer } from '../../../../shared/adapters/world.ts';
import { createChangeStream, type StreamChange } from '../../../../shared/app/fleet/change-stream.ts';
import type { Write } from '../../../../shared/app/ports.ts';
import { ana } from '../../../support/records/alerts.ts';
import { createTestWorld, startOfTests } from '../../../support/world/world.ts';

test('a listener that reads nothing holds up the others once, and again only after it has read', async () => {
  const given = createTestWorld();
  /** Timers of a second or more: the patience of the stream with a listener. The test fires them. */
  const long: (() => void)[] = [];
  const after: typeof given.after = (ms, call) => {
    if (ms < 1000) return startTimer(ms, call);
    long.push(call);
    return { stop() {} };
  };
  const stream = createChangeStream({ ...given, after }, 2);
  const heard: unknown[] = [];
  let read = () => {};
  const leaves = [
    await stream.listen(ana, null, (changes) => {
      for (const { event, data } of changes)
        if (event === 'device') heard.push((data as { deviceId: string }).deviceId);
    }),
    await stream.listen(
      ana,
      null,
      () => {},
      () => new Promise((resolve) => (read = resolve)),
    ),
  ];
  const says = async (deviceId: string) => {
    const data = { entryId: deviceId, deviceId, groupId: 'north', at: startOfTests, kind: 'presence', who: 'device' };
    const write: Write = { kind: 'create', in: 'activity', id: deviceId, data: { ...data, summary: 'x' } as never };
    await given.store.commit([write]);
  };
  const hears = (...ids: string[]) => expect.poll(() => heard).toEqual(ids);
  await says('a');
  await hears('a');
  await says('b');
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(heard).toEqual(['a']);
  for (const call of long.splice(0)) call();
  await hears('a', 'b');
  await says('c');
  await hears('a', 'b', 'c');
  read();
  await says('d');
  await hears('a', 'b', 'c', 'd');
  await says('e');
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(heard).toEqual(['a', 'b', 'c', 'd']);
  for (const leave of leaves) leave();
});

test('listeners that may see the same groups get the same array of what came together, and others their own', async () => {
  const world = createTestWorld();
  const stream = createChangeStream(world, 2);
  const heard: Record<string, (readonly StreamChange[])[]> = { all: [], everything: [], north: [], west: [] };
  const hear = (name: string, groups: string[] | null) =>
    stream.listen({ ...ana, groups }, null, (changes) => heard[name]?.push(changes));
  const leaves = await Promise.all([
    hear('all', null),
    hear('everything', null),
    hear('north', ['north']),
    hear('west', ['west']),
  ]);
  const writes = ['north', 'south'].map((groupId): Write => {
    const data = { entryId: groupId, deviceId: groupId, groupId, at: startOfTests, kind: 'presence', who: 'device' };
    return { kind: 'create', in: 'activity', id: groupId, data: { ...data, summary: 'x' } as never };
  });
  await world.store.commit(writes);
  await expect.poll(() => heard['all']?.length).toBe(1);
  expect(heard['everything']?.[0]).toBe(heard['all']?.[0]);
  const named = (name: string) =>
    heard[name]?.map((changes) => changes.map(({ data }) => (data as { deviceId: string }).deviceId));
  expect(['all', 'north', 'west'].map(named)).toEqual([[['north', 'south']], [['north']], []]);
  // A listener that reconnects gets what it missed, and then shares the batches of the others again.
  const [last] = heard['all']?.[0]?.slice(-1) ?? [];
  world.pass(1);
  const again: (readonly StreamChange[])[] = [];
  const lastId = `${last?.id}x`;
  leaves.push(await stream.listen(ana, lastId, (changes) => again.push(changes)));
  expect(again).toHaveLength(1);
  const data = {
    entryId: 'later',
    deviceId: 'later',
    groupId: 'north',
    at: world.now(),
    kind: 'presence',
    who: 'device',
  };
  await world.store.commit([{ kind: 'create', in: 'activity', id: 'later', data: { ...data, summary: 'x' } as never }]);
  await expect.poll(() => again.length).toBe(2);
  expect(again[1]).toBe(heard['all']?.at(-1));
  for (const leave of leaves) leave();
});

test('a listener is refused while the store does not say where it is, and one that comes back misses nothing', async () => {
  const given = createTestWorld();
  let isAway = true;
  const tail: typeof given.store.tail = (asked) =>
    isAway ? Promise.reject(new Error('UNAVAILABLE')) : given.store.tail(asked);
  const stream = createChangeStream({ ...given, store: { ...given.store, tail } }, 2);
  const position = `${stream.position()}`;
  const refused = () => Promise.all([stream.listen(ana, null, () => {}), stream.listen(ana, null, () => {})]);
  await expect(refused()).rejects.toThrow('UNAVAILABLE');
  expect(given.lines.map(({ event }) => event)).toEqual(['stream.failed', 'stream.failed']);
  const says = (deviceId: string) => {
    const data = { entryId: deviceId, deviceId, groupId: 'north', at: startOfTests, kind: 'presence', who: 'device' };
    const write: Write = { kind: 'create', in: 'activity', id: deviceId, data: { ...data, summary: 'x' } as never };
    return given.store.commit([write]);
  };
  await says('meanwhile');
  isAway = false;
  const heard: unknown[] = [];
  const leave = await stream.listen(ana, position, (changes) => {
    for (const { data } of changes) heard.push((data as { deviceId?: string }).deviceId);
  });
  await says('later');
  await expect.poll(() => heard).toEqual(['meanwhile', 'later']);
  leave();
});
