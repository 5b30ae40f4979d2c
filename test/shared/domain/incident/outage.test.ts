import { describe, expect, test } from 'vitest';
import type { IncidentRecord } from '../../../../shared/domain/incident/incident.ts';
import {
  type Counted,
  outageAt,
  outageEnded,
  outageJoined,
  outageOf,
  placeTitle,
} from '../../../../shared/domain/incident/outage.ts';
import { placeIdOf, type SeenPlace } from '../../../../shared/domain/incident/place.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { incident } from '../../../support/records/incidents.ts';
import { startOfTests } from '../../../support/world/world.ts';

const at = (seconds: number) => plus(startOfTests, seconds * 1000);
const place = (kind: string, id: string, given: Partial<SeenPlace> = {}): SeenPlace => ({
  kind,
  id,
  groups: ['north'],
  name: null,
  isShared: false,
  ...given,
});
const counted = (where: SeenPlace, dark: number, total: number, given: Partial<Counted> = {}): Counted => ({
  place: where,
  state: null,
  kind: where.kind,
  total,
  dark,
  darkness: { firstAt: at(0), lastAt: at(40) },
  ...given,
});
const sw = place('switch', 'sw-12');
const central = place('site', 'gbg-central');

test.each([
  [central, 'at gbg-central'],
  [place('site', 'c', { name: 'Gbg Central' }), 'at Gbg Central'],
  [place('group', 'north'), 'in group north'],
  [sw, 'behind switch sw-12'],
])('the place %j is called: %s', (where, title) => {
  expect(placeTitle(where)).toBe(title);
});

describe('an outage', () => {
  const around = counted(central, 48, 261);

  test('says what is dark within what time, and what reports around it', () => {
    const opened = outageOf(counted(sw, 47, 48), around, at(-300), at(60), 60_000);
    const { incidentId, ...rest } = opened;
    const expected: Partial<IncidentRecord> = {
      kind: 'outage',
      groups: ['north'],
      scope: { kind: 'switch', id: 'sw-12', name: null },
      title: 'Outage behind switch sw-12',
      message: '47 of 48 cameras behind switch sw-12 are dark.',
      evidence: ['47 of 48 cameras behind switch sw-12 dark within 40 s', '212 of 213 elsewhere at gbg-central report'],
      severity: 'CRITICAL',
      timestamp: at(0),
      lastSeenAt: at(0),
      notifyAfter: at(120),
      outage: { placeId: placeIdOf(sw), from: at(-300), size: 48, backSince: null, announcedCount: 0 },
    };
    const { incidentId: _, ...made } = incident(expected);
    expect(rest).toEqual(made);
    expect(incidentId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5/);
  });

  test('begins when it is seen, where no device tells when it went dark, and concerns the groups in one order', () => {
    const shared = { ...sw, groups: ['south', 'north'] };
    const opened = outageOf(counted(shared, 3, 4, { darkness: null }), null, at(-300), at(60), 60_000);
    expect(opened).toMatchObject({
      timestamp: at(60),
      groups: ['north', 'south'],
      evidence: ['3 of 4 cameras behind switch sw-12 dark'],
    });
  });

  test('has one id for everybody who opens it, and another when the place goes dark again', () => {
    const idOf = (opened: number | null, where = sw) => {
      const state = opened === null ? null : { placeId: 'p', openIncidentId: null, opened, version: 1 };
      return outageOf(counted(where, 3, 4, { state }), null, at(0), at(0), 0).incidentId;
    };
    expect(idOf(null)).toBe(idOf(0));
    expect(new Set([idOf(0), idOf(1), idOf(2), idOf(0, central)]).size).toBe(4);
    // The id must not change between releases, otherwise an outage that opens during an update could open twice.
    expect(idOf(0)).toBe('8dbcb45a-628e-584e-aeba-b3d593a0a657');
  });

  test.each([
    [48, 261, ['212 of 213 elsewhere at gbg-central report']],
    // The counts were taken one after another, so their difference can be negative. The evidence then says 0.
    [261, 261, ['0 of 213 elsewhere at gbg-central report']],
    [261, 49, ['0 of 1 elsewhere at gbg-central report']],
    [47, 48, []],
    [40, 40, []],
  ])('around it %d of %d are dark', (dark, total, evidence) => {
    const opened = outageOf(counted(sw, 47, 48, { darkness: null }), counted(central, dark, total), at(0), at(0), 0);
    expect(opened.evidence.slice(1)).toEqual(evidence);
  });

  test('widens: it is announced anew of the wider place, with what was found before below', () => {
    const before = incident({
      outage: { placeId: 'p', from: at(-300), size: 48, backSince: at(9), announcedCount: 47 },
    });
    const scope = counted({ ...central, groups: ['south', 'north'] }, 200, 261);
    expect(outageAt(before, scope, null, 'Widened')).toEqual({
      incident: {
        ...before,
        groups: ['north', 'south'],
        scope: { kind: 'site', id: 'gbg-central', name: null },
        title: 'Outage at gbg-central',
        message: '200 of 261 cameras at gbg-central are dark.',
        evidence: ['200 of 261 cameras at gbg-central dark within 40 s', '3 of 4 cameras at central dark'],
        outage: { placeId: placeIdOf(scope.place), from: at(-300), size: 261, backSince: null, announcedCount: 0 },
      },
      why: 'Widened: Outage at gbg-central',
    });
  });

  test('keeps twenty lines of evidence, and starts from its own beginning where no other is known', () => {
    const before = incident({ evidence: Array.from({ length: 20 }, (_, n) => `line ${n}`) });
    const narrowed = outageAt(before, counted(sw, 3, 4), null, 'Narrowed');
    expect(narrowed.incident.evidence).toHaveLength(20);
    expect(narrowed.incident.evidence.at(-1)).toBe('line 18');
    expect(narrowed.incident.outage?.from).toBe(before.timestamp);
    expect(narrowed.why).toBe('Narrowed: Outage behind switch sw-12');
  });
});

describe('an outage that is over', () => {
  test.each([
    [0, [], '198 back after 14 min.'],
    [2, ['Gate', 'Yard'], '198 back after 14 min, 2 still dark: Gate, Yard.'],
    [3, ['Gate', 'Yard'], '198 back after 14 min, 3 still dark: Gate, Yard and others.'],
    // They came back between the counts and the names.
    [2, [], '198 back after 14 min, 2 still dark.'],
  ])('says how long it lasted and what is left: %d', (now, still, message) => {
    const before = incident({ members: { now, peak: 198 + now, back: 198 } });
    expect(outageEnded(before, still, at(14 * 60))).toEqual({
      ...before,
      endedAt: at(14 * 60),
      message,
      evidence: [...before.evidence, message],
    });
  });

  test('names the wider one that it has joined', () => {
    const before = incident();
    const other = { incidentId: 'i-2', title: 'Outage behind provider telia' };
    expect(outageJoined(before, other, at(60))).toEqual({
      ...before,
      endedAt: at(60),
      joinedTo: 'i-2',
      message: 'It is part of a wider one: Outage behind provider telia.',
    });
  });
});
