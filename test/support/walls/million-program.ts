// Sweeps many silent devices in one process, all shards concurrently, and sends the memory usage to its parent. Argument: COUNT.
import { createMemoryStore } from '../../../shared/adapters/memory/store.ts';
import { sideBySide } from '../../../shared/app/commit/side-by-side.ts';
import { handleWake } from '../../../shared/app/due/handle-wake.ts';
import { allShards } from '../../../shared/domain/shards.ts';
import { newSight } from '../../../shared/domain/sight/sight.ts';
import { plus } from '../../../shared/domain/time.ts';
import { createWays } from '../world/ways.ts';
import { createTestWorld, startOfTests } from '../world/world.ts';
import { createWideStore } from './wide-store.ts';

const count = Number(process.argv[2]);
const inner = createMemoryStore();
await createWays(createTestWorld(inner)).report('model', 'north');
const [model = null] = await inner.get('devices', ['model']);
if (!model) throw new Error('no model');
const later = plus(startOfTests, 20 * 60_000);
await inner.commit([{ kind: 'create', in: 'platform', id: 'sight', data: newSight(later) }]);
const { store, left } = createWideStore(inner, { ...model.data, places: [] }, count);
const quiet = { info() {}, warn() {}, error: (event: string, fields: object) => console.error(event, fields) };
const world = {
  ...createTestWorld(store),
  // The clock does not move, so no task ends before its shard is done, and pauses take no time.
  ...{ now: () => later, log: quiet, waker: { wake: async () => {} } },
  after: (_ms: number, call: () => void) => {
    const timer = setImmediate(call);
    return { stop: () => clearImmediate(timer) };
  },
};
await sideBySide(allShards, (shard) => handleWake(world, 'shards', String(shard), false));
process.send?.({ ...left, peakMiB: Math.round(process.resourceUsage().maxRSS / 1024) });
