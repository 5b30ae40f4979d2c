import type { Lived } from './live.ts';
import type { Read, Thing } from './reader.ts';
import type { Place, Script, Span, Trouble } from './script.ts';

const minute = 60;
/** Darkness that began longer before an outage has another reason. */
const unrelated = 15 * minute;

/** When a place was dark as a whole: more than half of its cameras. */
export type Whole = {
  /** The first darkness among its cameras, and when half of them were dark. */
  began: Span;
  /** When half of them were back, and when the last one was that came back. Null: it lasts. */
  ended: Span | null;
  /** The darkness of its cameras. */
  spans: (Span & { deviceId: string })[];
};

/** What an operator has taken: when, who, and what. */
export type Taken = { second: number; by: string; thing: Thing; isTrouble: boolean };

/** What is true at each second, from the script of the night and from what the operators did. */
export function truthOf(script: Script, lived: Pick<Lived, 'acts'>, read: (channel: string, text: string) => Read) {
  const cameras = new Map(script.cameras.map((camera) => [camera.deviceId, camera]));
  const places = new Map([...script.places, ...groupsOf(script)].map((place) => [`${place.kind} ${place.id}`, place]));
  const troublesOf = Map.groupBy(script.troubles, ({ deviceId }) => deviceId);
  const spansOf = (deviceId: string): readonly Span[] => script.dark.get(deviceId) ?? [];
  const members = (thing: Thing): string[] =>
    thing.is === 'camera' ? [thing.id] : (places.get(thing.id)?.cameras ?? []);
  const known = new Map<string, (Span & { deviceId: string })[]>();
  const spansAt = (thing: Thing): (Span & { deviceId: string })[] => {
    const found =
      known.get(thing.id) ??
      members(thing).flatMap((deviceId) => spansOf(deviceId).map((span) => ({ ...span, deviceId })));
    known.set(thing.id, found);
    return found;
  };
  const darkAt = (thing: Thing, second: number) =>
    spansAt(thing).filter(({ from, to }) => from <= second && second < to);
  const wholes = new Map<string, Whole[]>();

  return {
    cameras,
    places,
    members,
    spansOf,
    spansAt,
    darkAt,
    isDark: (deviceId: string, second: number) =>
      spansOf(deviceId).some(({ from, to }) => from <= second && second < to),
    troublesOf: (deviceId: string): readonly Trouble[] => troublesOf.get(deviceId) ?? [],
    /** All times at which a place was dark as a whole, in order. */
    wholesOf(thing: Thing): Whole[] {
      const found =
        wholes.get(thing.id) ??
        findWholes(spansAt(thing), members(thing).length).map((whole) => {
          // Where only silence tells, the last report is all that anybody can know.
          const isSilent = whole.spans.every(({ deviceId }) => cameras.get(deviceId)?.isSilent);
          const { from, to } = whole.began;
          return isSilent ? { ...whole, began: { from: from - minute, to } } : whole;
        });
      wholes.set(thing.id, found);
      return found;
    },
    inMaintenance: (thing: Thing, second: number): string[] =>
      script.windows.flatMap(({ place, from, to }) => {
        if (second < from || second >= to) return [];
        const there = new Set(places.get(`site ${place}`)?.cameras);
        return members(thing).filter((deviceId) => there.has(deviceId));
      }),
    taken: lived.acts.flatMap(({ second, by, answered, isByLink, listed }): Taken[] => {
      const { subject, claims } = read(answered.channel, answered.text);
      const isTrouble = claims.some(({ says }) => says === 'trouble');
      if (isByLink) return subject ? [{ second, by, thing: subject, isTrouble }] : [];
      return listed.map((each): Taken => {
        if (!('deviceId' in each))
          return { second, by, thing: thingOf(places, `${each.placeKind} ${each.placeId}`), isTrouble: false };
        const { deviceId, code } = each;
        const thing: Thing = { is: 'camera', id: deviceId, name: cameras.get(deviceId)?.name ?? '' };
        return { second, by, thing, isTrouble: code !== 'CONN_001' };
      });
    }),
  };
}

/** All cameras of a group as a place. */
function groupsOf({ cameras }: Script): Place[] {
  return [...Map.groupBy(cameras, ({ groupId }) => groupId)].map(([id, own]) => {
    const there = own.map(({ deviceId }) => deviceId);
    return { kind: 'group', id, name: `group ${id}`, groups: [id], shared: false, cameras: there };
  });
}

export type Truth = ReturnType<typeof truthOf>;

function thingOf(places: ReadonlyMap<string, Place>, id: string): Thing {
  return { is: 'place', id, name: places.get(id)?.name ?? id };
}

function findWholes(spans: readonly (Span & { deviceId: string })[], total: number): Whole[] {
  const changes = spans.flatMap((span) => [
    { at: span.from, by: 1 },
    { at: span.to, by: -1 },
  ]);
  changes.sort((a, b) => a.at - b.at || a.by - b.by);
  const found: Whole[] = [];
  let [count, since]: [number, number | null] = [0, null];
  for (const { at, by } of changes) {
    count += by;
    if (since === null && count > total / 2) since = at;
    if (since === null || count > total / 2) continue;
    const crossed = since;
    since = null;
    // The first ones may have been dark a little earlier, and those behind it may go on after it.
    const own = spans.filter(({ from, to }) => from > crossed - unrelated && from < at && to > crossed);
    const first = Math.min(...own.map(({ from }) => from));
    const last = Math.max(at, ...own.map(({ to }) => to).filter((to) => to <= at + unrelated));
    found.push({
      began: { from: first, to: crossed },
      ended: Number.isFinite(at) ? { from: at, to: last } : null,
      spans: own,
    });
  }
  return found;
}
