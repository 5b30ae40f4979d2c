import { expect, test } from 'vitest';
import { playRoundTrips } from '../../../support/cli/round-trip.ts';

test('for 20 random configurations: the plan of an export is empty, and after a random change the export differs by this change and nothing else', async () => {
  await expect(playRoundTrips(20)).resolves.toBeUndefined();
});
