import { createRandom, type Random } from '../world/random.ts';

/** A camera and the places that it is connected through. */
export type Hung = { deviceId: string; groupId: string; site: string; parents: { kind: string; id: string }[] };
/** A place that really fails: its number of cameras, and the names of all places with exactly these cameras. */
type TrueScope = { names: string[]; size: number };
/**
 * A fault: all cameras of its scopes are dark, except a few with their own power. `silent`: cameras without a last will. `alone`: others that fail
 * independently.
 */
export type TrueFault = { kind: string; scopes: TrueScope[]; cameras: string[]; silent: string[]; alone: string[] };

export type Sizes = { providers: number; sites: number; switches: number; cameras: number; faults: number };

/** The provider that is declared as shared by all customers. Other providers belong to one customer each. */
export const sharedProvider = 'isp-0';
export const customers = ['customer-0', 'customer-1', 'customer-2'];
/**
 * Kinds of faults with their frequency. `sites`: several sites of one provider, each for its own reason. `lone`: a camera that is alone on its
 * switch.
 */
const kinds = [
  ...Array(9).fill('switch'),
  ...Array(5).fill('site'),
  ...Array(4).fill('camera'),
  'sites',
  'provider',
  'lone',
];
/** Fewer cameras do not count as a place. */
const leastOfPlace = 3;
/**
 * The largest share of a provider that may be dark when its sites fail independently. Above this it cannot be distinguished from a failing provider.
 */
const mostOfPart = 0.8;

/** A network, and its faults one after the other. The same seed gives both. The service knows the places of the cameras, but not what fails. */
export function hiddenTopology(seed: number, sizes: Sizes) {
  const random = createRandom(seed);
  const fleet = fleetOf(random, sizes);
  const hangs = hangingIn(fleet);
  const onSwitch = Map.groupBy(fleet, ({ parents }) => parents[0]?.id);
  const lone = [...onSwitch.values()].flatMap((cameras) => (cameras.length === 1 ? cameras : []));
  const fails = (kind: string): TrueFault => {
    const victim = random.pick(kind === 'lone' ? lone : fleet);
    const dark = darkOf(random, hangs, kind, kind === 'sites' ? severalBehind(random, hangs, fleet) : [victim]);
    const cameras = dark.flatMap((each) => each.cameras);
    const others = fleet.filter(({ site, deviceId }) => site !== victim.site && !cameras.includes(deviceId));
    const isBeside = dark.length === 1 && cameras.length > 1 && random.chance(0.3) && others.length > 0;
    return {
      kind,
      scopes: dark.flatMap(({ names, size }) => (size >= leastOfPlace ? [{ names, size }] : [])),
      cameras,
      silent: silentOf(random, cameras),
      alone: isBeside ? [random.pick(others).deviceId] : [],
    };
  };
  // Every kind of fault occurs at least once.
  const failing = Array.from({ length: sizes.faults }, (_, index) =>
    fails(['provider', 'sites', 'switch', 'site', 'lone', 'camera'][index] ?? random.pick(kinds)),
  );
  return { fleet, failing };
}

/** Sites and switches of very different sizes: some switches have most cameras of a site, some have one or two. */
function fleetOf(random: Random, { providers, sites, switches, cameras }: Sizes): Hung[] {
  const fleet: Hung[] = [];
  for (let site = 0; site < sites; site += 1) {
    const provider = { kind: 'provider', id: `isp-${site % providers}` };
    const uplink = { kind: 'uplink', id: `line-${site}` };
    for (let sw = 0; sw < switches; sw += 1) {
      const usual = Math.max(2, cameras - 2 + random.below(5));
      const few = sw === 1 ? [1, usual, 2][site % 5] : usual;
      const count = sw === 0 && site % 4 === 1 ? usual * switches : (few ?? usual);
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
  return fleet;
}

type Hangs = (kind: string, id: string, groupId: string) => Hung[];
type Dark = TrueScope & { cameras: string[] };

function hangingIn(fleet: readonly Hung[]): Hangs {
  return (kind, id, groupId) =>
    fleet.filter((each) => {
      const isOn = kind === 'site' ? each.site === id : each.parents.some((one) => one.kind === kind && one.id === id);
      return isOn && (id === sharedProvider || each.groupId === groupId);
    });
}

function darkOf(random: Random, hangs: Hangs, kind: string, victims: readonly Hung[]): Dark[] {
  return victims.map((victim) => {
    if (kind === 'camera' || kind === 'lone') return { names: [], size: 1, cameras: [victim.deviceId] };
    return darkAt(random, hangs, kind === 'sites' ? 'site' : kind, victim);
  });
}

/** The failing place of a camera. In some sites a tenth of the cameras keeps its power. */
function darkAt(random: Random, hangs: Hangs, kind: string, { site, parents, groupId }: Hung): Dark {
  const id = kind === 'site' ? site : (parents.find((one) => one.kind === kind)?.id ?? '');
  const hung = hangs(kind, id, groupId);
  const spared = kind === 'site' && random.chance(0.3) ? Math.floor(hung.length / 10) : 0;
  const same = [{ kind: 'site', id: site }, ...parents].filter(
    (one) => hangs(one.kind, one.id, groupId).length === hung.length,
  );
  return {
    names: same.map((one) => `${one.kind} ${one.id}`),
    size: hung.length,
    cameras: hung.slice(spared).map(({ deviceId }) => deviceId),
  };
}

/**
 * One camera of each of two or three sites of a provider, chosen to mislead: seen from each of these sites, at least half of the provider's other
 * cameras are dark as well. One camera, if no such provider is found.
 */
function severalBehind(random: Random, hangs: Hangs, fleet: readonly Hung[]): Hung[] {
  for (let tries = 0; tries < 20; tries += 1) {
    const { parents, groupId } = random.pick(fleet);
    const behind = hangs('provider', parents.find(({ kind }) => kind === 'provider')?.id ?? '', groupId);
    const sites = [...Map.groupBy(behind, ({ site }) => site).values()].filter(({ length }) => length >= 5);
    const chosen: Hung[][] = [];
    for (const site of random.shuffledWithin(sites, sites.length)) {
      const dark = [...chosen, site].flat().length;
      if (chosen.length < 3 && dark <= mostOfPart * behind.length) chosen.push(site);
    }
    const dark = chosen.flat().length;
    const isMisleading = chosen.every(({ length }) => dark - length >= (behind.length - length) / 2);
    if (chosen.length > 1 && isMisleading) return chosen.flatMap(([first]) => first ?? []);
  }
  return [random.pick(fleet)];
}

/** Most brokers report a loss. For some faults all cameras, for others every second one only falls silent. */
function silentOf(random: Random, cameras: readonly string[]): string[] {
  if (random.chance(0.25)) return [...cameras];
  return random.chance(0.2) ? cameras.filter((_, index) => index % 2 === 0) : [];
}

/** An action of a camera. `at`: seconds since the noise began. */
export type NoiseChange = {
  at: number;
  deviceId: string;
  does: 'lose' | 'connect' | 'report' | 'strain' | 'vanish' | 'reappear';
};

/** The number of days, and of each kind of event per day. */
export type Noise = Record<'days' | 'losses' | 'vanishings' | 'blips' | 'flaps' | 'strains' | 'reboots', number>;

const daySeconds = 24 * 3600;
/** Noise begins in the first hours of a day, because planned work, cleaning and weather have typical hours. This makes inference harder. */
const noisySeconds = 4 * 3600;

/**
 * Independent events of cameras over days: losses, silences, short interruptions, unstable connections, low memory, and restarts together with their
 * switch that are shorter than a loss.
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
    some(noise.vanishings, (at, { deviceId }) =>
      changes.push({ at, deviceId, does: 'vanish' }, { at: at + 900 + random.below(3600), deviceId, does: 'reappear' }),
    );
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
