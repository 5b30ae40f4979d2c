import { createRandom, type Random } from '../world/random.ts';

/** A camera. `isSilent`: its broker knows no last will of it, so only the absence of its reports shows that it is gone. */
export type Camera = {
  deviceId: string;
  name: string;
  groupId: string;
  site: string;
  parents: { kind: string; id: string }[];
  isSilent: boolean;
  /** The second of each minute in which it reports, where it is silent otherwise. */
  phase: number;
};
/** A place as people call it, and the cameras that are there. */
export type Place = { kind: string; id: string; name: string; groups: string[]; shared: boolean; cameras: string[] };
/** Seconds of the night in which something holds, from the first until just before the second. */
export type Span = { from: number; to: number };
/** A period in which all cameras of a place are dark for one reason. */
export type Outage = Span & { name: string; place: string; isSilent: boolean; isFlap: boolean; recoversIn: number };
export type TroubleKind = 'memory' | 'storage' | 'network' | 'certificate' | 'sign-ins' | 'broker';
/** A trouble of one camera that is no loss. */
export type Trouble = Span & { deviceId: string; kind: TroubleKind };
/** A team with one phone, one mailbox and one room. Null groups: it serves every group that no other team serves, and answers for all. */
export type Team = {
  name: string;
  phone: string;
  email: string;
  room: string;
  groups: string[] | null;
  /** It hears only what nobody has answered. */
  isBehind: boolean;
};
export type Window = Span & { place: string };

/** What truly happens in a night. Nothing here is taken from the service. */
export type Script = {
  seed: number;
  cameras: Camera[];
  places: Place[];
  teams: Team[];
  outages: Outage[];
  /** By camera: when it is dark, in order, without overlaps. */
  dark: Map<string, Span[]>;
  flapping: string[];
  troubles: Trouble[];
  windows: Window[];
  seconds: number;
};

export type Size = {
  camerasOf: (site: number) => number;
  sites: number;
  /** Sites by what happens to them. */
  telia: number[];
  tele2: number[];
  acme: number[];
  borg: number[];
  nested: number;
  flapping: number;
  maintained: number;
  silent: number[];
  dead: number;
  losses: number;
  blips: number;
  flappers: number;
  troubles: number;
  /** Minutes of the night, and when each outage begins about; the flapping site's also have a number. */
  minutes: number;
  at: { nested: number; slow: number; flaps: number; maintenance: number; silence: number };
  flaps: number;
};

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
const sharedSites = [0, 1, 2];

export const sizes = {
  full: {
    camerasOf: (site) => (site < 40 ? 167 : 166),
    sites: 60,
    telia: range(0, 14),
    tele2: range(14, 24),
    acme: [3, 4],
    borg: [5, 6],
    nested: 8,
    flapping: 30,
    maintained: 31,
    silent: [40, 41],
    dead: 20,
    losses: 40,
    blips: 300,
    flappers: 10,
    troubles: 93,
    minutes: 720,
    at: { nested: 100, slow: 300, flaps: 420, maintenance: 390, silence: 570 },
    flaps: 8,
  },
  small: {
    camerasOf: (site) => (site === 10 ? 6 : 21),
    sites: 12,
    telia: range(0, 6),
    tele2: [6, 7],
    acme: [3],
    borg: [4],
    nested: 5,
    flapping: 8,
    maintained: 9,
    silent: [10],
    dead: 3,
    losses: 6,
    blips: 30,
    flappers: 2,
    troubles: 9,
    minutes: 220,
    at: { nested: 20, slow: 70, flaps: 60, maintenance: 80, silence: 120 },
    flaps: 4,
  },
} as const satisfies Record<string, Size>;

const minute = 60;
const hour = 60 * minute;
/** Nothing new begins in the last minutes, so that everything can be told before the night ends. */
const calm = 30 * minute;
const ofSwitch = 24;

const two = (number: number) => String(number).padStart(2, '0');
const siteId = (site: number) => `depot-${two(site)}`;

/** Ten thousand cameras at sixty sites, or a small town, and twelve hours of theirs. The same seed gives the same night. */
export function writeNight(seed: number, size: Size): Script {
  const random = createRandom(seed);
  const cameras = camerasIn(size);
  const places = placesIn(size, cameras);
  const at = (id: string) => places.find((place) => place.id === id)?.cameras ?? [];
  const outages = outagesIn(random, size);
  const spans = new Map<string, Span[]>(cameras.map(({ deviceId }) => [deviceId, []]));
  const darken = (deviceId: string, span: Span) => spans.get(deviceId)?.push(span);
  // A broker notices the end of its connections within half a minute.
  for (const { place, from, to, recoversIn } of outages)
    for (const deviceId of at(place))
      darken(deviceId, { from: from + random.below(30), to: to + random.below(Math.max(5, recoversIn)) });
  const lone = loneIn(random, size, { cameras, outages, at, darken });
  return {
    seed,
    cameras,
    places,
    teams: teams.map((team) => ({ ...team })),
    outages,
    dark: new Map(
      cameras.map((camera) => [
        camera.deviceId,
        merged((spans.get(camera.deviceId) ?? []).map((span) => heard(camera, span))),
      ]),
    ),
    ...lone,
    windows: [
      { place: siteId(size.maintained), from: size.at.maintenance * minute, to: (size.at.maintenance + 60) * minute },
    ],
    seconds: size.minutes * minute,
  };
}

const teamOf = (name: string, number: number, groups: string[] | null, isBehind = false): Team => ({
  name,
  phone: `+4670000000${number}`,
  email: `${name}@night.test`,
  room: `https://chat.example.com/${name}`,
  groups,
  isBehind,
});
const teams = [
  teamOf('operations', 1, null),
  teamOf('acme', 2, ['acme']),
  teamOf('borg', 3, ['borg']),
  teamOf('duty', 4, null, true),
];

function groupOf({ acme, borg }: Size, site: number, index: number): string {
  if (sharedSites.includes(site)) return index % 2 === 0 ? 'acme' : 'borg';
  if (acme.includes(site)) return 'acme';
  return borg.includes(site) ? 'borg' : 'town';
}

function camerasIn(size: Size): Camera[] {
  return range(0, size.sites).flatMap((site) =>
    range(0, size.camerasOf(site)).map((index) => {
      const uplink = size.telia.includes(site)
        ? { kind: 'provider', id: 'telia' }
        : size.tele2.includes(site)
          ? { kind: 'provider', id: 'tele2' }
          : { kind: 'uplink', id: `line-${two(site)}` };
      return {
        deviceId: `c${two(site)}-${String(index).padStart(3, '0')}`,
        name: `Kamera ${two(site)}-${String(index).padStart(3, '0')}`,
        groupId: groupOf(size, site, index),
        site: siteId(site),
        parents: [{ kind: 'switch', id: `sw-${two(site)}-${Math.floor(index / ofSwitch)}` }, uplink],
        isSilent: size.silent.includes(site),
        phase: (index * 37) % minute,
      };
    }),
  );
}

function placesIn(size: Size, cameras: readonly Camera[]): Place[] {
  const hung = (kind: string, id: string) =>
    cameras.filter(({ site, parents }) =>
      kind === 'site' ? site === id : parents.some((parent) => parent.kind === kind && parent.id === id),
    );
  const place = (kind: string, id: string, name: string): Place => {
    const there = hung(kind, id);
    const groups = [...new Set(there.map(({ groupId }) => groupId))];
    return { kind, id, name, groups, shared: groups.length > 1, cameras: there.map(({ deviceId }) => deviceId) };
  };
  const parents = new Map(
    cameras.flatMap(({ parents: own }) => own.map((each) => [`${each.kind} ${each.id}`, each] as const)),
  );
  const titles: Record<string, string> = { telia: 'Telia fibre', tele2: 'Tele2 fibre' };
  return [
    ...range(0, size.sites).map((site) => place('site', siteId(site), `Depå ${two(site)}`)),
    ...[...parents.values()].map(({ kind, id }) => place(kind, id, titles[id] ?? id)),
  ];
}

function outagesIn(random: Random, { nested, flapping, maintained, silent, at, flaps: times }: Size): Outage[] {
  const usual = { isSilent: false, isFlap: false, recoversIn: 0 };
  const first = at.nested * minute + random.below(20 * minute);
  const second = at.slow * minute + random.below(20 * minute);
  const planned = at.maintenance * minute;
  const silence = at.silence * minute + random.below(10 * minute);
  const flaps: Outage[] = [];
  for (let from = at.flaps * minute + random.below(10 * minute), index = 0; index < times; index += 1) {
    const to = from + (7 + random.below(3)) * minute;
    flaps.push({ ...usual, name: `flap ${index + 1}`, place: siteId(flapping), from, to, isFlap: true });
    from = to + 7 * minute;
  }
  return [
    { ...usual, name: 'nested site', place: siteId(nested), from: first, to: first + 70 * minute },
    { ...usual, name: 'provider around it', place: 'telia', from: first + 20 * minute, to: first + 45 * minute },
    { ...usual, name: 'slow return', place: 'tele2', from: second, to: second + 30 * minute, recoversIn: 180 },
    ...flaps,
    {
      ...usual,
      name: 'in maintenance',
      place: siteId(maintained),
      from: planned + 40 * minute,
      to: planned + 90 * minute,
    },
    {
      ...usual,
      name: 'silence',
      place: siteId(silent[0] ?? 0),
      from: silence,
      to: silence + 40 * minute,
      isSilent: true,
    },
  ];
}

type Ground = {
  cameras: readonly Camera[];
  outages: readonly Outage[];
  at: (place: string) => string[];
  darken: (deviceId: string, span: Span) => void;
};

/** What happens to single cameras. Each camera has at most one such fate, far from any outage of its place. */
function loneIn(random: Random, size: Size, { cameras, outages, at, darken }: Ground) {
  const taken = new Set<string>();
  const places = new Map(outages.map((outage) => [outage.name, new Set(at(outage.place))]));
  const isFree = ({ deviceId }: Camera, { from, to }: Span) =>
    !taken.has(deviceId) &&
    outages.every(
      (each) => !places.get(each.name)?.has(deviceId) || each.to + 30 * minute < from || to + 30 * minute < each.from,
    );
  const some = (
    count: number,
    spanOf: () => Span,
    isFit: (camera: Camera) => boolean,
    act: (of: Camera, span: Span) => void,
  ) => {
    for (let found = 0; found < count; ) {
      const [camera, span] = [random.pick(cameras), spanOf()];
      if (!isFit(camera) || !isFree(camera, span)) continue;
      taken.add(camera.deviceId);
      act(camera, span);
      found += 1;
    }
  };
  const night = size.minutes * minute;
  const begin = () => 5 * minute + random.below(night - calm - 5 * minute);
  // Half of the lone losses fall into the hour before the second provider fails.
  const stormy = () => size.at.slow * minute - hour + random.below(hour);
  const go = ({ deviceId }: Camera, span: Span) => darken(deviceId, span);
  const anyCamera = () => true;
  let turn = 0;
  const inTurns = () => {
    turn += 1;
    return turn % 2 === 0 ? stormy() : begin();
  };
  some(size.dead, () => ({ from: inTurns(), to: Number.POSITIVE_INFINITY }), anyCamera, go);
  const lossAt = (from: number) => ({ from, to: from + (10 + random.below(31)) * minute });
  some(size.losses, () => lossAt(Math.min(inTurns(), night - calm - 40 * minute)), anyCamera, go);
  const blipAt = (from: number) => ({ from, to: from + 10 + random.below(230) });
  some(
    size.blips,
    () => blipAt(begin()),
    ({ isSilent }) => !isSilent,
    go,
  );
  const flapping: string[] = [];
  const flapAt = (from: number) => ({ from, to: from + 2 * hour });
  const isLasting = () => flapping.length % 2 === 0;
  some(
    size.flappers,
    () => flapAt(random.below(night - calm - 2 * hour)),
    ({ isSilent }) => !isSilent,
    (camera, { from, to }) => {
      // 12 minutes off and 4 on, or half a minute off every seven.
      const [off, on] = isLasting() ? [12 * minute, 4 * minute] : [30, 7 * minute];
      for (let start = from; start < to; start += off + on) darken(camera.deviceId, { from: start, to: start + off });
      flapping.push(camera.deviceId);
    },
  );
  const troubles: Trouble[] = [];
  const kinds: TroubleKind[] = ['memory', 'memory', 'storage', 'network', 'certificate', 'sign-ins', 'broker'];
  const lasting = (from: number) => ({ from, to: from + (20 + random.below(100)) * minute });
  some(
    size.troubles,
    () => lasting(begin()),
    ({ isSilent }) => !isSilent,
    ({ deviceId }, span) => {
      troubles.push({ deviceId, kind: kinds[troubles.length % kinds.length] ?? 'memory', ...span });
    },
  );
  return { flapping, troubles };
}

/** Of a camera without a last will, nobody can know that it is back before its next report. */
function heard({ isSilent, phase }: Camera, { from, to }: Span): Span {
  return isSilent ? { from, to: Math.ceil((to - phase) / minute) * minute + phase } : { from, to };
}

/** Overlapping spans as one. */
function merged(spans: readonly Span[]): Span[] {
  const whole: Span[] = [];
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = whole.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else whole.push({ from, to });
  }
  return whole;
}
