import { createRandom } from '../world/random.ts';

/** A camera and what it hangs on. */
export type Hung = { deviceId: string; groupId: string; site: string; parents: { kind: string; id: string }[] };
/**
 * What truly fails, by every name of it: all that hangs on it is dark, but for a few that have power of their own. `alone`: others that fail
 * beside it.
 */
export type TrueFault = { kind: string; names: string[]; cameras: string[]; alone: string[] };

export type Sizes = { providers: number; sites: number; switches: number; cameras: number; faults: number };

/** The provider of whom somebody has said that all customers share it: to each of the others it is his own. */
export const sharedProvider = 'isp-0';
export const customers = ['customer-0', 'customer-1', 'customer-2'];
/** What fails, as often as it does. */
const kinds = [...Array(10).fill('switch'), ...Array(6).fill('site'), ...Array(4).fill('camera'), 'provider'];

/** A network that nobody has told of, and what fails in it one after the other. The same seed, the same network. */
export function hiddenTopology(seed: number, { providers, sites, switches, cameras, faults }: Sizes) {
  const random = createRandom(seed);
  const fleet: Hung[] = [];
  for (let site = 0; site < sites; site += 1) {
    const provider = { kind: 'provider', id: `isp-${site % providers}` };
    const uplink = { kind: 'uplink', id: `line-${site}` };
    for (let sw = 0; sw < switches; sw += 1) {
      const count = Math.max(2, cameras - 2 + random.below(5));
      for (let camera = 0; camera < count; camera += 1) {
        fleet.push({
          deviceId: `s${site}-w${sw}-c${camera}`,
          groupId: customers[site % customers.length] ?? '',
          site: `site-${site}`,
          parents: [{ kind: 'switch', id: `sw-${site}-${sw}` }, uplink, provider],
        });
      }
    }
  }
  const hungOn = (kind: string, id: string, groupId: string) =>
    fleet.filter((each) => {
      const isOn = kind === 'site' ? each.site === id : each.parents.some((one) => one.kind === kind && one.id === id);
      return isOn && (id === sharedProvider || each.groupId === groupId);
    });
  const fails = (kind: string): TrueFault => {
    const victim = random.pick(fleet);
    const others = fleet.filter(({ site }) => site !== victim.site);
    const alone = random.chance(0.3) && others.length > 0 ? [random.pick(others).deviceId] : [];
    if (kind === 'camera') return { kind, names: [], cameras: [victim.deviceId], alone: [] };
    const id = kind === 'site' ? victim.site : (victim.parents.find((one) => one.kind === kind)?.id ?? '');
    const hung = hungOn(kind, id, victim.groupId);
    const spared = kind === 'site' && random.chance(0.3) ? Math.floor(hung.length / 10) : 0;
    const dark = hung.slice(spared).map(({ deviceId }) => deviceId);
    const same = [{ kind: 'site', id: victim.site }, ...victim.parents].filter(
      (one) => hungOn(one.kind, one.id, victim.groupId).length === hung.length,
    );
    return {
      kind,
      names: same.map((one) => `${one.kind} ${one.id}`),
      cameras: dark,
      alone: alone.filter((each) => !dark.includes(each)),
    };
  };
  // However few fail, each kind is among them: the widest of those whom it concerns is not left to chance.
  const failing = Array.from({ length: faults }, (_, index) =>
    fails(['provider', 'switch', 'site', 'camera'][index] ?? random.pick(kinds)),
  );
  return { fleet, failing };
}

/** What a camera does at an instant, in seconds since the noise began. */
export type NoiseChange = { at: number; deviceId: string; does: 'lose' | 'connect' | 'report' | 'strain' };

/** How often each happens in a day. */
export type Noise = { days: number; losses: number; blips: number; flaps: number; strains: number; reboots: number };

const daySeconds = 24 * 3600;
/** Planned work, cleaning and weather have their hours: a fault of the inference has more to be misled by. */
const noisySeconds = 4 * 3600;

/**
 * What cameras do in days in which nothing fails that others hang on: they are lost for a while, blink, are unsteady, run out of memory, and
 * start again with their switch within less than a loss takes.
 */
export function noiseOf(seed: number, fleet: readonly Hung[], noise: Noise): NoiseChange[] {
  const random = createRandom(seed);
  const changes: NoiseChange[] = [];
  for (let day = 0; day < noise.days; day += 1) {
    const from = day * daySeconds;
    const some = (times: number, happen: (at: number, victim: Hung) => void) => {
      for (let time = 0; time < times; time += 1) happen(from + random.below(noisySeconds), random.pick(fleet));
    };
    const goes = (at: number, { deviceId }: Hung, seconds: number) =>
      changes.push({ at, deviceId, does: 'lose' }, { at: at + seconds, deviceId, does: 'connect' });
    some(noise.losses, (at, victim) => goes(at, victim, 420 + random.below(noisySeconds)));
    some(noise.blips, (at, victim) => goes(at, victim, 10 + random.below(200)));
    some(noise.flaps, (at, victim) => {
      for (let time = 0; time < 5; time += 1) goes(at + time * 120, victim, 40);
    });
    some(noise.strains, (at, { deviceId }) =>
      changes.push({ at, deviceId, does: 'strain' }, { at: at + 1800, deviceId, does: 'report' }),
    );
    some(noise.reboots, (at, victim) => {
      const seconds = 50 + random.below(70);
      const on = ({ site, parents }: Hung) => `${site} ${parents[0]?.id}`;
      for (const each of fleet) if (on(each) === on(victim)) goes(at, each, seconds);
    });
  }
  return changes.toSorted((a, b) => a.at - b.at);
}
