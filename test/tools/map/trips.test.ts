import { expect, test } from 'vitest';
import { createMemoryStore } from '../../../shared/adapters/memory/store.ts';
import { countTrips, tripCounter } from '../../../tools/map/trips.ts';

const counter = tripCounter(createMemoryStore());
const { store } = counter;
const read = () => store.get('devices', ['a']);

test('calls of the store at the same time are one trip, calls after each other are several, and preparation does not count', async () => {
  const counted = await countTrips(
    {
      none: async () => {
        await read();
        return async () => {};
      },
      'side by side': async () => async () => void (await Promise.all([read(), read(), store.count({ in: 'alerts' })])),
      'in a row': async () => async () => {
        await Promise.all([read(), read().then(read)]);
        await store.commit([]);
        await store.find({ in: 'alerts', limit: 1 });
        await store.commit([]);
      },
    },
    counter,
  );
  expect(Object.fromEntries(counted)).toEqual({
    none: { reads: 0, commits: 0, decisions: 0 },
    'side by side': { reads: 1, commits: 0, decisions: 0 },
    'in a row': { reads: 3, commits: 2, decisions: 0 },
  });
});
