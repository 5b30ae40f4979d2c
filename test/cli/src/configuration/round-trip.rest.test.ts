import { expect, test } from 'vitest';
import { playRoundTrips } from '../../../support/cli/round-trip.ts';

test('for 200 random configurations: the plan of an export is empty, and after a random change the export differs by this change and nothing else', async () => {
  await expect(playRoundTrips(200)).resolves.toBeUndefined();
}, 600_000);
