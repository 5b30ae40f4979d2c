import { describe, expect, test } from 'vitest';
import { activityWrite, decided, nothingRead, type ReadRecords } from '../../../../shared/app/change/written.ts';
import type { Wake, Write } from '../../../../shared/app/ports.ts';
import { loadConfiguration } from '../../../../shared/app/settings/configuration.ts';
import { type AlertRecord, seedAlert } from '../../../../shared/domain/alert/alert.ts';
import { type Change, type KnownRecords, type Needs, noChange } from '../../../../shared/domain/change/change.ts';
import type { ActivityEntry } from '../../../../shared/domain/device/activity.ts';
import { type Device, newDevice } from '../../../../shared/domain/device/device.ts';
import { giveTeam } from '../../../support/records/alerts.ts';
import { at } from '../../../support/world/timeline.ts';
import { createTestWorld, type TestWorld } from '../../../support/world/world.ts';

const seed = {
  alertId: 'a-1',
  deviceId: 'cam-1',
  groupId: 'north',
  code: 'RES_001',
  message: '',
  context: {},
} as const;
const alert = (given: Partial<AlertRecord> = {}): AlertRecord => ({ ...seedAlert(seed, at(0)), ...given });
const device = (given: Partial<Device> = {}): Device => ({
  ...{ ...newDevice('cam-1', at(0)), groupId: 'north', wasHeard: true, isOnline: true, version: 3 },
  ...given,
});
const line = (entryId: string) => ({ entryId, deviceId: 'cam-1', summary: 'Seen' }) as ActivityEntry;
const needs = (given: Partial<Needs>): Needs => ({ kind: 'needs', alerts: [], targets: [], ...given });

/** A world with one alert and one activity entry. */
async function worldWith(): Promise<TestWorld> {
  const world = createTestWorld();
  await world.store.commit([{ kind: 'create', in: 'alerts', id: 'a-1', data: alert() }, activityWrite(line('l-1'))]);
  return world;
}

/** Makes a decision that asks for these records one after another. Returns what it knew each time. */
async function asked(world: TestWorld, needed: Needs[], read: ReadRecords = nothingRead): Promise<KnownRecords[]> {
  const seen: KnownRecords[] = [];
  const outcome = await decided<{ kind: 'none' }>(world, read, at(-5), (known) => {
    seen.push(known);
    return needed[seen.length - 1] ?? { kind: 'none' };
  });
  expect(outcome).toEqual({ kind: 'none' });
  return seen;
}

describe('a decision is repeated', () => {
  test('with the time of the event and the present time', async () => {
    const world = createTestWorld();
    world.pass(7);
    const outcome = await decided(world, nothingRead, at(-5), (_known, given) => ({ kind: 'decided' as const, given }));
    const given = { at: at(-5), recordedAt: at(7), waits: world.waits, drill: null };
    expect(outcome).toEqual({ kind: 'decided', given });
    const drill = { name: 'the drill' } as never;
    const drilled = await decided({ ...world, drill }, nothingRead, at(0), (_known, { drill: used }) => {
      return { kind: 'decided' as const, used };
    });
    expect(drilled).toEqual({ kind: 'decided', used: drill });
  });

  test('with the requested alerts and targets and the configuration; missing ones are null', async () => {
    const world = await worldWith();
    const [first, second, third] = await asked(world, [
      needs({ alerts: ['a-1', 'a-2'] }),
      needs({ targets: ['t-1'], alerts: ['a-3'] }),
    ]);
    expect(first).toEqual({
      ...{ alerts: new Map(), targets: new Map(), activity: new Map(), configuration: null },
    });
    expect(second?.alerts).toEqual(
      new Map([
        ['a-1', alert()],
        ['a-2', null],
      ]),
    );
    expect(second?.configuration).toEqual(await loadConfiguration(world));
    expect([...(third?.alerts.keys() ?? [])]).toEqual(['a-1', 'a-2', 'a-3']);
    expect(third?.targets).toEqual(new Map([['t-1', null]]));
    expect(third?.configuration).toBe(second?.configuration);
  });

  test('with a given configuration, which is not loaded again', async () => {
    const world = await worldWith();
    const configuration = { ...(await loadConfiguration(world)), webhooks: [] };
    const [, second] = await asked(world, [needs({ alerts: ['a-1'] })], { ...nothingRead, configuration });
    expect(second?.configuration).toBe(configuration);
  });

  test('with the configuration if nothing else is requested', async () => {
    const [, second] = await asked(await worldWith(), [needs({})]);
    expect(second?.configuration).not.toBeNull();
    const [, other] = await asked(await worldWith(), [needs({ targets: ['t-1'], activity: ['l-1'] })]);
    expect([other?.configuration === null, other?.activity]).toEqual([false, new Map([['l-1', true]])]);
  });

  test('with the present configuration, whatever this process has cached', async () => {
    const world = await worldWith();
    await loadConfiguration(world);
    await giveTeam(world, 'night', { emails: ['night@example.com'] });
    const [, second] = await asked(world, [needs({ alerts: ['a-1'] })]);
    expect([...(second?.configuration?.teams.keys() ?? [])]).toContain('night');
  });

  test('with requested lines of activity, without the configuration if nothing else is requested', async () => {
    const [, second, third] = await asked(await worldWith(), [
      needs({ activity: ['l-1', 'l-2'] }),
      needs({ alerts: ['a-1'], activity: ['l-3'] }),
    ]);
    expect([second?.configuration, second?.activity]).toEqual([
      null,
      new Map([
        ['l-1', true],
        ['l-2', false],
      ]),
    ]);
    expect(third?.activity).toEqual(
      new Map([
        ['l-1', true],
        ['l-2', false],
        ['l-3', false],
      ]),
    );
    expect([third?.alerts.get('a-1'), third?.configuration === null]).toEqual([alert(), false]);
  });

  test('with a single requested line of activity', async () => {
    const [, second] = await asked(await worldWith(), [needs({ activity: ['l-1'] })]);
    expect([second?.configuration, second?.activity]).toEqual([null, new Map([['l-1', true]])]);
  });
});

async function written(
  given: Partial<Change>,
  read: Partial<ReadRecords> = {},
): Promise<{ writes: Write[]; wakes: Wake[] }> {
  const world = createTestWorld();
  const change = { ...noChange(), ...given };
  const outcome = await decided(world, { ...nothingRead, ...read }, at(0), () => change);
  expect(outcome).toMatchObject({ kind: 'change', change });
  return outcome;
}
const stored = <T>(id: string, data: T) => ({ id, data, revision: 'r-1' as never });
const short = (writes: readonly Write[]) => writes.map((write) => `${write.kind} ${write.in} ${write.id}`);

describe('a change is written', () => {
  test('not at all if it is empty', async () => {
    expect(await written({})).toMatchObject({ writes: [], wakes: [] });
  });

  test('as new records, or as replacements of the records that were read', async () => {
    const first = await written({ device: device(), alerts: [alert()] });
    expect(short(first.writes).slice(0, 2)).toEqual(['create devices cam-1', 'create alerts a-1']);
    const read = { device: stored('cam-1', device()), alerts: new Map([['a-1', stored('a-1', alert())]]) };
    const { writes } = await written({ device: device({ version: 4 }), alerts: [alert({ version: 1 })] }, read);
    expect(writes.slice(0, 2)).toMatchObject([
      { kind: 'replace', in: 'devices', revision: 'r-1', data: { version: 4 } },
      { kind: 'replace', in: 'alerts', revision: 'r-1', data: { version: 1 } },
    ]);
    const none = new Map([['a-1', null]]);
    expect(short((await written({ alerts: [alert()] }, { alerts: none })).writes)[0]).toBe('create alerts a-1');
  });

  test('with sightings and renames as patches, and entries and lines as new records', async () => {
    const { writes, wakes } = await written({
      sightings: [{ alertId: 'a-1', finding: { message: '95 %', context: {} }, times: 1, at: at(30) }],
      renames: [{ alertId: 'a-2', deviceName: 'Gate', site: null, tags: {} } as never],
      entries: [{ entryId: 'e-1' } as never],
      activity: [line('l-9')],
      counters: [{ id: 'c-1', set: { day: 'd', groupId: 'north' }, add: { hours: {} } }],
    });
    expect(writes).toEqual([
      {
        ...{ kind: 'patch', in: 'alerts', id: 'a-1', add: { occurrences: 1 } },
        set: { message: '95 %', context: {}, lastSeenAt: at(30) },
      },
      { kind: 'patch', in: 'alerts', id: 'a-2', set: { deviceName: 'Gate', site: null, tags: {} } },
      { kind: 'create', in: 'audit', id: 'e-1', data: { entryId: 'e-1' } },
      { kind: 'accrue', in: 'trendCounters', id: 'c-1', set: { day: 'd', groupId: 'north' }, add: { hours: {} } },
      { kind: 'create', in: 'activity', id: 'l-9', data: line('l-9') },
    ]);
    expect(wakes).toEqual([]);
  });

  test('with changes of the fleet counters, and a wake that sums them', async () => {
    const countsOf = ({ writes }: { writes: Write[] }) =>
      writes.flatMap((write) => (write.in === 'fleetCounters' && 'add' in write ? [write.add] : []));
    const fresh = await written({ device: device() });
    expect(countsOf(fresh)).toEqual([{ counts: { total: 1, online: 1 } }]);
    expect(fresh.wakes).toMatchObject([{ in: 'fleetCounters', id: '*' }]);
    const read = { device: stored('cam-1', device()) };
    const lost = await written({ device: device({ isOnline: false }) }, read);
    expect(countsOf(lost)).toEqual([{ counts: { online: -1 } }]);
    const same = await written({ device: device({ name: 'Gate' }) }, read);
    expect([countsOf(same), same.wakes]).toEqual([[], []]);
    // A change of alerts alone does not count the device again.
    const alerts = new Map([['a-1', stored('a-1', alert())]]);
    const over = await written({ alerts: [alert({ isOpen: false })] }, { ...read, alerts });
    expect(countsOf(over)).toEqual([{ counts: { [`open ${alert().severity}`]: -1, changes: 1 } }]);
  });

  test('with a wake for each alert that is due', async () => {
    const due = alert({ alertId: 'a-2', dueAt: at(300), version: 5 });
    const { wakes } = await written({ alerts: [alert({ dueAt: null }), due] });
    expect(wakes.filter((wake) => wake.in === 'alerts')).toEqual([
      { in: 'alerts', id: 'a-2', version: 5, dueAt: at(300) },
    ]);
  });

  test.each([
    ['a new time', at(300), at(200), [at(300)]],
    ['its first time', at(300), null, [at(300)]],
    ['the time that it had', at(300), at(300), []],
    ['no time any more', null, at(300), []],
    ['none', null, null, []],
  ])('with a wake for a device that has %s', async (_, dueAt, before, times) => {
    const read = { device: stored('cam-1', device({ dueAt: before })) };
    const { wakes } = await written({ device: device({ dueAt, version: 4 }) }, read);
    expect(wakes).toEqual(times.map((time) => ({ in: 'devices', id: 'cam-1', version: 4, dueAt: time })));
  });

  test('with a wake for a new device that is due', async () => {
    const { wakes } = await written({ device: device({ dueAt: at(300) }) });
    expect(wakes).toContainEqual({ in: 'devices', id: 'cam-1', version: 3, dueAt: at(300) });
  });
});
