import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AlertRecord, seedAlert } from '../../../../shared/domain/alert/alert.ts';
import { seedIncident } from '../../../../shared/domain/incident/incident.ts';
import { causesOfAlerts } from '../../../../shared/domain/now/arrange.ts';
import type { Cause, Worst } from '../../../../shared/domain/now/cause.ts';
import { causeOfIncident } from '../../../../shared/domain/now/incidents.ts';
import { worseOf } from '../../../../shared/domain/now/rank.ts';
import { cut, merged, type NowRecord } from '../../../../shared/domain/now/record.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { type AlertCode, alertCatalogue } from '../../../../shared/schema/vocabulary.ts';
import { type Fault, type Fleet, isAtLeastAsBad, type Outage, troublesOf } from '../../../support/now/worst-first.ts';
import { outageState } from '../../../support/records/outages.ts';
import { startOfTests } from '../../../support/world/world.ts';

const codes = ['CONN_001', 'SEC_001', 'CONN_002', 'RES_001', 'CONN_003', 'RES_002'] as const satisfies AlertCode[];
const answers = ['nobody, and its time is over', 'nobody yet', 'somebody'] as const;
const statusOf = {
  'nobody, and its time is over': 'escalated',
  'nobody yet': 'active',
  somebody: 'acknowledged',
} as const;
const at = (minute: number) => plus(startOfTests, minute * 60_000);
const groups = ['north', 'south', 'west'];
const minute = fc.integer({ min: 0, max: 5 });
const answer = fc.constantFrom(...answers);

const fault = fc.record({
  group: fc.constantFrom(...groups),
  site: fc.constantFrom('a', 'b', 'c', 'd', null),
  camera: fc.integer({ min: 1, max: 4 }),
  code: fc.constantFrom(...codes),
  answer,
  beganAt: minute,
  isQuiet: fc.integer({ min: 0, max: 5 }).map((number) => number === 0),
});
const outage = fc.record({ dark: fc.integer({ min: 0, max: 9 }), answer, beganAt: minute, isForAll: fc.boolean() });
const sizes = fc.array(fc.integer({ min: 4, max: 40 }), { minLength: 12, maxLength: 12 });

const fleets = fc
  .record({
    faults: fc.uniqueArray(fault, {
      selector: (each) => `${each.group}${each.site}${each.camera}${each.code}`,
      maxLength: 40,
    }),
    outages: fc.array(outage, { maxLength: 3 }),
    sizes,
  })
  .map((given): Fleet => {
    const spots = groups.flatMap((group) => ['a', 'b', 'c', 'd'].map((site) => `${group}/${site}`));
    const atSite = new Map(spots.map((spot, index) => [spot, given.sizes[index] as number]));
    const inGroup = new Map(
      groups.map((group) => [
        group,
        spots.reduce((sum, spot) => sum + (spot.startsWith(group) ? (atSite.get(spot) ?? 0) : 0), 5),
      ]),
    );
    const faults = given.faults.map((each, index): Fault => {
      const { severity } = alertCatalogue[each.code];
      return {
        ...each,
        id: `f-${index}`,
        camera: `${each.group} ${each.site} ${each.camera}`,
        severity: severity as Fault['severity'],
      };
    });
    const outages = given.outages.map(
      (each, index): Outage => ({ ...each, id: `o-${index}`, of: 10, severity: 'CRITICAL' }),
    );
    return { faults, outages, atSite, inGroup };
  });

function alertOf({ id, camera, group, site, code, answer: given, beganAt, isQuiet }: Fault): AlertRecord {
  const seed = {
    alertId: id,
    deviceId: camera,
    groupId: group,
    code: code as AlertCode,
    message: 'm',
    context: {},
    site,
  };
  return { ...seedAlert({ ...seed, isMember: isQuiet }, at(beganAt)), status: statusOf[given], version: 1 };
}

function causeOfOutage({ id, dark, of, severity, answer: given, beganAt, isForAll }: Outage): Cause {
  const scope = { kind: 'site', id: 'x', name: null };
  const members = { now: dark, peak: dark, back: 0 };
  const where = { groups: isForAll ? ['*'] : ['north'], scope, members, evidence: [] };
  const seeded = seedIncident(
    { incidentId: id, kind: 'outage', title: id, message: id, ...where },
    severity,
    at(beganAt),
  );
  const placed = outageState({ from: at(0), size: of });
  return causeOfIncident({ ...seeded, status: statusOf[given], outage: placed }, null);
}

function recordOf(fleet: Fleet, group: string): NowRecord {
  const alerts = fleet.faults.filter((each) => each.group === group).map(alertOf);
  const inside = [...fleet.atSite].filter(([spot]) => spot.startsWith(`${group}/`));
  const totals = new Map(inside.map(([spot, count]) => [spot.slice(group.length + 1), count]));
  const facts = { groupId: group, total: fleet.inGroup.get(group) ?? 0, totals, names: new Map() };
  return { groupId: group, isStale: false, at: at(9), ...cut(causesOfAlerts(alerts, facts)) };
}

const shown = (fleet: Fleet, of: readonly string[]) =>
  cut([...merged(of.map((group) => recordOf(fleet, group))).causes, ...fleet.outages.map(causeOfOutage)]).causes;

describe('the rows of what is wrong now', () => {
  test('are every trouble of the fleet once, and no row stands above a worse one', () => {
    const check = (fleet: Fleet, of: readonly string[]) => {
      const expected = troublesOf(fleet, new Set(of));
      const rows = shown(fleet, of).map((cause) => {
        const own = expected.find(({ members }) => members.has(cause.worst.id));
        if (!own) throw new Error(`${cause.key} is no trouble`);
        if (cause.incident === null) expect(cause.cameras).toBe(own.members.size);
        return own;
      });
      expect(new Set(rows).size).toBe(rows.length);
      expect(rows.length).toBe(expected.length);
      for (const [index, row] of rows.entries()) {
        for (const later of rows.slice(index + 1)) expect(isAtLeastAsBad(row, later)).toBe(true);
      }
    };
    fc.assert(fc.property(fleets, fc.subarray(groups, { minLength: 1 }), check), { numRuns: 300 });
  });

  test('are the same whether groups are merged one by one or at once', () => {
    const check = (fleet: Fleet) => {
      const [north, south, west] = groups.map((group) => recordOf(fleet, group)) as [NowRecord, NowRecord, NowRecord];
      const keys = (records: NowRecord[]) =>
        merged(records).causes.map(({ key, places, cameras, since }) => [key, places, cameras, since]);
      expect(keys([west, north, south])).toEqual(keys([north, south, west]));
    };
    fc.assert(fc.property(fleets, check), { numRuns: 100 });
  });
});

test('the clock of a row is that of its worst record: what escalated and nobody has comes before every running clock', () => {
  const base = causeOfOutage({
    id: 'o',
    dark: 1,
    of: 2,
    severity: 'CRITICAL',
    answer: 'nobody yet',
    beganAt: 0,
    isForAll: false,
  }).worst;
  const escalated = { ...base, id: 'e', status: 'escalated' as const, escalatedAt: at(3) };
  const soon = { ...base, id: 's', respondBy: at(1) };
  const later = { ...base, id: 'l', respondBy: at(50) };
  const taken = { ...base, id: 't', status: 'acknowledged' as const, timestamp: at(-90) };
  const worstOf = (...records: Worst[]) => records.reduce(worseOf).id;
  expect(worstOf(taken, later, soon, escalated)).toBe('e');
  expect(worstOf(taken, later, soon)).toBe('s');
  expect(worstOf(taken, later)).toBe('l');
});

test('a record holds 200 causes and at most 200 KB, and counts the others', () => {
  const name = 'كاميرا المدخل الشمالي '.repeat(5);
  const outages = Array.from({ length: 900 }, (_, index) => {
    const cause = causeOfOutage({
      id: `o-${index}`,
      dark: index % 9,
      of: 10,
      severity: index % 2 ? 'CRITICAL' : 'ERROR',
      answer: 'somebody',
      beganAt: index,
      isForAll: false,
    });
    return { ...cause, incident: { kind: 'outage', title: name.repeat(index % 2 ? 4 : 1) } };
  });
  const few = cut(outages.slice(0, 230));
  const record = { ...few, groupId: 'north', isStale: false };
  expect(Buffer.byteLength(JSON.stringify(record))).toBeLessThan(200_000);
  expect(few.causes.length).toBeLessThanOrEqual(200);
  expect(few.causes.length + (few.rest.CRITICAL ?? 0) + (few.rest.ERROR ?? 0)).toBe(230);
  expect(cut(outages.map((each) => ({ ...each, incident: { kind: 'outage', title: 'x' } }))).causes).toHaveLength(200);
});
