import type { Wake, Waker } from '../../../shared/app/ports.ts';
import type { VirtualClock } from './clock.ts';
import type { Random, Weather } from './instances.ts';
import { type Sky, stands } from './sky.ts';

const second = 1000;
const minute = 60 * second;
const longestBackoff = 2 * minute;

type Ground = { clock: VirtualClock; random: Random; weather: Weather };

/** A message on its way through Pub/Sub: `publishedAt` and when its handler first answered that it is done, in milliseconds. */
export type Publication = { publishedAt: number; copies: number; tries: number; ackedAt: number | null };

/**
 * Pub/Sub: each message comes at least once, late, in another order, sometimes again after it was acknowledged, and again and again
 * with pauses from 2 s to a minute until its handler answers without a fault. While nobody takes anything, each message waits in a back-off
 * of its own, up to two minutes.
 */
export function createPubSub({ clock, random, weather, sky }: Ground & { sky: Sky }) {
  const deliver = async (publication: Publication, handle: () => Promise<void>) => {
    for (let attempt = 0; ; attempt += 1) {
      publication.tries += 1;
      if (stands(sky, clock.ms())) {
        await clock.sleep(Math.min(longestBackoff, 10 * second * 2 ** attempt) * (0.5 + random.next() / 2));
        continue;
      }
      try {
        await handle();
        publication.ackedAt ??= clock.ms();
        return;
      } catch {
        await clock.sleep(Math.min(minute, 2 * second * 2 ** attempt) * (0.5 + random.next()));
      }
    }
  };
  const delay = () => {
    if (clock.ms() >= weather.calmFrom) return random.below(200);
    const draw = random.next();
    // What waited until somebody took it comes all at once.
    if (draw < 0.2) return 1000 - (clock.ms() % 1000);
    if (draw < 0.8) return random.below(500);
    // No canary can tell of a message that is held up alone: none is for longer than a subscription's longest back-off.
    return draw < 0.97 ? random.below(weather.onTheWay) : Math.min(longestBackoff, random.below(6 * weather.onTheWay));
  };
  return {
    publish(handle: () => Promise<void>): Publication {
      const isStormy = clock.ms() < weather.calmFrom;
      const copies = 1 + (isStormy && random.chance(weather.copies) ? 1 + random.below(4) : 0);
      const publication: Publication = { publishedAt: clock.ms(), copies, tries: 0, ackedAt: null };
      for (let copy = 0; copy < copies; copy += 1) clock.after(delay(), () => void deliver(publication, handle));
      return publication;
    },
  };
}

/** Longest for which the name of a task stays taken after it ran. */
const nameKept = 60 * minute;
const mostTries = 20;

/**
 * Cloud Tasks: an alarm may be refused, its answer lost, the alarm itself lost, rung late, twice or twice at once. A name that is taken
 * sets nothing. A call that fails is repeated with growing pauses, and given up after twenty.
 */
export function createTasks({ clock, random, weather }: Ground, call: (wake: Wake) => Promise<void>): Waker {
  const taken = new Map<string, number>();
  const ring = async (name: string, wake: Wake) => {
    for (let attempt = 0; attempt < mostTries; attempt += 1) {
      try {
        await call(wake);
        break;
      } catch {
        await clock.sleep(Math.min(300 * second, second * 2 ** attempt));
      }
    }
    taken.set(name, clock.ms() + nameKept);
  };
  const create = (wake: Wake) => {
    const name = `${wake.in}/${wake.id}/${wake.version}`;
    const until = taken.get(name);
    if (until !== undefined && clock.ms() < until) return;
    const waitMs = Math.max(0, Date.parse(wake.dueAt) - clock.ms());
    if (waitMs > 29 * 24 * 60 * minute) return;
    taken.set(name, Number.POSITIVE_INFINITY);
    const isStormy = clock.ms() < weather.calmFrom;
    const { alarmFaults } = weather;
    if (isStormy && random.chance(alarmFaults)) return;
    const late = isStormy && random.chance(alarmFaults) ? random.below(3 * minute) : 10 + random.below(100);
    clock.after(waitMs + late, () => void ring(name, wake));
    if (!isStormy || !random.chance(alarmFaults)) return;
    clock.after(waitMs + late + (random.chance(0.5) ? 0 : random.below(minute)), () => void ring(name, wake));
  };
  return {
    async wake(wakes) {
      await clock.sleep(1 + random.below(20));
      const isStormy = clock.ms() < weather.calmFrom;
      const isFaulty = isStormy && random.chance(weather.alarmFaults);
      const isRefused = isFaulty && random.chance(0.5);
      for (const wake of wakes) if (!isRefused || random.chance(0.5)) create(wake);
      if (isFaulty) throw Object.assign(new Error('UNAVAILABLE'), { code: 14 });
    },
  };
}
