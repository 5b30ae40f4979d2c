import { later, plus } from '../../../shared/domain/time.ts';
import { postOf } from '../notify/post.ts';
import { type Hung, hangs, livingFleet } from './living-fleet.ts';
import { createRandom } from './random.ts';
import { createTestWorld, type TestWorld } from './world.ts';

/** The shortest and the longest time by which a wake comes late, milliseconds. */
const latency = { least: 30, most: 2000 };

/** A fleet in a world in which each wake comes late, as on the platform, and each minute is swept. */
export async function lateFleet(
  cameras: readonly string[],
  where: (deviceId: string) => Hung = hangs,
  world: TestWorld = createTestWorld(),
) {
  const fleet = await livingFleet(cameras, where, world);
  const { ways } = fleet;
  const random = createRandom(41);
  const { wakes } = world;
  world.waker = {
    async wake(asked) {
      for (const wake of asked) {
        if (wake.in === 'fleetCounters' || wake.in === 'sweeps') continue;
        const lateMs = latency.least + random.below(latency.most - latency.least);
        wakes.push({ ...wake, dueAt: plus(later(wake.dueAt, world.now()), lateMs) });
      }
    },
  };
  let lit = new Set(cameras);
  const post = postOf(world);
  return {
    ...fleet,
    /** From now on these cameras are dark: the broker tells it of those that were connected. */
    async darken(dark: readonly string[]) {
      for (const camera of dark) if (lit.has(camera)) await ways.lose(camera);
      lit = new Set([...lit].filter((camera) => !dark.includes(camera)));
    },
    /** These cameras fall silent without a word of the broker. */
    hush(dark: readonly string[]) {
      lit = new Set([...lit].filter((camera) => !dark.includes(camera)));
    },
    /** These cameras are connected again. */
    async light(back: readonly string[]) {
      lit = new Set([...lit, ...back]);
      for (const camera of back) await ways.connect(camera);
    },
    /** Passes minutes: wakes come late, cameras that are lit report, and the sweep runs. */
    async minutes(count: number) {
      for (let passed = 0; passed < count; passed += 1) {
        await post.pass(50);
        for (const camera of lit) await ways.report(camera, where(camera).groupId);
        await ways.sweep();
        await post.pass(10);
      }
    },
  };
}
