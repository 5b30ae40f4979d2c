import { randomUUID } from 'node:crypto';
import { createMemoryStore } from '../../../shared/adapters/memory/store.ts';
import { newToken, startTimer } from '../../../shared/adapters/world.ts';
import { createDispatcher, type Dispatcher } from '../../../shared/app/deliveries/deliver.ts';
import { createEgressWitness } from '../../../shared/app/deliveries/dispatch-guards.ts';
import type { Sender, World } from '../../../shared/app/ports.ts';
import type { Delivery, ErrorClass, SendOutcome } from '../../../shared/domain/delivery/delivery.ts';
import type { Webhook } from '../../../shared/domain/delivery/webhook.ts';
import { waitsAt } from '../../../shared/domain/limits.ts';
import { msBetween } from '../../../shared/domain/time.ts';
import { endpoint, failure, storeDelivery, success } from '../records/deliveries.ts';
import { createRandom } from '../world/random.ts';
import { createVirtualClock, type VirtualClock, withVirtualTimers } from './clock.ts';

export const minute = 60_000;

export type Blackout = { from: number; until: number };
export type EgressStory = {
  seed: number;
  /** Processes of `deliver`. */
  processes: number;
  /** Times when nothing outside answers a process, from the start of the run, milliseconds. */
  blackouts: (process: number) => Blackout[];
  /** The egress witness. `unchecked`: without a check address; `none`: each missing answer counts as the target's fault. */
  witness: 'checked' | 'unchecked' | 'none';
  /** Mean time between two deliveries, milliseconds. */
  everyMs: number;
  healthy: number;
  /** Number of dead endpoints. Most attempts end by timeout, others because the name is unknown or the connection is refused. */
  dead: number;
};

export type EgressRun = {
  healthy: Delivery[];
  dead: Delivery[];
  circuits: string[];
  /** The most concurrent attempts of one process among those that began after it knew that nothing answers. */
  mostInTheDark: number;
  checks: number;
};

/** Ten minutes of deliveries by processes that sometimes get no answer from outside, then 100 minutes in which all of them end. */
export async function runEgress(story: EgressStory): Promise<EgressRun> {
  const clock = createVirtualClock();
  const random = createRandom(story.seed);
  return withVirtualTimers(clock, random.next, () => liveThrough(story, clock, random));
}

async function liveThrough(
  story: EgressStory,
  clock: VirtualClock,
  random: ReturnType<typeof createRandom>,
): Promise<EgressRun> {
  const store = createMemoryStore();
  const circuits: string[] = [];
  const began = clock.ms();
  const run = { mostInTheDark: 0, checks: 0 };
  const dispatchers: Dispatcher[] = [];
  const world: World = {
    store,
    waker: {
      async wake(wakes) {
        for (const { in: kind, id, dueAt } of wakes) {
          if (kind === 'deliveries') clock.after(Math.max(0, msBetween(clock.now(), dueAt)), () => ring(id));
        }
      },
    },
    log: { info() {}, warn() {}, error() {} },
    now: clock.now,
    random: () => random.next(),
    after: startTimer,
    waits: waitsAt(1),
    consoleUrl: 'https://console.example.com',
    reportedGroups: 'trust',
    unsignedHeals: 'accept',
    newToken,
  };
  const ring = (id: string) => void random.pick(dispatchers).attempt(id);
  const hooks = [...hooksOf(story.healthy, 'healthy'), ...hooksOf(story.dead, 'dead')];
  for (let index = 0; index < story.processes; index += 1) {
    const isDark = (from: number, until: number) =>
      story.blackouts(index).some((dark) => dark.from < until - began && dark.until > from - began);
    dispatchers.push(startProcess({ ...world, log: logOf(circuits) }, { story, clock, random, isDark, run }));
  }
  for (let at = 0; at < 10 * minute; at += 1 + random.below(2 * story.everyMs)) {
    const hook = random.pick(hooks);
    clock.after(at, async () => {
      const made = await storeDelivery(store, randomUUID(), hook, clock.now());
      ring(made.deliveryId);
    });
  }
  await clock.runUntil(began + 110 * minute);
  const found = await store.find({ in: 'deliveries', limit: 100_000 });
  const all = found.map(({ data }) => data);
  const isDead = ({ webhookId }: Delivery) =>
    hooks.find((hook) => hook.webhookId === webhookId)?.description === 'dead';
  return {
    ...run,
    circuits: circuits.filter((id) => hooks.some((hook) => hook.webhookId === id && hook.description !== 'dead')),
    healthy: all.filter((each) => !isDead(each)),
    dead: all.filter(isDead),
  };
}

function hooksOf(count: number, description: string): Webhook[] {
  return Array.from({ length: count }, () => endpoint({ webhookId: randomUUID(), description }));
}

function logOf(circuits: string[]): World['log'] {
  const note = (event: string, { webhookId }: Record<string, unknown>) => {
    if (event === 'endpoint.circuit-opened') circuits.push(String(webhookId));
  };
  return { info: note, warn: note, error: note };
}

type Process = {
  story: EgressStory;
  clock: VirtualClock;
  random: ReturnType<typeof createRandom>;
  /** Whether a blackout overlaps a period. */
  isDark: (from: number, until: number) => boolean;
  run: { mostInTheDark: number; checks: number };
};

function startProcess(world: World, { story, clock, random, isDark, run }: Process): Dispatcher {
  const silence = (errorClass: ErrorClass): SendOutcome => ({ ...failure, statusCode: null, errorClass });
  let inFlight = 0;
  let isKnownDark = false;
  const send = async (hook: Webhook | null): Promise<SendOutcome> => {
    const from = clock.ms();
    const tookMs = 5 + random.below(200);
    const isCut = isDark(from, from + tookMs);
    if (!isCut && hook?.description !== 'dead') return clock.sleep(tookMs).then(() => success);
    // Failed name lookups and a missing network fail before the timeout. If the connection breaks during a request, only the timeout ends it.
    const fate = isDark(from, from + 1) || !isCut ? random.below(6) : 5;
    const ends = fate === 0 ? (['dns_error', 5000] as const) : fate === 1 ? (['connection_refused', 1] as const) : null;
    const [errorClass, ms] = ends ?? (['timeout', (hook?.timeoutSeconds ?? 10) * 1000] as const);
    await clock.sleep(ms);
    return silence(errorClass);
  };
  const webhook: Sender = {
    async send(_delivery, _attempt, hook) {
      inFlight += 1;
      if (isKnownDark) run.mostInTheDark = Math.max(run.mostInTheDark, inFlight);
      try {
        return await send(hook);
      } finally {
        inFlight -= 1;
      }
    },
  };
  const check = async () => {
    run.checks += 1;
    const from = clock.ms();
    const isAnswered = !isDark(from, from + 30);
    await clock.sleep(isAnswered ? 30 : 5000);
    return isAnswered;
  };
  const log: World['log'] = {
    ...world.log,
    warn(event, fields) {
      // Attempts that were in progress when it was noticed do not count.
      if (event === 'egress.lost')
        clock.after(10_001, () => {
          isKnownDark = isLost;
        });
      if (event === 'egress.lost') isLost = true;
      world.log.warn(event, fields);
    },
    info(event) {
      if (event !== 'egress.restored') return;
      isLost = false;
      isKnownDark = false;
    },
  };
  let isLost = false;
  const parts = { check: story.witness === 'checked' ? check : null, elapsedMs: clock.ms, world: { ...world, log } };
  const witness = story.witness === 'none' ? [] : [createEgressWitness(parts)];
  return createDispatcher({ ...world, log }, { webhook }, clock.ms, ...witness);
}
