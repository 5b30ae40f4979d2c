import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { follow, judge, type OutageView } from '../../../../shared/domain/outage/look.ts';
import { counted, keyAt, loss, outage, place } from '../../../support/records/outages.ts';
import { at, minute } from '../../../support/world/timeline.ts';

const waits = waitsAt(1);
const [a, b, uplink] = [place('site', 'a'), place('site', 'b'), place('uplink', 'u')];
const chain = (site: string) => [keyAt('uplink', 'u'), keyAt('site', site)];
const lossesAt = (site: string, count: number) =>
  Array.from({ length: count }, (_, n) => loss(`${site}-${n}`, chain(site), n));
const judged = (
  ...given: Parameters<typeof judge> extends [infer L, infer C, infer O, ...unknown[]] ? [L, C, O] : never
) => judge(...given, at(600), waits);

describe('new losses', () => {
  test('of a place that is dark belong together, others stand alone', () => {
    const counts = [counted(a, 10, 10), counted(b, 1, 10), counted(uplink, 11, 20)];
    const { together, alone } = judged([...lossesAt('a', 4), ...lossesAt('b', 1)], counts, []);
    expect(together).toMatchObject([{ joins: null, again: null, parts: [], scope: { counted: { place: a } } }]);
    expect(together[0]?.losses).toHaveLength(4);
    expect(alone.map(({ alertId }) => alertId)).toEqual(['b-0']);
  });

  test('join the outage that is open at their place, however few they are', () => {
    const open = outage(a);
    const { together } = judged(lossesAt('a', 1), [counted(a, 1, 10), counted(uplink, 1, 20)], [open]);
    expect(together).toMatchObject([{ joins: { incidentId: open.incidentId }, scope: null }]);
  });

  test('of a wider place take in the open outages of its parts', () => {
    const open = outage(a, {}, { around: [keyAt('uplink', 'u')] });
    const counts = [counted(b, 10, 10), counted(uplink, 20, 20)];
    const { together } = judged(lossesAt('b', 5), counts, [open]);
    expect(together).toMatchObject([
      { scope: { counted: { place: uplink } }, parts: [{ incidentId: open.incidentId }] },
    ]);
  });

  test('continue the outage of their place that ended by itself, not one that became part of another', () => {
    const ended = { endedAt: at(300), resolution: 'automatic' } as const;
    const counts = [counted(a, 10, 10), counted(uplink, 10, 20)];
    const againOf = (given: object) => judged(lossesAt('a', 5), counts, [outage(a, given)]).together[0]?.again ?? null;
    expect(againOf(ended)).toMatchObject({ endedAt: at(300) });
    expect(againOf({ ...ended, joinedTo: 'other' })).toBeNull();
  });

  test('wait while a person has muted their place, for an hour', () => {
    const muted = outage(a, { endedAt: at(300), resolution: 'manual', resolvedAt: at(100) });
    const counts = [counted(a, 10, 10), counted(uplink, 10, 20)];
    expect(judged(lossesAt('a', 5), counts, [muted]).waiting).toHaveLength(5);
    const later = judge(lossesAt('a', 5), counts, [muted], at(100 + 3600), waits);
    expect(later).toMatchObject({ waiting: [], together: [{ again: null }] });
  });

  test('are judged alike in any order and any number of copies', () => {
    const losses = [...lossesAt('a', 5), ...lossesAt('b', 5), loss('lone', [keyAt('site', 'c')])];
    const counts = [counted(a, 10, 10), counted(b, 6, 10), counted(uplink, 16, 20), counted(place('site', 'c'), 1, 9)];
    const outages = [outage(b), outage(a, { endedAt: at(10), resolution: 'automatic' })];
    const plain = judged(losses, counts, outages);
    const order = <T>(items: readonly T[]) => fc.shuffledSubarray([...items], { minLength: items.length });
    fc.assert(
      fc.property(order([...losses, ...losses]), order(counts), order(outages), (some, places, open) => {
        const shown = ({ together, ...rest }: ReturnType<typeof judge>) => ({
          ...rest,
          together: together.toSorted((x, y) => ((x.losses[0]?.alertId ?? '') < (y.losses[0]?.alertId ?? '') ? -1 : 1)),
        });
        expect(shown(judged(some, places, open))).toEqual(shown(plain));
      }),
    );
  });
});

describe('an open outage', () => {
  const seen = (dark: number, more: Partial<OutageView> = {}): OutageView => ({
    total: 10,
    before: 0,
    dark,
    byGroup: { north: { total: 10, dark, open: dark, gone: 0 } },
    rest: [],
    periodMs: 60_000,
    ...more,
  });
  const followed = (dark: number, seconds: number, more: Partial<OutageView> = {}, before = outage(a)) =>
    follow(before, seen(dark, more), at(seconds), waits);
  const rest = [{ counted: counted(b, 4, 4), baseline: 'near' as const }];

  test('is decided only by a horizon that has moved', () => {
    expect(followed(0, 0)).toMatchObject({ does: 'nothing', incident: outage(a) });
  });

  test('tells endpoints how many are dark, where that changed by a tenth', () => {
    expect(followed(8, minute)).toMatchObject({ does: 'update', incident: { members: { now: 8, peak: 10, back: 2 } } });
    expect(followed(10, minute).does).toBe('nothing');
  });

  test('is over when less than a tenth of it is dark, also if an alert stays open because its camera comes and goes', () => {
    expect(followed(0, minute).does).toBe('end');
    expect(followed(0, minute, { byGroup: { north: { total: 10, dark: 0, open: 10, gone: 0 } } }).does).toBe('end');
  });

  test('counts a camera whose alert is not open yet not as back, as long as its place is dark', () => {
    const late = { byGroup: { north: { total: 10, dark: 10, open: 4, gone: 0 } } };
    expect(followed(10, minute, late).incident.members).toEqual({ now: 10, peak: 10, back: 0 });
    const half = { byGroup: { north: { total: 10, dark: 4, open: 4, gone: 0 } } };
    expect(followed(4, minute, half).incident.members).toEqual({ now: 4, peak: 10, back: 6 });
  });

  test('says beside its numbers what was dark before', () => {
    expect(followed(10, minute, { before: 2 }).incident.message).toMatch(
      /^10 of 10 cameras .* are dark\. 2 more were dark before\.$/,
    );
    expect(followed(10, minute).incident.message).not.toContain('before');
  });

  test('counts what moved or was removed not as back', () => {
    const moved = { byGroup: { north: { total: 10, dark: 0, open: 0, gone: 10 } } };
    expect(followed(0, minute, moved)).toMatchObject({
      does: 'end',
      incident: { members: { now: 0, peak: 10, back: 0 } },
    });
  });

  const quiet = outage(a, {
    members: { now: 4, peak: 10, back: 6 },
    byGroup: { north: { now: 4, peak: 10, back: 6 } },
  });
  test('splits when what is left is a place of its own and nothing came back for two looks', () => {
    expect(followed(4, minute, { rest }, quiet).does).not.toBe('split');
    expect(followed(4, 2 * minute, { rest }, quiet).does).toBe('split');
    expect(followed(4, 2 * minute, { rest, periodMs: 10 * minute * 1000 }, quiet).does).not.toBe('split');
    expect(followed(4, 11 * minute, { rest, periodMs: 10 * minute * 1000 }, quiet).does).toBe('split');
  });

  test('becomes narrower at once where nobody was told of it', () => {
    expect(followed(4, minute, { rest }, { ...quiet, announcedAt: null }).does).toBe('narrow');
  });

  test('lets go of what is left after ten quiet minutes, and says once before that part of it is back', () => {
    const known = outage(a, quiet, { backSince: at(0) });
    const early = followed(4, 3 * minute, {}, known);
    expect(early.does).toBe('recover');
    expect(followed(4, 4 * minute, {}, early.incident).does).not.toBe('recover');
    expect(followed(4, 10 * minute, {}, known).does).toBe('leave');
  });

  test('that comes and goes stays open until half an hour is quiet', () => {
    const flapping = outage(a, { flapping: true });
    const lit = followed(0, minute, {}, flapping);
    expect(lit).toMatchObject({ does: 'update', incident: { outage: { spells: [{ litAt: at(minute) }] } } });
    const dark = followed(10, 10 * minute, {}, lit.incident).incident;
    expect(dark.outage?.spells).toHaveLength(2);
    const again = followed(0, 20 * minute, {}, dark).incident;
    expect(followed(0, 49 * minute, {}, again).does).toBe('nothing');
    expect(followed(0, 50 * minute, {}, again).does).toBe('end');
  });

  test('of several groups notes when the part of one of them ends, and when it is dark again', () => {
    const shared = place('uplink', 'u', ['north', 'south']);
    const ten = { now: 5, peak: 5, back: 0 };
    const before = outage(shared, { byGroup: { north: ten, south: ten } });
    const of = (north: number, south: number) => ({
      byGroup: {
        north: { total: 5, dark: north, open: north, gone: 0 },
        south: { total: 5, dark: south, open: south, gone: 0 },
      },
    });
    const ended = followed(5, minute, of(0, 5), before);
    expect(ended).toMatchObject({ does: 'recover', parts: { ended: ['north'], reopened: [] } });
    expect(ended.incident.outage?.groupEnds).toEqual({ north: at(minute) });
    expect(followed(10, 2 * minute, of(5, 5), ended.incident).parts).toEqual({
      ended: [],
      opened: [],
      reopened: ['north'],
    });
  });
});
