import { postOf } from '../notify/post.ts';
import { giveTeam } from '../records/alerts.ts';
import { hang, notifiedOf } from './places.ts';
import { createWays, names } from './ways.ts';
import { createTestWorld, type TestWorld } from './world.ts';

export type Hung = { groupId: string; site: string; parents: { kind: string; id: string }[] };

/** A fleet with the topology of `where` that has run for a while. */
export async function livingFleet(
  cameras: readonly string[],
  where: (deviceId: string) => Hung = hangs,
  world: TestWorld = createTestWorld(),
) {
  const ways = createWays(world);
  await giveTeam(world, 'operations', { emails: ['ops@example.com'] });
  const groupOf = (deviceId: string) => where(deviceId).groupId;
  await ways.live(1, cameras, groupOf);
  for (const camera of cameras) await hang(world, camera, where(camera));
  await ways.live(3, cameras, groupOf);
  /** Passes minutes in which these cameras report, and handles every due wake. */
  const live = async (minutes: number, lit: readonly string[]) => {
    for (let passed = 0; passed < minutes; passed += 1) {
      await ways.live(1, lit, groupOf);
      await answerWakes(world);
    }
  };
  const lose = async (lost: readonly string[]) => {
    for (const camera of lost) await ways.lose(camera);
  };
  return { world, ways, live, lose };
}

/** Handles every wake that is due. */
export function answerWakes(world: TestWorld): Promise<void> {
  return postOf(world).answerDue();
}

/** The subjects of mails about beginnings and ends. */
export const openingsOf = (world: TestWorld) => notifiedOf(world).filter((line) => !/escalated|reminder/.test(line));

const uplink = { kind: 'uplink', id: 'u-1' };
/** `site.switch.cam-n` is connected through a switch of its site, and all through one uplink. */
export const hangs = (deviceId: string): Hung => {
  const [site = '', sw = ''] = deviceId.split('.');
  return { groupId: 'north', site, parents: [{ kind: 'switch', id: `${site}-${sw}` }, uplink] };
};
export const behind = (site: string, sw: string, count: number) => names(count, `${site}.${sw}.cam`);
