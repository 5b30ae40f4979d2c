import { expect, test } from 'vitest';
import { seedAlert } from '../../../../shared/domain/alert/alert.ts';
import { causesOfAlerts, folded } from '../../../../shared/domain/now/arrange.ts';
import { startOfTests } from '../../../support/world/world.ts';

const alertsAt = (site: string, count: number) =>
  Array.from({ length: count }, (_, index) => {
    const id = `${site}-${index}`;
    const seed = { alertId: id, deviceId: id, groupId: 'north', code: 'SEC_002', message: 'x', context: {} } as const;
    return { ...seedAlert(seed, startOfTests), isOpen: true, site };
  });
const causesOf = (sites: Record<string, number>, totals: Record<string, number>) =>
  causesOfAlerts(
    Object.entries(sites).flatMap(([site, count]) => alertsAt(site, count)),
    {
      groupId: 'north',
      total: Object.values(totals).reduce((sum, each) => sum + each, 0),
      totals: new Map(Object.entries(totals)),
      names: new Map(),
    },
  );
const sizeOf = ({ cameras, of }: { cameras: number | null; of: number | null }) => [cameras, of];

test('a cause says of how many cameras of its place it is, unless fewer are known than it concerns', () => {
  expect(causesOf({ a: 2 }, { a: 10 }).map(sizeOf)).toEqual([[2, 10]]);
  expect(causesOf({ a: 4 }, { a: 4 }).map(sizeOf)).toEqual([[4, 4]]);
  expect(causesOf({ a: 4 }, { a: 0 }).map(sizeOf)).toEqual([[4, null]]);
  expect(causesOf({ a: 6 }, {}).map(sizeOf)).toEqual([[6, null]]);
});

test('so does one at many places', () => {
  const sites = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`s${index}`, 2]));
  const few = Object.fromEntries(Object.keys(sites).map((site) => [site, 1]));
  const many = Object.fromEntries(Object.keys(sites).map((site) => [site, 5]));
  expect(folded(causesOf(sites, many)).map(sizeOf)).toEqual([[16, 40]]);
  expect(folded(causesOf(sites, few)).map(sizeOf)).toEqual([[16, null]]);
});
