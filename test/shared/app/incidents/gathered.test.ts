import { describe, expect, test } from 'vitest';
import { type Gathering, gather } from '../../../../shared/app/incidents/gathered.ts';
import type { GatheringRecord, IncidentRecord } from '../../../../shared/domain/incident/incident.ts';
import { incident } from '../../../support/records/incidents.ts';
import { incidentsOf } from '../../../support/world/places.ts';
import { at } from '../../../support/world/timeline.ts';
import { createTestWorld } from '../../../support/world/world.ts';

type Given = Partial<Gathering> & { keys?: string[]; few?: string[]; upTo?: string };
const of = (key: string) => incident({ incidentId: `i-${key}`, kind: 'unreadable', title: key });

/** A gathering whose sweep finds `keys`. Those in `few` concern too few cameras to open an incident. */
function gatheringOf({ keys = [], few = [], upTo, ...given }: Given = {}): Gathering {
  return {
    kind: 'unreadable',
    begun: async (_world, { until }) => ({ keys, upTo: upTo ?? until }),
    opened: async (_world, key) => (few.includes(key) ? null : of(key)),
    looked: async (_world, _key, record) => ({ incident: record, isOver: false }),
    ...given,
  };
}
function start() {
  const world = createTestWorld();
  const record = async (): Promise<GatheringRecord | null> => {
    const [stored = null] = await world.store.get('platform', ['unreadable']);
    return stored?.data.kind === 'gathering' ? stored.data : null;
  };
  return {
    world,
    record,
    sweep: (seconds: number, given: Given = {}) => gather(world, gatheringOf(given), at(seconds)),
    open: async () => (await record())?.open.map(({ key }) => key) ?? [],
    give: (incidentId: string, more: Partial<IncidentRecord>) =>
      world.store.commit([{ kind: 'patch', in: 'incidents', id: incidentId, set: more }]),
  };
}
const numbered = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `k${from + index}`);

describe('a search', () => {
  test('begins an hour before the first sweep, and goes on where the last one stopped', async () => {
    const { sweep, record } = start();
    const spans: object[] = [];
    const begun: Gathering['begun'] = async (_world, span) => {
      spans.push(span);
      return { keys: ['a'], upTo: at(30) };
    };
    await sweep(60, { begun });
    expect(await record()).toEqual({
      ...{ platformId: 'unreadable', kind: 'gathering', upTo: at(30), open: [{ key: 'a', incidentId: 'i-a' }] },
    });
    await sweep(30, { begun });
    await sweep(120, { begun });
    expect(spans).toEqual([
      { from: at(-3540), until: at(60) },
      { from: at(30), until: at(120) },
    ]);
  });

  test.each([
    ['nothing began within half an hour', {}, 1799.999, 0],
    ['nothing began for half an hour', {}, 1800, 1800],
    ['something began, though too small', { keys: ['a'], few: ['a'] }, 60, 60],
  ])('is noted as needed where %s', async (_, given: Given, seconds, upTo) => {
    const { sweep, record } = start();
    await sweep(0);
    expect((await record())?.upTo).toBe(at(0));
    await sweep(seconds, given);
    expect((await record())?.upTo).toBe(at(upTo));
  });
});

describe('a cause opens an incident', () => {
  test('that people are notified of, where it concerns enough cameras, and not twice', async () => {
    const { world, sweep, open } = start();
    await sweep(60, { keys: ['a', 'b'], few: ['b'] });
    await sweep(120, { keys: ['a'] });
    expect(await open()).toEqual(['a']);
    expect(await incidentsOf(world)).toMatchObject([{ incidentId: 'i-a', announcedAt: at(0), version: 1 }]);
  });

  test('at most ten in one sweep, and the next one finds the rest', async () => {
    const { sweep, open, record } = start();
    await sweep(60, { keys: numbered(10) });
    expect([(await open()).length, (await record())?.upTo]).toEqual([10, at(60)]);
    await sweep(120, { keys: numbered(11, 10) });
    expect([(await open()).length, (await record())?.upTo]).toEqual([20, at(60)]);
    await sweep(180, { keys: numbered(11, 10) });
    expect([(await open()).length, (await record())?.upTo]).toEqual([21, at(180)]);
  });

  test('at most a hundred at once', async () => {
    const { sweep, open, record } = start();
    for (let sweeps = 0; sweeps < 9; sweeps += 1) await sweep(60 + sweeps, { keys: numbered(10, sweeps * 10) });
    await sweep(70, { keys: numbered(5, 90) });
    await sweep(80, { keys: numbered(6, 95) });
    expect([(await open()).length, (await record())?.upTo]).toEqual([100, at(70)]);
  });
});

describe('causes of the whole fleet', () => {
  const together = { key: 'all', above: 2 };

  test('are one incident above their number, in one sweep or over several', async () => {
    const one = start();
    await one.sweep(60, { together, keys: ['a', 'b'] });
    expect(await one.open()).toEqual(['a', 'b']);
    await one.sweep(120, { together, keys: ['c', 'd'] });
    expect(await one.open()).toEqual(['a', 'b', 'all']);
    await one.sweep(180, { together, keys: ['e'] });
    expect([await one.open(), (await one.record())?.upTo]).toEqual([['a', 'b', 'all'], at(180)]);
    const other = start();
    await other.sweep(60, { together, keys: ['a', 'b', 'c'] });
    expect([await other.open(), (await other.record())?.upTo]).toEqual([['all'], at(60)]);
  });

  test('are none where the whole fleet has too few', async () => {
    const { sweep, open } = start();
    await sweep(60, { together, keys: ['a', 'b', 'c'], few: ['all'] });
    expect(await open()).toEqual([]);
  });
});

describe('an open incident', () => {
  test('is kept as it is, updated without a word, or ended', async () => {
    const { world, sweep, open } = start();
    await sweep(60, { keys: ['a', 'b', 'c'] });
    await sweep(120, {
      looked: async (_world, key, record) => {
        if (key === 'b') return { incident: { ...record, members: { now: 9, peak: 9, back: 0 } }, isOver: false };
        return {
          incident: key === 'c' ? { ...record, endedAt: at(120), message: 'Over' } : record,
          isOver: key === 'c',
        };
      },
    });
    expect(await open()).toEqual(['a', 'b']);
    expect((await incidentsOf(world)).map(({ members, version, status }) => [members.now, version, status])).toEqual([
      ...[
        [0, 1, 'active'],
        [9, 1, 'active'],
        [0, 2, 'resolved'],
      ],
    ]);
    const trail = await world.store.find({ in: 'incidentAudit', limit: 100 });
    expect(trail.map(({ data: { action, why } }) => [action, why])).toContainEqual(['end', 'Over']);
  });

  test('that a person resolved ends without a word', async () => {
    const { world, sweep, give, open } = start();
    await sweep(60, { keys: ['a'] });
    await give('i-a', { status: 'resolved', isOpen: false });
    const looked: Gathering['looked'] = async (_world, _key, record) => ({
      ...{ incident: { ...record, endedAt: at(120) }, isOver: true },
    });
    await sweep(120, { looked });
    expect([await open(), await incidentsOf(world)]).toMatchObject([[], [{ endedAt: at(120), version: 1 }]]);
  });

  test('that has ended otherwise or is gone is forgotten, and may open again', async () => {
    const { world, sweep, give, record } = start();
    await sweep(60, { keys: ['a', 'b'] });
    await give('i-a', { endedAt: at(90) });
    const [stored = null] = await world.store.get('incidents', ['i-b']);
    if (stored) await world.store.commit([{ kind: 'delete', in: 'incidents', id: 'i-b', revision: stored.revision }]);
    await sweep(120, { opened: async () => ({ ...of('a'), incidentId: 'i-a-2' }), keys: ['a'] });
    expect((await record())?.open).toEqual([{ key: 'a', incidentId: 'i-a-2' }]);
  });
});
