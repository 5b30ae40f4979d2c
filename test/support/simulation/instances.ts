import { newToken, startTimer } from '../../../shared/adapters/world.ts';
import type { Store, Waker, World } from '../../../shared/app/ports.ts';
import { waitsAt } from '../../../shared/domain/limits.ts';
import { storeErrors } from '../stores/faulty-store.ts';
import type { createRandom } from '../world/random.ts';
import type { VirtualClock } from './clock.ts';

export type Random = ReturnType<typeof createRandom>;

/** The severity of faults. Shares are per call, times in milliseconds. */
export type Weather = {
  /** Share of calls of the store that fail, before or after they take effect. */
  storeFaults: number;
  /** Periods in which every call of the store fails. */
  outages: { from: number; until: number }[];
  /** Mean time between two kills of a process. */
  killEvery: number;
  /** Share of wakes that are lost, refused, late or run twice. */
  wakeFaults: number;
  /** Share of messages that come more than once. */
  copies: number;
  /** Longest time between publication and handling for most messages. */
  onTheWay: number;
  /** When all of this ends. */
  calmFrom: number;
};

/** One process of a function. A killed process never finishes its work. */
export type Instance = {
  world: World;
  isAlive: boolean;
  /** Calls in progress, to reject when the process dies. */
  inFlight: Set<(error: Error) => void>;
};

export type Ground = { store: Store; waker: Waker; clock: VirtualClock; random: Random; weather: Weather };

export class Killed extends Error {}

const silentLog = { info() {}, warn() {}, error() {} };

export function createInstance(ground: Ground): Instance {
  const { clock } = ground;
  const instance: Instance = { isAlive: true, inFlight: new Set(), world: undefined as never };
  instance.world = {
    store: createUnsteadyStore(ground, () => instance.isAlive),
    waker: {
      wake: (wakes) => (instance.isAlive ? ground.waker.wake(wakes) : never()),
    },
    log: silentLog,
    now: clock.now,
    random: () => Math.random(),
    after: startTimer,
    waits: waitsAt(1),
    consoleUrl: 'https://console.example.com',
    reportedGroups: 'trust',
    unsignedHeals: 'accept',
    newToken,
  };
  return instance;
}

/** Runs one call in a process. Rejects with its error, or with `Killed`; later effects of a killed process are ignored. */
export function callIn<T>(instance: Instance, act: (instance: Instance) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const die = (error: Error) => reject(error);
    instance.inFlight.add(die);
    act(instance)
      .then(resolve, reject)
      .finally(() => instance.inFlight.delete(die));
  });
}

export function kill(instance: Instance): void {
  instance.isAlive = false;
  for (const die of instance.inFlight) die(new Killed('The process was killed.'));
  instance.inFlight.clear();
}

export function never(): Promise<never> {
  return new Promise(() => {});
}

const errors = Object.values(storeErrors);

/** The in-memory store as a process sees it over a network: slow, and failing before or after a call takes effect. */
function createUnsteadyStore({ store, clock, random, weather }: Ground, isAlive: () => boolean): Store {
  const call = async <T>(act: () => Promise<T>): Promise<T> => {
    if (!isAlive()) return never();
    const latency = random.chance(0.02) ? random.below(3000) : 1 + random.below(20);
    const isSlowBefore = random.chance(0.5);
    if (isSlowBefore) await clock.sleep(latency);
    if (!isAlive()) return never();
    const now = clock.ms();
    const isStormy = now < weather.calmFrom;
    const isOut = isStormy && weather.outages.some(({ from, until }) => now >= from && now < until);
    const fault = isOut || (isStormy && random.chance(weather.storeFaults)) ? random.pick(errors) : null;
    const isBefore = fault !== null && (isOut ? random.chance(0.9) : random.chance(0.5));
    if (isBefore) {
      if (isOut) await clock.sleep(500);
      throw fault();
    }
    const result = await act();
    if (!isSlowBefore) await clock.sleep(latency);
    if (!isAlive()) return never();
    if (fault) throw fault();
    return result;
  };
  return {
    get: (kind, ids) => call(() => store.get(kind, ids)),
    getMany: (ids) => call(() => store.getMany(ids)),
    commit: (writes) => call(() => store.commit(writes)),
    find: (query) => call(() => store.find(query)),
    count: (query) => call(() => store.count(query)),
    tail: (tail) => call(() => store.tail(tail)),
  };
}
