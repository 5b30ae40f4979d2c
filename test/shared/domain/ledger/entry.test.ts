import { expect, test } from 'vitest';
import { commitmentOf, entryKey, nextLeafAt } from '../../../../shared/domain/ledger/entry.ts';
import { subtreesToProve } from '../../../../shared/domain/ledger/merkle.ts';
import { bundleOf, linesOf } from '../../../support/ledger/log.ts';

const hour = 3_600_000;
const day = 24 * hour;

test('a year of one camera of 5,000, with an outage each day, is proven from less than 1 MB', () => {
  const cameras = 5000;
  const bundle = bundleOf(linesOf(1, 365), 'cam-0', [0, 365]);
  const indexes = Array.from({ length: 365 }, (_unused, index) => index * cameras + ((index * 977) % cameras));
  const nodes = subtreesToProve(365 * cameras, indexes, [1_000_000]);
  const bytesOfNodes = nodes.reduce((sum, { lo, count }) => sum + `"${lo}-${count}":"",`.length + 44, 0);
  expect(bundle.entries).toHaveLength(365);
  expect(JSON.stringify({ ...bundle, nodes: {} }).length + bytesOfNodes).toBeLessThan(1_000_000);
});

test('a commitment tells nothing without the key of its entry, and that is another for each', () => {
  const [first, second] = [entryKey('key', 0), entryKey('key', 1)];
  expect(first.equals(second)).toBe(false);
  expect(commitmentOf(first, 'body').equals(commitmentOf(second, 'body'))).toBe(false);
  expect(commitmentOf(first, 'body')).toHaveLength(32);
});

test('each camera has its hour of the day, and the entry after this one is never now', () => {
  const hours = new Set<string>();
  for (let number = 0; number < 200; number += 1) {
    const at = nextLeafAt(`cam-${number}`, '2026-11-20T10:00:00.000Z', day, hour);
    expect(at > '2026-11-20T10:00:00.000Z' && at <= '2026-11-21T10:00:00.000Z').toBe(true);
    expect(nextLeafAt(`cam-${number}`, at, day, hour)).toBe(new Date(Date.parse(at) + day).toISOString());
    hours.add(at);
  }
  expect(hours.size).toBe(24);
});
