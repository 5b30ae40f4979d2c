import { expect, test } from 'vitest';
import { thresholds } from '../../../shared/domain/limits.ts';
import { postOf } from '../../support/notify/post.ts';
import { ledger, sizeOf } from '../../support/score/score.ts';
import { type Hung, livingFleet } from '../../support/world/living-fleet.ts';
import { createRandom, type Random } from '../../support/world/random.ts';
import type { TestWorld } from '../../support/world/world.ts';

/** The real fault: a path to the service fails, a site has no power, or both. */
type Truth = { blind: 'broker' | 'restart' | 'ingest' | null; site: 'silent' | 'lost' | null };
const truths: Truth[] = [
  { blind: 'broker', site: null },
  { blind: 'restart', site: null },
  { blind: 'ingest', site: null },
  { blind: null, site: 'silent' },
  { blind: null, site: 'lost' },
  { blind: 'ingest', site: 'lost' },
];

/** Customers with sites of a few cameras each, all behind the same broker. */
function fleetOf(random: Random): Map<string, Hung> {
  const fleet = new Map<string, Hung>();
  const groups = 1 + random.below(3);
  for (let group = 0; group < groups; group += 1) {
    const sites = 2 + random.below(2);
    for (let site = 0; site < sites; site += 1) {
      const name = `g${group}s${site}`;
      for (let camera = 3 + random.below(3); camera > 0; camera -= 1) {
        const parents = [{ kind: 'uplink', id: `line-${name}` }];
        fleet.set(`${name}-c${camera}`, { groupId: `customer-${group}`, site: name, parents });
      }
    }
  }
  return fleet;
}

/** The openings that people were notified of: `blind` for the platform, `out` for cameras or places. A duplicate is listed twice. */
function notifiedIn(world: TestWorld): string[] {
  const { sent } = postOf(world);
  const lines = sent.flatMap(({ channel, text }) => (channel === 'email' ? [text.split('\n')[0] ?? ''] : []));
  sent.length = 0;
  return lines.flatMap((line) => {
    if (/: over|: escalated to/.test(line)) return [];
    return /blind/.test(line) ? ['blind'] : /Outage|offline/.test(line) ? ['out'] : [line];
  });
}

/** Lets the fault of a seed last for a while and end. @returns the fault and what people were notified of */
async function lived(seed: number): Promise<{ truth: Truth; notified: string[] }> {
  const random = createRandom(seed);
  const truth = truths[seed % truths.length] as Truth;
  const fleet = fleetOf(random);
  const all = [...fleet.keys()];
  const living = await livingFleet(all, (deviceId) => fleet.get(deviceId) as Hung);
  const { world, ways, live } = living;
  // Without a canary at the broker, only reports show whether the broker fails.
  if (random.chance(0.3)) ways.withoutBrokerCanary();
  await live(4, all);
  notifiedIn(world);
  const { site } = fleet.get(random.pick(all)) as Hung;
  const dark = truth.site ? all.filter((deviceId) => fleet.get(deviceId)?.site === site) : [];
  const lit = all.filter((deviceId) => !dark.includes(deviceId));
  if (truth.blind === 'ingest') ways.state.ingest = false;
  else if (truth.blind) ways.state.broker = false;
  if (truth.site === 'lost') for (const deviceId of dark) await ways.lose(deviceId);
  await live(13, lit);
  ways.state.broker = true;
  // A broker that restarts reports the sessions that it lost, and then the cameras that reconnect.
  if (truth.blind === 'restart') {
    for (const deviceId of lit) await ways.lose(deviceId);
    for (const deviceId of lit) await ways.connect(deviceId);
  }
  if (!ways.state.ingest) await ways.openIngest();
  await live(14, lit);
  return { truth, notified: notifiedIn(world) };
}

/** The wrong or missing announcements of a seed. */
async function wronglyNotified(seed: number): Promise<string[]> {
  const { truth, notified } = await lived(seed);
  const due = [...(truth.blind ? ['blind'] : []), ...(truth.site ? ['out'] : [])];
  return notified.toSorted().join() === due.join()
    ? []
    : [`seed ${seed}, ${JSON.stringify(truth)}: announced ${notified.join()}`];
}

test('blindness of the platform and the outage of a site are distinguished', async () => {
  const size = sizeOf(12, 200);
  const wrong: string[] = [];
  for (let seed = 0; seed < size; seed += 1) wrong.push(...(await wronglyNotified(seed)));
  const what = 'we are blind, a site is out, or both: told apart';
  ledger('R13', what, { tried: size, lost: 0, wrong: wrong.length, doubled: 0 });
  expect(wrong).toEqual([]);
}, 1_200_000);

test.each([
  ['one dark site outweighs all that report', { silentShare: 0.01, silentShareOfFew: 0.01 }],
  ['no silence is of so many that it is ours', { silentShare: 2, silentShareOfFew: 2 }],
])('this check finds a planted bug: %s', async (_, given) => {
  const known = { ...thresholds };
  const wrong: string[] = [];
  try {
    Object.assign(thresholds, given);
    for (let seed = 0; seed < 60 && wrong.length === 0; seed += 1) wrong.push(...(await wronglyNotified(seed)));
  } finally {
    Object.assign(thresholds, known);
  }
  expect(wrong).not.toEqual([]);
});
