import { expect, test } from 'vitest';
import { areFew, countWords, placesInOrder } from '../../../../../console/src/pages/devices/place-rows.ts';
import type { Site } from '../../../../../shared/schema/place/place.ts';

const place = (id: string, devices: Partial<Site['devices']> = {}, more: Partial<Site> = {}): Site => ({
  ...{ kind: 'site', id, groupId: 'north', name: null, shared: false, incidentId: null },
  devices: { total: 30, online: 30, offline: 0, unknown: 0, neverSeen: 0, ...devices },
  ...more,
});

test('places with an incident come first, then those with most cameras offline or unknown, then by name with natural numbers', () => {
  const sites = [place('gate 10'), place('gate 9'), place('dark', { offline: 2 }), place('unseen', { unknown: 5 })];
  const incident = place('outage', { offline: 1 }, { incidentId: 'i' });
  expect(placesInOrder([...sites, incident]).map(({ id }) => id)).toEqual([
    ...['outage', 'unseen', 'dark'],
    ...['gate 9', 'gate 10'],
  ]);
  // While the platform is blind, the order is by the counts that are known.
  expect(placesInOrder([place('a'), place('b', { online: null, offline: 1, unknown: null })])[0]?.id).toBe('b');
});

test.each([
  [{ online: 28, offline: 2 }, '28 of 30 devices online'],
  [{ online: 27, offline: 2, unknown: 1 }, '27 of 30 devices online, 1 unknown'],
  [{ online: null, unknown: null, offline: 2 }, '2 of 30 devices offline, the rest is not known'],
])('%o: %s', (devices, words) => {
  expect(countWords(place('a', devices))).toBe(words);
});

test('a list of few small places starts expanded', () => {
  expect(areFew([place('a'), place('b')])).toBe(true);
  expect(areFew([place('a', { total: 201 })])).toBe(false);
  expect(areFew(Array.from({ length: 9 }, (_, at) => place(`p-${at}`, { total: 1 })))).toBe(false);
});
