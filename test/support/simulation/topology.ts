import { createRandom } from '../world/random.ts';

/** A camera and what it hangs on. */
export type Hung = { deviceId: string; groupId: string; site: string; parents: { kind: string; id: string }[] };
/** What truly fails, by every name of it: all that hangs on it is dark, but for a few that have power of their own. `alone`: others that fail beside it. */
export type TrueFault = { kind: string; names: string[]; cameras: string[]; alone: string[] };

export type Sizes = { providers: number; sites: number; switches: number; cameras: number; faults: number };

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
          groupId: `customer-${site % 3}`,
          site: `site-${site}`,
          // A provider serves several customers; nobody has said that they share it, so to each it is his own.
          parents: [{ kind: 'switch', id: `sw-${site}-${sw}` }, uplink, provider],
        });
      }
    }
  }
  const hungOn = (kind: string, id: string, groupId: string) =>
    fleet.filter((each) => {
      const isOn = kind === 'site' ? each.site === id : each.parents.some((one) => one.kind === kind && one.id === id);
      return isOn && each.groupId === groupId;
    });
  const failing = Array.from({ length: faults }, (): TrueFault => {
    const victim = random.pick(fleet);
    const kind = random.pick(['switch', 'switch', 'site', 'provider', 'camera']);
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
  });
  return { fleet, failing };
}
