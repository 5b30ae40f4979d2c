import type { Wake, Waker } from '../../../shared/app/ports.ts';
import type { VirtualClock } from './clock.ts';
import type { Random, Weather } from './instances.ts';
import { type Sky, stands } from './sky.ts';

const second = 1000;
const minute = 60 * second;
const longestBackoff = 2 * minute;

type Ground = { clock: VirtualClock; random: Random; weather: Weather };

/** A message in Pub/Sub. `takenAt`: when a handler first got it; `ackedAt`: when one first succeeded. Times in milliseconds. */
export type Publication = {
  publishedAt: number;
  copies: number;
  tries: number;
  takenAt: number | null;
  ackedAt: number | null;
};

/**
 * Pub/Sub: each message comes at least once, late, out of order, and sometimes again after its acknowledgement. After a failure it is repeated with
 * exponential backoff from 2 s to a minute, randomised by half. While ingest accepts nothing, the backoff is 10 s to two minutes.
 */
export function createPubSub({ clock, random, weather, sky }: Ground & { sky: Sky }) {
  const deliver = async (publication: Publication, handle: () => Promise<void>) => {
    for (let attempt = 0; ; attempt += 1) {
      publication.tries += 1;
      if (stands(sky, clock.ms())) {
        await clock.sleep(Math.min(longestBackoff, 10 * second * 2 ** attempt) * (0.5 + random.next() / 2));
        continue;
      }
      publication.takenAt ??= clock.ms();
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
    // At the next full second, together with others, like messages that waited for a handler.
    if (draw < 0.2) return 1000 - (clock.ms() % 1000);
    if (draw < 0.8) return random.below(500);
    // Canaries cannot show a delay of a single message, so no message is delayed longer than a canary may be.
    return draw < 0.97 ? random.below(weather.onTheWay) : Math.min(minute, random.below(6 * weather.onTheWay));
  };
  return {
    publish(handle: () => Promise<void>): Publication {
      const isStormy = clock.ms() < weather.calmFrom;
      const copies = 1 + (isStormy && random.chance(weather.copies) ? 1 + random.below(4) : 0);
      const publication: Publication = { publishedAt: clock.ms(), copies, tries: 0, takenAt: null, ackedAt: null };
      for (let copy = 0; copy < copies; copy += 1) clock.after(delay(), () => void deliver(publication, handle));
      return publication;
    },
  };
}

/** How long the name of a finished task stays reserved. */
const nameKept = 60 * minute;
const mostTries = 20;

/**
 * Cloud Tasks: a task may be refused, lost, late, or run twice, also concurrently, and its answer may be lost. A reserved name creates nothing. A
 * failing call is repeated with exponential backoff, at most twenty times.
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
    const { wakeFaults } = weather;
    if (isStormy && random.chance(wakeFaults)) return;
    const late = isStormy && random.chance(wakeFaults) ? random.below(3 * minute) : 10 + random.below(100);
    clock.after(waitMs + late, () => void ring(name, wake));
    if (!isStormy || !random.chance(wakeFaults)) return;
    clock.after(waitMs + late + (random.chance(0.5) ? 0 : random.below(minute)), () => void ring(name, wake));
  };
  return {
    async wake(wakes) {
      await clock.sleep(1 + random.below(20));
      const isStormy = clock.ms() < weather.calmFrom;
      const isFaulty = isStormy && random.chance(weather.wakeFaults);
      const isRefused = isFaulty && random.chance(0.5);
      for (const wake of wakes) if (!isRefused || random.chance(0.5)) create(wake);
      if (isFaulty) throw Object.assign(new Error('UNAVAILABLE'), { code: 14 });
    },
  };
}
